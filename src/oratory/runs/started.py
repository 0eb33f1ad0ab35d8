"""Settings as users write them, to settings as records keep them: a model may be a run of the store by its name."""

from collections.abc import Mapping
from typing import Any

from oratory.runs.store import Store
from oratory.settings import as_text
from oratory.training.origins import origin_of
from oratory.training.origins.origin import MODEL, OWN_RUN

LAST = "last"


def as_given(settings: Mapping[str, Any] | None, store: Store) -> dict[str, str]:
    """Settings as text, which mean the same in any folder.

    A model that is the id of a run, the beginning of one, or `last` is that run; any other name is that of a published
    model.
    """
    given = as_text(settings)
    name = given.get(MODEL, "")
    if name and not name.startswith(OWN_RUN) and (name == LAST or store.has(name) or store.matching(name)):
        given[MODEL] = f"{OWN_RUN}{store.folder / store.find(name)}"
    return origin_of(given).given(given)
