"""Settings as users write them, to settings as records keep them: a model may be a run of the store by its name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oratory.runs.store import Store
from oratory.settings import as_text, convert, joined
from oratory.training.origins import origin_of
from oratory.training.origins.origin import MODEL, OWN_RUN

LAST = "last"
TEACHERS = "train.teachers"


def as_given(settings: Mapping[str, Any] | None, store: Store) -> dict[str, str]:
    """Settings as text, which mean the same in any folder.

    A model that is the id of a run, the beginning of one, its name, or `last` is that run; any other name is that of a
    published model. Teachers are runs of the store, or folders of runs.
    """
    given = as_text(settings)
    name = given.get(MODEL, "")
    is_run = name == LAST or store.has(name) or store.called(name) or store.matching(name)
    if name and not name.startswith(OWN_RUN) and is_run:
        given[MODEL] = f"{OWN_RUN}{store.folder / store.find(name)}"
    if given.get(TEACHERS, "none") != "none":
        names = convert(given[TEACHERS], tuple[str, ...], TEACHERS)
        folders = (Path(name) if Path(name).is_absolute() else store.folder / store.find(name) for name in names)
        given[TEACHERS] = joined(tuple(str(folder.resolve()) for folder in folders))
    return origin_of(given).given(given)
