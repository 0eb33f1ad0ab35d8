"""A corpus as records keep it: what it is called, what is in it, and how it is loaded again."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oratory.errors import InputError
from oratory.text.load import source_text


@dataclass(frozen=True)
class RecordedCorpus:
    """The corpus of a run, or of what is made of runs."""

    name: str
    fingerprint: str
    source: str | None = None
    """The text that loads it again; None for a corpus that was made by hand."""


def with_source(values: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The values of a file whose corpus has its source as text; older files have a dictionary there."""
    corpus = values.get("corpus")
    if not isinstance(corpus, Mapping):
        return dict(values)
    try:
        return {**values, "corpus": {**corpus, "source": source_text(corpus.get("source"))}}
    except InputError as error:
        raise InputError(f"{path} is damaged: {error}") from None
