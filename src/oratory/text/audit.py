"""The audit: what test shares with train, and what is odd inside a split.

Texts are compared after normalising: case, punctuation, invisible characters and white space do not count.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from oratory.errors import InputError
from oratory.text.corpus import ClassifierData, Corpus, LanguageData
from oratory.text.findings import Audit, AuditedText, NearPair, OverlapFacts, SplitFacts
from oratory.text.normal import normalise
from oratory.text.overlap import NEAR, Index, Numbering, Words

NGRAMS = (8, 13)
EXAMPLES = 3


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
    """One set of texts, made ready for comparison."""

    texts: Sequence[str]
    normalised: Sequence[str]
    labels: Sequence[int] | None
    numbering: Numbering

    @classmethod
    def of(cls, texts: Sequence[str], numbering: Numbering, labels: Sequence[int] | None = None) -> "_Side":
        return cls(texts, [normalise(text) for text in texts], labels, numbering)

    @cached_property
    def words(self) -> Words:
        return self.numbering.words(self.normalised)

    @cached_property
    def first(self) -> dict[str, int]:
        """Each distinct normalised text, with the first item that has it."""
        found: dict[str, int] = {}
        for index, text in enumerate(self.normalised):
            found.setdefault(text, index)
        return found

    @cached_property
    def index(self) -> Index:
        """An index of the distinct texts, in the order of `first`."""
        return Index(self.numbering.words(list(self.first)))

    @cached_property
    def labels_of(self) -> dict[str, set[int | None]]:
        """The labels of each normalised text; None where there are no labels."""
        found: dict[str, set[int | None]] = defaultdict(set)
        for index, text in enumerate(self.normalised):
            found[text].add(self.labels[index] if self.labels else None)
        return found


def _split(side: _Side, label_names: Sequence[str]) -> SplitFacts:
    conflicts = {text for text, labels in side.labels_of.items() if len(labels) > 1}
    examples = dict.fromkeys(
        text for text, normal in zip(side.texts, side.normalised, strict=True) if normal in conflicts
    )
    counts = Counter(side.labels)
    return SplitFacts(
        items=len(side.texts),
        labels={name: counts[index] for index, name in enumerate(label_names)},
        duplicates=len(side.texts) - len(side.labels_of),
        conflicts=len(conflicts),
        conflict_examples=list(examples)[:EXAMPLES],
    )


def _overlap(side: _Side, other: _Side, near: float) -> OverlapFacts:
    exact = [index for index, text in enumerate(side.normalised) if text in other.labels_of]
    same_label = None
    if side.labels is not None and other.labels is not None:
        same_label = sum(side.labels[index] in other.labels_of[side.normalised[index]] for index in exact)
    almost = _near(side, other, near)
    repeats = Counter(side.normalised)
    return OverlapFacts(
        items=len(side.texts),
        exact=len(exact),
        same_label=same_label,
        ngrams={str(n): int(other.index.shares_ngram(side.words, n).sum()) for n in NGRAMS},
        near=sum(repeats[text] for text in almost),
        near_examples=sorted(almost.values(), key=lambda pair: -pair.jaccard)[:EXAMPLES],
        unknown_words=other.index.unknown_share(side.words),
    )


def _near(side: _Side, other: _Side, threshold: float) -> dict[str, NearPair]:
    """The distinct texts that are not in the other set, each with the most similar text of that set."""
    unseen = [text for text in side.first if text not in other.first]
    if not unseen:
        return {}
    others = list(other.first.values())
    return {
        unseen[pair.item]: NearPair(
            side.texts[side.first[unseen[pair.item]]], other.texts[others[pair.other]], round(pair.jaccard, 4)
        )
        for pair in other.index.near_duplicates(side.numbering.words(unseen), threshold)
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
