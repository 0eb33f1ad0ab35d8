"""The recorded results of a classifier, item by item, with their texts: what stands behind a confusion matrix."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from oratory.errors import InputError, unknown
from oratory.runs import Run
from oratory.text import Corpus

if TYPE_CHECKING:
    from oratory.training.tasks.classifier.scores import SplitScores


@dataclass(frozen=True)
class ClassifiedItem:
    """One text of a split, and what the run made of it."""

    item: int
    """Its place in the split."""
    text: str
    label: str
    predicted: str
    confidence: float
    """The probability of the prediction."""
    seen: bool | None
    """Whether train has the text; None on dev."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Classified:
    """All texts of a split."""

    run: str
    split: str
    labels: tuple[str, ...]
    items: tuple[ClassifiedItem, ...]
    scores: "SplitScores"

    @property
    def confusion(self) -> list[list[int]]:
        """Items by label (rows) and prediction (columns)."""
        cells: list[list[int]] = self.scores.confusion.tolist()
        return cells

    def cell(self, label: str, predicted: str, seen: bool | None = None) -> list[ClassifiedItem]:
        """The texts of one cell, the most confident first; those that train has or has not, if that is asked for."""
        for name in (label, predicted):
            if name not in self.labels:
                raise unknown("label", name, self.labels)
        chosen = [item for item in self.items if (item.label, item.predicted) == (label, predicted)]
        return sorted((item for item in chosen if seen in (None, item.seen)), key=lambda item: -item.confidence)

    def to_dict(self) -> dict[str, Any]:
        facts = {"run": self.run, "split": self.split, "labels": self.labels}
        return {**facts, **self.scores.to_dict(self.labels)}


def splits_of(run: Run) -> list[str]:
    """The splits whose items are recorded, test first."""
    _need_classifier(run)
    recorded = set(run.items().column("split").to_pylist())
    return [name for name in ("test", "dev") if name in recorded]


def classified(run: Run, corpus: Corpus, split: str = "test") -> Classified:
    """The items of a split with their texts, from the record; nothing is computed again."""
    known = splits_of(run)
    if split not in known:
        raise unknown("split", split, known)
    if corpus.fingerprint != run.fingerprint:
        raise InputError(f"The corpus {corpus.name} is no longer the one that {run.id} was trained on.")
    recorded = run.items()
    table = recorded.filter(pc.equal(recorded["split"], split))
    texts = _texts(corpus, split)
    if len(texts) != len(table):
        raise InputError(f"{run.id} has results of {len(table):,} {split} items, and the corpus has {len(texts):,}.")
    items = tuple(
        ClassifiedItem(
            item=row["item"],
            text=text,
            label=run.labels[row["label"]],
            predicted=run.labels[row["predicted"]],
            confidence=float(max(row["probabilities"])),
            seen=row["seen"],
        )
        for row, text in zip(table.to_pylist(), texts, strict=True)
    )
    return Classified(run.id, split, run.labels, items, run.task.labelled(table))


def _texts(corpus: Corpus, split: str) -> Sequence[str]:
    data = corpus.need_classifier()
    if split == "dev" and data.dev is None:
        data = corpus.with_dev().need_classifier()
    found = data.test if split == "test" else data.dev
    return () if found is None else found.texts


def _need_classifier(run: Run) -> None:
    if not run.labels:
        raise InputError(f"The run {run.id} is no classifier: its task is {run.task.name}.")
