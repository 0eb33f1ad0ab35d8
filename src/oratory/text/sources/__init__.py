"""The sources of corpora: one file each, found by being in this folder."""

from oratory.discovery import classes_in
from oratory.text.source import Source

_FOUND = classes_in(__name__, Source)  # type: ignore[type-abstract]
SOURCES = {cls.__name__.lower(): cls for cls in _FOUND}
"""Every source by its name."""
