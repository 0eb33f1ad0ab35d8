"""Where a model comes from: the earlier runs, what they learned from, and what of the test here was in that."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from oratory.errors import InputError
from oratory.tables import shortened
from oratory.text import Corpus, reload_corpus
from oratory.text.recorded import RecordedCorpus
from oratory.text.shared import NGRAM, SharedTexts, shared_texts
from oratory.training.tasks import Task

NAMED, WIDTH = 3, 60
"""Texts that a refusal names, and characters of each."""


@dataclass(frozen=True)
class Ancestor:
    """An earlier run that a model comes from, and what its corpus shares with the test here."""

    run: str
    weights: str
    """The checksum of its weights."""
    corpus: RecordedCorpus
    tests: int = 0
    """Test texts here."""
    shared: int | None = None
    """Of these, how many share 8 words in a row with what it learned from; None where that is not known."""

    @property
    def sentence(self) -> str:
        """All of it, for a reader."""
        said = f"It comes from the run {self.run}, which learned from {self.corpus.name} ({self.corpus.fingerprint})."
        if self.shared is None:
            return f"{said} Its corpus cannot be loaded, so what it shares with the test here is not known."
        return f"{said} Of {self.tests:,} test texts here, {self.shared:,} share {NGRAM} words in a row with that."


def audited(ancestors: Iterable[Ancestor], task: Task, corpus: Corpus) -> tuple[Ancestor, ...]:
    """Earlier runs with what they share with the test of a corpus; one that learned from its texts is refused."""
    return tuple(_audited(ancestor, task, corpus) for ancestor in ancestors)


def _audited(ancestor: Ancestor, task: Task, corpus: Corpus) -> Ancestor:
    tests = task.test_texts(corpus)
    unknown = replace(ancestor, tests=len(tests), shared=None)
    try:
        found = _shared(ancestor.corpus, tests, (corpus.given or corpus).training_lines())
    except InputError:  # It is gone, or has changed.
        return unknown
    if found.new:
        texts = ", ".join(repr(shortened(text, WIDTH)) for text in found.new[:NAMED])
        more = f" and {len(found.new) - NAMED:,} more" if len(found.new) > NAMED else ""
        raise InputError(
            f"The run {ancestor.run} has learned from the test of {corpus.name}: {texts}{more} are in the training "
            f"text of {ancestor.corpus.name}, and not in train here. Train it with --without "
            f"{corpus.source or corpus.name}, which leaves them out."
        )
    return replace(unknown, shared=found.ngrams)


@lru_cache(maxsize=8)
def _shared(kept: RecordedCorpus, tests: tuple[str, ...], own_train: tuple[str, ...]) -> SharedTexts:
    """What test texts share with the training text of a corpus; the runs of a comparison ask for it again and again."""
    corpus = reload_corpus("run", kept.name, kept.source, kept.fingerprint)
    return shared_texts(tests, own_train, corpus.training_lines())
