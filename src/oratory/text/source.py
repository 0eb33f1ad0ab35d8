"""Where a corpus comes from: what all sources share."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Self

from oratory.errors import InputError
from oratory.settings import written
from oratory.text.corpus import Corpus
from oratory.text.sentences import are_sentences, split_sentences
from oratory.text.shared import leave_out
from oratory.text.subset import keep_share

GIVE = "give sotu, a folder, a table such as reviews.csv, or hub:NAME"
"""What the name of a corpus may be, for a sentence on one that is none."""


@dataclass(frozen=True, kw_only=True)
class Source(ABC):
    """A way to load a corpus. The text of a source loads the same corpus again."""

    without: tuple[str, ...] = ()
    """Corpora, with + between, whose dev and test are not to be in train: lines that share 8 words with them go."""
    keep: float = 1.0
    """Share of train that is kept, document by document where these are known; dev and test stay as they are."""
    carve: float = 0.0
    """Share of train that becomes dev where the corpus has none; 0 for none."""

    def __post_init__(self) -> None:
        if not 0 < self.keep <= 1:
            raise InputError(f"keep={self.keep}: the share of train that is kept lies above 0, and is at most 1.")
        if not 0 <= self.carve < 1:
            raise InputError(f"carve={self.carve}: the share of the dev split is 0 or lies between 0 and 1.")

    @abstractmethod
    def read(self) -> Corpus:
        """The corpus as it is stored, without a dev split carved from it."""

    def load(self) -> Corpus:
        """The corpus, with the text that loads it again."""
        from oratory.text.load import load_corpus  # It knows all sources, and so comes after each of them.

        corpus = replace(self.read(), source=str(replace(self.placed(), carve=0.0)))
        for other in self.without:
            corpus = leave_out(corpus, load_corpus(other))
        if self.keep < 1:
            corpus = keep_share(corpus, self.keep)
        return corpus.with_dev(self.carve) if self.carve else corpus

    def pieces(self, text: str) -> list[str]:
        """A text that a user types, in the pieces that the texts of the corpus are: sentences, or all of it."""
        found = split_sentences(text)
        return found if len(found) > 1 and self._has_sentences() else [text]

    def _has_sentences(self) -> bool:
        """Whether the texts are single sentences; not, where they can no longer be read."""
        try:
            corpus = self.read()
        except InputError:
            return False
        return are_sentences(corpus.classifier.train.texts if corpus.classifier else corpus.need_lm().train)

    def anchored(self) -> Self:
        """The same source with absolute paths, so that it loads from any directory."""
        return self

    def placed(self) -> Self:
        """The same with absolute paths everywhere, also in the corpora that it is to be without."""
        from oratory.text.load import parse_source

        return replace(self.anchored(), without=tuple(str(parse_source(other).placed()) for other in self.without))

    def __str__(self) -> str:
        """The text that a user writes for this source."""
        return written(self, type(self).__name__.lower())
