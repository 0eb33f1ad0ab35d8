"""From what a user writes to a corpus."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oratory.errors import InputError
from oratory.files import exists
from oratory.settings import choose
from oratory.text.corpus import Corpus
from oratory.text.source import GIVE, Source
from oratory.text.sources import SOURCES
from oratory.text.sources.file import File, is_table
from oratory.text.sources.folder import Folder, is_corpus
from oratory.text.sources.hub import Hub
from oratory.text.sources.sotu import Sotu

DEFAULT = "sotu"


def load_corpus(data: str | os.PathLike[str] | Source = DEFAULT) -> Corpus:
    """The corpus that a source gives: `sotu`, a folder, one table, `hub:NAME`, or a source with parameters.

    For example `load_corpus("sotu(presidents=lincoln+grant)")`, or
    `load_corpus("folder(path=weather,text=headline,label=mood)")`.
    """
    return parse_source(data).load()


def parse_source(data: str | os.PathLike[str] | Source) -> Source:
    """The source that a text describes. A path that exists is that folder or table, whatever else it looks like."""
    if isinstance(data, Source):
        return data
    text = os.fspath(data)
    if not text:
        raise InputError(f"The data is an empty name; {GIVE}.")
    is_choice = re.fullmatch(r"\s*[\w-]+\(.*\)\s*", text, re.DOTALL) or text.partition(":")[0] in SOURCES
    if text == DEFAULT or (is_choice and not exists(Path(text))):
        source: Source = choose(text.removesuffix(":"), SOURCES, "corpus")
        return source
    return File(text) if is_table(Path(text)) else Folder(text)


def at_hand() -> dict[str, str]:
    """The corpora that can be named here, and what each is: the default, and the folders near by that hold one."""
    here = Path()
    folders = [folder for folder in (here, *sorted(here.glob("*/")), *sorted(here.glob("*/*/"))) if is_corpus(folder)]
    return {DEFAULT: "the default", **{str(folder): "a folder" for folder in folders}}


def as_loaded(given: Corpus | str | os.PathLike[str] | Source) -> Corpus:
    """A corpus as it is; anything else is loaded."""
    return given if isinstance(given, Corpus) else load_corpus(given)


def source_text(kept: str | Mapping[str, Any] | None) -> str | None:
    """The source of a record as text. Older records have a dictionary of `data` and options in its place."""
    if kept is None or isinstance(kept, str):
        return kept
    if not isinstance(kept, Mapping) or not isinstance(kept.get("data"), str):
        raise InputError(f"The source {kept!r} does not say how a corpus is loaded.")
    data, presidents = kept["data"], kept.get("presidents")
    if data == "sotu":
        if presidents is None:
            return str(Sotu())
        names = presidents.split(",") if isinstance(presidents, str) else presidents
        return str(Sotu(tuple(name.strip() for name in names if name.strip())))
    columns = kept.get("text_column"), kept.get("label_column")
    if data.startswith("hub:"):
        return str(Hub(data.removeprefix("hub:"), *columns))
    return str(Folder(data, *columns))


def reload_corpus(kind: str, name: str, source: str | Mapping[str, Any] | None, fingerprint: str) -> Corpus:
    """The corpus of a stored search or the like, loaded again; an InputError where it has changed since."""
    text = source_text(source)
    if text is None:
        raise InputError(f"The {kind} {name} does not say how its corpus was loaded.")
    corpus = load_corpus(text)
    if corpus.fingerprint != fingerprint:
        raise InputError(
            f"The corpus of {name} has changed: its fingerprint was {fingerprint} and is {corpus.fingerprint}."
        )
    return corpus
