"""The audit: what test shares with train, and what is odd inside a split.

Everything is compared after normalising (case, punctuation, white space); see METHODS in the docs.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from oratory.text.corpus import ClassifierData, Corpus, LanguageData, normalise
from oratory.text.overlap import Index, Near, Numbering

NGRAMS = (8, 13)
NEAR = 0.5
EXAMPLES = 3


@dataclass(frozen=True)
class SplitFacts:
    """What one split holds."""

    items: int
    labels: dict[str, int]
    duplicates: int
    """Items beyond the first with one normalised text."""
    conflicts: int
    """Normalised texts that stand under more than one label."""
    conflict_examples: list[str]


@dataclass(frozen=True)
class NearPair:
    """Two texts that are almost one."""

    text: str
    other: str
    jaccard: float


@dataclass(frozen=True)
class OverlapFacts:
    """What the items of one split share with another."""

    items: int
    exact: int
    same_label: int | None
    """Of the exact ones, those with a label that the other split gives the text too; None without labels."""
    ngrams: dict[str, int]
    """Items that share a run of so many words."""
    near: int
    """Items that are not in the other split, but almost."""
    near_examples: list[NearPair]
    unknown_words: float
    """The share of words that the other split never has."""


@dataclass(frozen=True)
class TextFacts:
    """A language-model test text against the training files."""

    lines: int
    words: int
    in_lm_train: OverlapFacts
    in_classifier_train: OverlapFacts | None


@dataclass(frozen=True)
class Audit:
    """The facts of an audit; `to_dict` is what `--json` prints."""

    corpus: str
    fingerprint: str
    near_threshold: float
    splits: dict[str, SplitFacts]
    overlaps: dict[str, OverlapFacts]
    """By `test in train`, `dev in train`, `test in dev`."""
    lm: dict[str, TextFacts]

    @property
    def test_in_train(self) -> int | None:
        overlap = self.overlaps.get("test in train")
        return overlap.exact if overlap else None

    @property
    def largest_leak(self) -> float:
        """The largest share of a held-out split or text that stands in what is learned from."""
        overlaps = [overlap for name, overlap in self.overlaps.items() if name.endswith("in train")]
        overlaps += [text.in_lm_train for text in self.lm.values()]
        return max((overlap.exact / overlap.items for overlap in overlaps), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with the figures people ask for first at the top."""
        sizes = {name: self.splits[name].items if name in self.splits else None for name in ("train", "dev", "test")}
        seen = self.test_in_train
        unseen = self.splits["test"].items - seen if seen is not None else None
        return {**sizes, "test_in_train": seen, "unseen": unseen, **asdict(self)}

    def sentences(self) -> list[str]:
        """What a reader should take away, a sentence each."""
        return _sentences(self)


def audit(corpus: Corpus, near: float = NEAR) -> Audit:
    """Leakage, duplicates, near duplicates, label conflicts, balance and unknown words of a corpus."""
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
    index: Index
    labels: Sequence[int] | None

    @classmethod
    def of(cls, texts: Sequence[str], numbering: Numbering, labels: Sequence[int] | None = None) -> "_Side":
        normalised = [normalise(text) for text in texts]
        return cls(texts, normalised, Index(numbering.words(normalised)), labels)

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
    seen = set(exact)
    words = side.index.words
    almost = [pair for pair in other.index.near_duplicates(words, near) if pair.item not in seen]
    return OverlapFacts(
        items=len(side.texts),
        exact=len(exact),
        same_label=same_label,
        ngrams={str(n): int(other.index.shares_ngram(words, n).sum()) for n in NGRAMS},
        near=len(almost),
        near_examples=[_pair(pair, side, other) for pair in sorted(almost, key=lambda p: -p.jaccard)[:EXAMPLES]],
        unknown_words=other.index.unknown_share(words),
    )


def _pair(pair: Near, side: _Side, other: _Side) -> NearPair:
    return NearPair(side.texts[pair.item], other.texts[pair.other], round(pair.jaccard, 4))


def _language(
    data: LanguageData,
    classifier: ClassifierData | None,
    labelled: _Side | None,
    numbering: Numbering,
    near: float,
) -> dict[str, TextFacts]:
    """Each test text against both training files; one comparison where both files hold the same lines."""
    same = classifier is not None and classifier.train.texts == data.train
    running = labelled if same and labelled else _Side.of(data.train, numbering)
    facts = {}
    for name, lines in data.tests.items():
        side = _Side.of(lines, numbering)
        in_running = _overlap(side, running, near)
        in_labelled = in_running if same else _overlap(side, labelled, near) if labelled else None
        facts[name] = TextFacts(len(lines), len(side.index.words.ids), in_running, in_labelled)
    return facts


def _sentences(facts: Audit) -> list[str]:
    said = []
    for name, overlap in facts.overlaps.items():
        left, right = name.split(" in ")
        if overlap.exact:
            agree = "all" if overlap.same_label == overlap.exact else f"{overlap.same_label:,}"
            said.append(
                f"{overlap.exact:,} of {overlap.items:,} {left} items ({overlap.exact / overlap.items:.1%}) also "
                f"stand in {right}, {agree} with the same label; {overlap.items - overlap.exact:,} are unseen."
            )
        else:
            said.append(f"No {left} item stands in {right}.")
        if overlap.near:
            said.append(f"Almost the same as an item of {right}: {overlap.near:,} more of {left}.")
    for name, split in facts.splits.items():
        if split.duplicates:
            said.append(f"Repeated within {name}: {split.duplicates:,} of {split.items:,} items.")
        if split.conflicts:
            said.append(f"Under more than one label in {name}: {split.conflicts:,} of its texts.")
    if facts.splits:
        counts = facts.splits["train"].labels
        most, least = max(counts, key=counts.__getitem__), min(counts, key=counts.__getitem__)
        if counts[most] > 3 * counts[least]:
            said.append(f"Train is out of balance: {counts[most]:,} items of {most}, {counts[least]:,} of {least}.")
    for name, text in facts.lm.items():
        if text.in_lm_train.exact:
            said.append(f"Of {name}, {text.in_lm_train.exact:,} of {text.lines:,} lines stand in the training text.")
        if text.in_classifier_train and text.in_classifier_train.exact > text.in_lm_train.exact:
            exact = text.in_classifier_train.exact
            said.append(f"Of {name}, {exact:,} of {text.lines:,} lines stand in the classifier's training file.")
    return said
