"""What is measured on one corpus and stands in the training text of another: finding it, and leaving it out.

Texts are compared as in the audit, after normalising. Two texts share something if they have the same 8 words in a row,
or are the same.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.text.corpus import Corpus
from oratory.text.normal import normalise
from oratory.text.overlap import Index, Numbering

NGRAM = 8
"""Words in a row."""


@dataclass(frozen=True)
class SharedTexts:
    """What some test texts share with the training text of another corpus."""

    items: int
    ngrams: int
    """Texts that share 8 words in a row with it."""
    new: tuple[str, ...]
    """Texts that stand there, and do not stand in the train of their own corpus."""


def shared_texts(tests: Sequence[str], own_train: Sequence[str], others: Sequence[str]) -> SharedTexts:
    """What test texts share with other texts; `own_train` is the train of their own corpus."""
    normalised, known = [normalise(text) for text in tests], {normalise(text) for text in others}
    own = {normalise(text) for text in own_train}
    new = [text for text, normal in zip(tests, normalised, strict=True) if normal in known and normal not in own]
    return SharedTexts(len(tests), int(_shares_ngram(normalised, list(known)).sum()), tuple(dict.fromkeys(new)))


def leave_out(corpus: Corpus, other: Corpus) -> Corpus:
    """The corpus without the training lines that share something with the dev or test of another corpus.

    Where the other has no dev, that is the one which would be carved from its train.
    """
    held = [normalise(text) for text in _held_out(other)]
    train = {"labelled texts": corpus.classifier.train.texts if corpus.classifier else ()}
    train["lines"] = corpus.lm.train if corpus.lm else ()
    kept = {what: _not_shared([normalise(line) for line in lines], held) for what, lines in train.items()}
    counts = [f"{len(lines) - len(kept[what]):,} of {len(lines):,} {what}" for what, lines in train.items() if lines]
    name = f"{corpus.name} without {other.name}"
    shared = f"share {NGRAM} words in a row with dev or test of {other.name}, or are the same"
    sentence = f"Left out of train: {' and '.join(counts)}, which {shared}."
    classifier = corpus.classifier and corpus.classifier.keep(kept["labelled texts"])
    lm = corpus.lm and corpus.lm.keep(kept["lines"])
    if (classifier and not len(classifier.train)) or (lm and not lm.train):
        raise InputError(f"Nothing is left of {name}: all of its training text is in dev or test there.")
    return replace(corpus, name=name, classifier=classifier, lm=lm, left_out=(*corpus.left_out, sentence))


def _held_out(corpus: Corpus) -> tuple[str, ...]:
    """What is measured on, and what is chosen on."""
    with suppress(InputError):  # It may be too small for a dev.
        corpus = corpus.with_dev()
    return (*corpus.dev_lines(), *corpus.test_lines())


def _not_shared(lines: Sequence[str], held: Sequence[str]) -> list[int]:
    """The places of the normalised lines that share nothing with those that are held out."""
    same = set(held)
    shares = _shares_ngram(lines, list(same))
    return [at for at, line in enumerate(lines) if not shares[at] and line not in same]


def _shares_ngram(texts: Sequence[str], others: Sequence[str]) -> NDArray[np.bool_]:
    """For each normalised text, whether it shares so many words in a row with one of the others."""
    if not texts or not others:
        return np.zeros(len(texts), dtype=bool)
    numbering = Numbering()
    return Index(numbering.words(others)).shares_ngram(numbering.words(texts), NGRAM)
