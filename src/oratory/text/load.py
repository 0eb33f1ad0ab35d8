"""From what a user writes to a corpus."""

import os
from collections.abc import Sequence
from pathlib import Path

from oratory.errors import InputError
from oratory.text import folder, hub, sotu
from oratory.text.corpus import Corpus

DEFAULT = "sotu"


def load_corpus(
    data: str | os.PathLike[str] = DEFAULT,
    *,
    presidents: str | Sequence[str] | None = None,
    text_column: str | None = None,
    label_column: str | None = None,
) -> Corpus:
    """The corpus `sotu`, a folder, or `hub:NAME`.

    `presidents` chooses the speakers of `sotu`, as a list or with commas between; the columns are for tables whose
    names are not the usual ones.
    """
    name = os.fspath(data)
    if not name:
        raise InputError("The data is an empty name; give sotu, a folder, or hub:NAME.")
    if presidents is not None and name != "sotu":
        raise InputError(f"Presidents can be chosen for the corpus sotu only, not for {name}.")
    if name == "sotu":
        if text_column or label_column:
            raise InputError("The corpus sotu has no columns to name.")
        if isinstance(presidents, str):
            presidents = [name.strip() for name in presidents.split(",") if name.strip()]
        return sotu.load(presidents if presidents is not None else sotu.PRESIDENTS)
    if name.startswith("hub:"):
        return hub.load(name.removeprefix("hub:"), text_column, label_column)
    return folder.load(Path(name), text_column, label_column)
