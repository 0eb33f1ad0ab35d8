"""Names for labels that are numbers or codes: `labels.json` beside the texts."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from oratory.errors import InputError
from oratory.files import read_bytes
from oratory.text.normal import one_line
from oratory.text.table import LabelledTexts

LABELS = "labels.json"


def read_label_names(path: Path) -> dict[str, str]:
    """The name of each label: a list for the labels 0, 1, 2, ..., or an object such as {"pos": "a good review"}.

    Without such a file there are none.
    """
    if not path.is_file():
        return {}
    try:
        found = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}.") from None
    if isinstance(found, list):
        found = {str(label): name for label, name in enumerate(found)}
    if not isinstance(found, dict) or not all(isinstance(name, str) and one_line(name) for name in found.values()):
        raise InputError(f'{path} must be a list of names, or an object with the name of each label: {{"0": "name"}}.')
    names = {one_line(label): one_line(name) for label, name in found.items()}
    twice = next((name for name, count in Counter(names.values()).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"{path} has the name {twice!r} for two labels.")
    return names


def with_names(rows: LabelledTexts, names: Mapping[str, str], path: Path) -> LabelledTexts:
    """Texts whose labels are names; every label needs one, where there are any."""
    if not names:
        return rows
    missing = next((row for row, label in enumerate(rows.labels) if label not in names), None)
    if missing is not None:
        raise InputError(f"{rows.where(missing)}: {path} has no name for the label {rows.labels[missing]!r}.")
    return replace(rows, labels=[names[label] for label in rows.labels])
