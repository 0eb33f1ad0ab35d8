"""Where a corpus comes from: what all sources share."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Self

from oratory.errors import InputError
from oratory.settings import written
from oratory.text.corpus import Corpus


@dataclass(frozen=True, kw_only=True)
class Source(ABC):
    """A way to load a corpus. The text of a source loads the same corpus again."""

    carve: float = 0.0
    """Share of train that becomes dev where the corpus has none; 0 for none."""

    def __post_init__(self) -> None:
        if not 0 <= self.carve < 1:
            raise InputError(f"carve={self.carve}: the share of the dev split is 0 or lies between 0 and 1.")

    @abstractmethod
    def read(self) -> Corpus:
        """The corpus as it is stored, without a dev split carved from it."""

    def load(self) -> Corpus:
        """The corpus, with the text that loads it again."""
        corpus = replace(self.read(), source=str(replace(self.anchored(), carve=0.0)))
        return corpus.with_dev(self.carve) if self.carve else corpus

    def anchored(self) -> Self:
        """The same source with absolute paths, so that it loads from any directory."""
        return self

    def __str__(self) -> str:
        """The text that a user writes for this source."""
        return written(self, type(self).__name__.lower())
