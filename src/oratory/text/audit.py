"""The audit: what test shares with train, and what is odd inside a split.

Texts are compared after normalising: case, punctuation, invisible characters and white space do not count.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.text.corpus import ClassifierData, Corpus, LanguageData
from oratory.text.findings import Audit, AuditedText, NearPair, OverlapFacts, SplitFacts
from oratory.text.normal import normalise
from oratory.text.overlap import NEAR, Index, Numbering, Words

NGRAMS = (8, 13)
EXAMPLES = 3
MOST_LABELS = 1 << 20
"""Above all indices of labels."""


def audit(corpus: Corpus, near: float = NEAR) -> Audit:
    """Leakage, duplicates, near duplicates, label conflicts, balance and unknown words of a corpus."""
    if not 0 < near <= 1:
        raise InputError(f"Near duplicates need a Jaccard index above 0 and up to 1, not {near}.")
    numbering = Numbering()
    splits: dict[str, SplitFacts] = {}
    overlaps: dict[str, OverlapFacts] = {}
    train: _Side | None = None
    if corpus.classifier:
        data = corpus.classifier
        sides = {name: _Side.of(split.texts, numbering, split.labels) for name, split in data.splits()}
        train = sides["train"]
        splits = {name: _split(side, data.label_names) for name, side in sides.items()}
        for name, other in (("test", "train"), ("dev", "train"), ("test", "dev")):
            if name in sides and other in sides:
                overlaps[f"{name} in {other}"] = _overlap(sides[name], sides[other], near)
    lm = _language(corpus.lm, corpus.classifier, train, numbering, near) if corpus.lm else {}
    return Audit(corpus.name, corpus.fingerprint, near, splits, overlaps, lm)


@dataclass(frozen=True)
class _Side:
    """One set of texts, made ready for comparison. Of normalised texts, hashes and the numbers of words are kept."""

    texts: Sequence[str]
    labels: NDArray[np.int64] | None
    keys: NDArray[np.int64]
    """The hash of each normalised text. It is of 64 bits and unlike in every process, so nobody can make two alike."""
    words: Words

    @classmethod
    def of(cls, texts: Sequence[str], numbering: Numbering, labels: Sequence[int] | None = None) -> "_Side":
        keys = array("q")

        def normalised() -> Iterator[str]:
            for text in texts:
                found = normalise(text)
                keys.append(hash(found))
                yield found

        words = numbering.words(normalised())
        return cls(texts, None if labels is None else np.array(labels), np.frombuffer(keys, dtype=np.int64), words)

    @cached_property
    def distinct(self) -> "_Distinct":
        return _Distinct.of(self.keys)

    @cached_property
    def index(self) -> Index:
        """An index of the distinct texts, in the order in which they come first."""
        return Index(self.words.pick(self.distinct.first))

    @cached_property
    def labelled(self) -> NDArray[np.int64]:
        """Each distinct text with each label that it has, as one number."""
        assert self.labels is not None
        return np.unique(self.distinct.number * MOST_LABELS + self.labels)


@dataclass(frozen=True)
class _Distinct:
    """The distinct ones of many hashes."""

    keys: NDArray[np.int64]
    """In order."""
    number: NDArray[np.int64]
    """The place of each hash in them."""
    counts: NDArray[np.int64]
    first: NDArray[np.int64]
    """Where each one comes first, in the order of coming."""

    @classmethod
    def of(cls, hashes: NDArray[np.int64]) -> "_Distinct":
        keys, first, number, counts = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
        return cls(keys, number, counts, np.sort(first))

    def find(self, hashes: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Whether each hash is among them, and its place if it is."""
        at = np.minimum(np.searchsorted(self.keys, hashes), len(self.keys) - 1)
        return self.keys[at] == hashes, at


def _split(side: _Side, label_names: Sequence[str]) -> SplitFacts:
    assert side.labels is not None
    of_text = np.bincount(side.labelled // MOST_LABELS, minlength=len(side.distinct.keys))
    in_conflict = np.flatnonzero(of_text[side.distinct.number] > 1)
    examples = dict.fromkeys(side.texts[item] for item in in_conflict.tolist())
    counts = np.bincount(side.labels, minlength=len(label_names)).tolist()
    return SplitFacts(
        items=len(side.texts),
        labels=dict(zip(label_names, counts, strict=True)),
        duplicates=len(side.texts) - len(side.distinct.keys),
        conflicts=int((of_text > 1).sum()),
        conflict_examples=list(examples)[:EXAMPLES],
    )


def _overlap(side: _Side, other: _Side, near: float) -> OverlapFacts:
    exact, at = other.distinct.find(side.keys)
    same_label = None
    if side.labels is not None and other.labels is not None:
        pairs = at * MOST_LABELS + side.labels
        same_label = int(np.isin(pairs[exact], other.labelled).sum())
    almost = _near(side, other, near)
    repeats = side.distinct.counts[side.distinct.number]
    return OverlapFacts(
        items=len(side.texts),
        exact=int(exact.sum()),
        same_label=same_label,
        ngrams={str(n): int(other.index.shares_ngram(side.words, n).sum()) for n in NGRAMS},
        near=int(sum(repeats[item] for item in almost)),
        near_examples=sorted(almost.values(), key=lambda pair: -pair.jaccard)[:EXAMPLES],
        unknown_words=other.index.unknown_share(side.words),
    )


def _near(side: _Side, other: _Side, threshold: float) -> dict[int, NearPair]:
    """The first items of distinct texts that are not in the other set, each with the most similar text of that set."""
    first = side.distinct.first
    unseen = first[~other.distinct.find(side.keys[first])[0]]
    if not len(unseen):
        return {}
    others = other.distinct.first
    return {
        int(unseen[pair.item]): NearPair(
            side.texts[unseen[pair.item]], other.texts[others[pair.other]], round(pair.jaccard, 4)
        )
        for pair in other.index.near_duplicates(side.words.pick(unseen), threshold)
    }


def _language(
    data: LanguageData,
    classifier: ClassifierData | None,
    labelled: _Side | None,
    numbering: Numbering,
    near: float,
) -> dict[str, AuditedText]:
    """Each test text compared with both training files, or once where both files hold the same lines."""
    same = classifier is not None and classifier.train.texts == data.train
    running = labelled if same and labelled else _Side.of(data.train, numbering)
    facts = {}
    for name, lines in data.tests.items():
        side = _Side.of(lines, numbering)
        in_running = _overlap(side, running, near)
        in_labelled = in_running if same else _overlap(side, labelled, near) if labelled else None
        facts[name] = AuditedText(len(lines), len(side.words.ids), in_running, in_labelled)
    return facts
