"""What an audit found: facts, and the sentences and tables made from them."""

from dataclasses import asdict, dataclass
from typing import Any

from oratory.tables import Table, Tabled, number, percent


@dataclass(frozen=True)
class SplitFacts:
    """The facts about one split."""

    items: int
    labels: dict[str, int]
    duplicates: int
    """Items whose normalised text has come before."""
    conflicts: int
    """Normalised texts that have more than one label."""
    conflict_examples: list[str]


@dataclass(frozen=True)
class NearPair:
    """Two texts that are almost the same."""

    text: str
    other: str
    jaccard: float


@dataclass(frozen=True)
class OverlapFacts:
    """What the items of one split share with another split."""

    items: int
    exact: int
    same_label: int | None
    """Exact matches that have the same label in the other split; None without labels."""
    ngrams: dict[str, int]
    """Items that share a run of words, by the length of the run."""
    near: int
    """Items that have a near duplicate in the other split, and no exact one."""
    near_examples: list[NearPair]
    unknown_words: float
    """The share of words that the other split does not have."""


@dataclass(frozen=True)
class AuditedText:
    """A test text of a language model, compared with the training files."""

    lines: int
    words: int
    in_lm_train: OverlapFacts
    in_classifier_train: OverlapFacts | None


@dataclass(frozen=True)
class Audit(Tabled):
    """The facts of an audit; `--json` prints `to_dict`."""

    corpus: str
    fingerprint: str
    near_threshold: float
    splits: dict[str, SplitFacts]
    overlaps: dict[str, OverlapFacts]
    """By `test in train`, `dev in train`, `test in dev`."""
    lm: dict[str, AuditedText]

    @property
    def test_in_train(self) -> int | None:
        overlap = self.overlaps.get("test in train")
        return overlap.exact if overlap else None

    @property
    def largest_leak(self) -> float:
        """The largest share of a held-out split or text that is in the training data."""
        overlaps = [overlap for name, overlap in self.overlaps.items() if name.endswith("in train")]
        overlaps += [text.in_lm_train for text in self.lm.values()]
        return max((overlap.exact / overlap.items for overlap in overlaps), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; the most wanted figures come first."""
        sizes = {name: self.splits[name].items if name in self.splits else None for name in ("train", "dev", "test")}
        seen = self.test_in_train
        unseen = self.splits["test"].items - seen if seen is not None else None
        return {**sizes, "test_in_train": seen, "unseen": unseen, **asdict(self)}

    def sentences(self) -> list[str]:
        """The main findings, one sentence each."""
        return _sentences(self)

    def tables(self) -> list[Table]:
        return _tables(self)


def _sentences(facts: Audit) -> list[str]:
    said = []
    if "test in train" not in facts.overlaps and not facts.lm:
        said.append("There is no test split that train could leak into.")
    for name, overlap in facts.overlaps.items():
        left, right = name.split(" in ")
        if overlap.exact:
            agree = "all" if overlap.same_label == overlap.exact else f"{overlap.same_label:,}"
            said.append(
                f"{overlap.exact:,} of {overlap.items:,} {left} items ({overlap.exact / overlap.items:.1%}) are also "
                f"in {right}, {agree} with the same label; {overlap.items - overlap.exact:,} are unseen."
            )
        else:
            said.append(f"No {left} item is in {right}.")
        if overlap.near:
            said.append(f"Almost the same as an item of {right}: {overlap.near:,} more of {left}.")
    for name, split in facts.splits.items():
        if split.duplicates:
            said.append(f"Repeated within {name}: {split.duplicates:,} of {split.items:,} items.")
        if split.conflicts:
            said.append(f"With more than one label in {name}: {split.conflicts:,} of its texts.")
    if facts.splits:
        counts = facts.splits["train"].labels
        most, least = max(counts, key=counts.__getitem__), min(counts, key=counts.__getitem__)
        if counts[most] > 3 * counts[least]:
            said.append(f"Train is out of balance: {counts[most]:,} items of {most}, {counts[least]:,} of {least}.")
    said += _on_lines("the training text", {name: text.in_lm_train for name, text in facts.lm.items()})
    labelled = {name: text.in_classifier_train for name, text in facts.lm.items() if text.in_classifier_train}
    if any(labelled[name] != facts.lm[name].in_lm_train for name in labelled):
        said += _on_lines("the classifier's training file", labelled)
    return said


def _on_lines(where: str, overlaps: dict[str, OverlapFacts]) -> list[str]:
    """One sentence on the lines of all test texts, with the text that shares the most."""
    exact = sum(overlap.exact for overlap in overlaps.values())
    if not exact:
        return [f"No line of a test text is in {where}."] if overlaps else []
    lines = sum(overlap.items for overlap in overlaps.values())
    most = max(overlaps, key=lambda name: overlaps[name].exact / overlaps[name].items)
    worst = f"{overlaps[most].exact:,} of {overlaps[most].items:,} in {most}"
    return [f"Of the lines of the test texts, {exact:,} of {lines:,} are in {where}; the most are {worst}."]


def _tables(facts: Audit) -> list[Table]:
    """Overlaps between splits, what is odd inside each split, and examples of near duplicates."""
    found = []
    if facts.overlaps:
        rows = tuple((name, *_cells(overlap)) for name, overlap in facts.overlaps.items())
        found.append(Table("Labelled texts that are in another split", ("items of", *_COLUMNS), rows, note=_NOTE))
    if facts.splits:
        rows = tuple(
            (name, number(split.items), number(split.duplicates), number(split.conflicts))
            for name, split in facts.splits.items()
        )
        found.append(Table("Inside each split", ("split", "items", "repeated", "with two labels"), rows))
    if facts.lm:
        labelled = {name: text.in_classifier_train for name, text in facts.lm.items()}
        # Where both tasks learn from the same lines, a second column would say the same.
        two_files = any(other and other != facts.lm[name].in_lm_train for name, other in labelled.items())
        extra = {
            name: (number(other.exact if other else None),) if two_files else () for name, other in labelled.items()
        }
        rows = tuple((name, *_cells(text.in_lm_train), *extra[name]) for name, text in facts.lm.items())
        columns = ("lines of", *_COLUMNS, *(["in classifier train"] if two_files else []))
        found.append(Table("Lines of the test texts that are in the training text", columns, rows))
    pairs = [(name, pair) for name, overlap in facts.overlaps.items() for pair in overlap.near_examples]
    if pairs:
        rows = tuple((name, pair.text, pair.other, number(pair.jaccard, 2)) for name, pair in pairs)
        title = f"Near duplicates (Jaccard index of word triples at least {facts.near_threshold})"
        found.append(Table(title, ("items of", "text", "almost the same", "Jaccard"), rows, words=3))
    return found


_COLUMNS = ("items", "there", "%", "8 words", "13 words", "near", "unknown words %")
_NOTE = (
    "there: the same text after normalising case, punctuation and white space. 8 words, 13 words: items that share "
    "a run of 8 or 13 words. near: a near duplicate is there. unknown words: words that the other split does not have."
)


def _cells(overlap: OverlapFacts) -> tuple[str, ...]:
    counts = (overlap.items, overlap.exact)
    shared = (*overlap.ngrams.values(), overlap.near)
    share = percent(overlap.exact / overlap.items)
    return (*map(number, counts), share, *map(number, shared), percent(overlap.unknown_words))
