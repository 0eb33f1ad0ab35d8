"""What the baselines of a classifier score."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from oratory.baselines.share import Share
from oratory.pictures import Bars, Drawn, Mark
from oratory.statistics import over_items
from oratory.tables import Table
from oratory.training.tasks.baselines import TaskBaselines
from oratory.training.tasks.classifier.metrics.accuracy import Accuracy
from oratory.training.tasks.classifier.units import LabelledUnits

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from oratory.text import Corpus

PARTS = ("all", "seen", "unseen")
METRIC = Accuracy()


@dataclass(frozen=True)
class ClassifierFacts:
    """What one classifier gets right, on all test items and on those train has or has not."""

    about: str
    all: Share
    seen: Share
    unseen: Share

    @property
    def shares(self) -> tuple[Share, Share, Share]:
        return self.all, self.seen, self.unseen

    def to_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"about": self.about}
        for key, share in zip(("", "_seen", "_unseen"), self.shares, strict=True):
            facts[f"accuracy{key}"] = share.value
            facts[f"accuracy{key}_interval"] = share.interval
        return facts


@dataclass(frozen=True)
class ClassifierBaselines(TaskBaselines):
    """Classifiers that a learned one must beat."""

    models: Mapping[str, ClassifierFacts] = field(default_factory=dict)
    test: int = 0
    """Items."""
    seen: int = 0
    new_items: str = ""
    """What the intervals mean by new items, in a sentence."""

    tokenizer = None

    def about(self) -> dict[str, Any]:
        return {"test": self.test, "seen": self.seen}

    def to_dict(self) -> dict[str, Any]:
        return {name: facts.to_dict() for name, facts in self.models.items()}

    @property
    def items(self) -> dict[str, int]:
        """The items of every part of test."""
        return dict(zip(PARTS, (self.test, self.seen, self.test - self.seen), strict=True))

    def tables(self) -> list[Table]:
        if not self.models:
            return []
        columns = ("baseline", *(f"{part} {count:,}" for part, count in self.items.items()))
        rows = tuple((name, *map(_shown, facts.shares)) for name, facts in self.models.items())
        note = "; ".join(f"{name}: {facts.about}" for name, facts in self.models.items()) + "."
        note += f" Intervals: {self.new_items}"
        return [Table("Accuracy on test in % (95% interval)", columns, rows, note=note)]

    def pictures(self) -> list[Drawn]:
        if not self.models:
            return []
        parts = {part: count for part, count in self.items.items() if count}
        marks = {name: [_mark(getattr(facts, part)) for part in parts] for name, facts in self.models.items()}
        bars = Bars([f"{part} ({count:,})" for part, count in parts.items()], marks, "accuracy on test, %")
        return [Drawn("baseline-accuracy", bars, "Accuracy of the baselines on test, with 95% intervals.")]


def _shown(share: Share) -> str:
    interval = "" if share.interval is None else f" ({'–'.join(map(METRIC.show_value, share.interval))})"
    return f"{METRIC.show_value(share.value)}{interval}"


def _mark(share: Share) -> Mark | None:
    if share.value is None or share.interval is None:
        return None
    value, low, high = map(METRIC.plotted_value, (share.value, *share.interval))
    return Mark(value, (low, high))


def measure(corpus: "Corpus", keep: "Path | None" = None) -> ClassifierBaselines:
    """The baselines on the test of a corpus, if it has one."""
    from oratory.baselines.kept import kept

    data = corpus.need_classifier()
    models: dict[str, ClassifierFacts] = {}
    if data.test:
        deciding = [replace(corpus, lm=None).fingerprint]
        models = kept(keep, "classifier", deciding, ClassifierFacts, lambda: _fitted(corpus))
    new_items = LabelledUnits(corpus, "test").new_items if data.test else ""
    return ClassifierBaselines(models, len(data.seen), sum(data.seen), new_items)


def _fitted(corpus: "Corpus") -> dict[str, ClassifierFacts]:
    import numpy as np

    from oratory.baselines.classifiers import CLASSIFIERS

    data, units = corpus.need_classifier(), LabelledUnits(corpus, "test")
    assert data.test is not None
    labels = np.array(data.test.labels)
    facts = {}
    for make in CLASSIFIERS:
        baseline = make()
        baseline.fit(data.train)
        right = baseline.predict(data.test) == labels
        facts[baseline.name] = ClassifierFacts(baseline.about, *(_share(right, units, part) for part in PARTS))
    return facts


def _share(right: "NDArray[np.bool_]", units: LabelledUnits, part: str) -> Share:
    """What is right in a part of test."""
    mask = units.parts[part]
    found = Share(int(right[mask].sum()), int(mask.sum()))
    counted = units.counted(part)
    if units.groups is None or counted.unit != units.groups.noun:
        return found
    low, high = over_items(*counted.means(right.astype(float), units.sizes), counted.strata).interval or (0.0, 1.0)
    return replace(found, over_groups=(max(0.0, low), min(1.0, high)))
