"""From what a user writes to a corpus."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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


def corpus_and_source(given: Corpus | str | os.PathLike[str]) -> tuple[Corpus, dict[str, Any] | None]:
    """A corpus and how to load it again, which nobody knows of one that was made by hand."""
    if isinstance(given, Corpus):
        return given, None
    return load_corpus(given), {"data": os.fspath(given)}


def reload_corpus(kind: str, name: str, source: Mapping[str, Any] | None, fingerprint: str) -> Corpus:
    """The corpus of something that was kept, from where it was; an InputError where it is not the same any more."""
    if source is None:
        raise InputError(f"The {kind} {name} does not say how its corpus was loaded.")
    corpus = load_corpus(**source)
    if corpus.fingerprint != fingerprint:
        raise InputError(
            f"The corpus of {name} has changed: its fingerprint was {fingerprint} and is {corpus.fingerprint}."
        )
    return corpus
