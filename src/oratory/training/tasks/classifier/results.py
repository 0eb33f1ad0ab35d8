"""The recorded results of a classifier, as people read them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oratory.pictures import Bars, Confusion, Drawn, Mark, Reliability, Topic
from oratory.tables import Table, finite, number, percent
from oratory.training.tasks.metric import Metric
from oratory.training.tasks.results import Curve, History, Recorded, Result, Results

GROUPS = {"all": "accuracy", "seen": "accuracy_seen", "unseen": "accuracy_unseen"}
"""Parts of test, and what a result calls their accuracy."""
HEADINGS = {"accuracy": "all %", "accuracy_seen": "seen %", "accuracy_unseen": "unseen %", "dev_accuracy": "dev %"}
EPOCH = ("epoch", "train_loss", "train_accuracy", "dev_accuracy", "test_accuracy", "seconds")
EPOCH_MORE = ("test_accuracy_seen", "test_accuracy_unseen", "dev_nats", "test_nats")
CURVES = {
    "train": "train_accuracy",
    "dev": "dev_accuracy",
    "test": "test_accuracy",
    "test, seen": "test_accuracy_seen",
    "test, unseen": "test_accuracy_unseen",
}
WITHOUT_TEST = {
    "dev_accuracy": "accuracy on dev, %",
    "train_accuracy": "accuracy on train, %",
    "dev_nats": "loss on dev, nats",
    "train_nats": "loss on train, nats",
}
"""What is drawn of classifiers whose test is measured once, at the end."""
SEEN = "Accuracy on seen items measures memory; on unseen items, what was learned."
SEEN_CAPTION = "Accuracy on all test items, on those that train has word for word, and on those it has not."


@dataclass(frozen=True)
class Bin:
    """Items of about the same confidence."""

    items: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class ClassFigures:
    """The items of one class."""

    items: int
    precision: float | None
    recall: float | None
    f1: float | None


class ClassifierResults(Results):
    """Accuracy, on all items and on those that train has or has not; confusions; calibration."""

    title = "Classifiers"
    place = place_label = "epoch"
    known = (*GROUPS.values(), "loss", "dev_accuracy")
    parts_title = "Seen and unseen items"
    figure_types = {  # noqa: RUF012
        **dict.fromkeys(("items", "items_seen", "items_in_dev"), int),
        **dict.fromkeys(("accuracy", "loss", "calibration_error"), float),
        **dict.fromkeys(("accuracy_seen", "accuracy_unseen", "accuracy_in_dev"), float | None),
        "per_class": Mapping[str, ClassFigures],
        "confusion": tuple[tuple[int, ...], ...],
        "calibration": tuple[Bin, ...],
    }

    def wrong(self, result: Result, labels: Sequence[str]) -> str | None:
        for name, split in result.items():
            rows = split.get("confusion", [[0] * len(labels)] * len(labels))
            if [len(row) for row in rows] != [len(labels)] * len(labels) or any(
                cell < 0 for row in rows for cell in row
            ):
                return f"result.{name}.confusion must count the items of {len(labels)} labels"
            bins = split.get("calibration", ())
            if any(found["items"] < 1 or not 0 <= found["accuracy"] <= 1 for found in bins):
                return f"result.{name}.calibration must have items, and shares of them"
        return None

    def figures(self, result: Result) -> dict[str, float | None]:
        test, dev = result.get("test") or {}, result.get("dev") or {}
        figures = {name: finite(test[name]) for name in (*GROUPS.values(), "loss") if name in test}
        return figures | ({"dev_accuracy": finite(dev["accuracy"])} if "accuracy" in dev else {})

    def shown(self, figures: Iterable[str]) -> list[str]:
        return [name for name in figures if name != "loss"]

    def heading(self, figure: str) -> str:
        return HEADINGS.get(figure, figure)

    def show(self, figure: str, value: float | None) -> str:
        return percent(value) if "accuracy" in figure else number(value, 1)

    def read(self, figure: str, value: float) -> float:
        # Tables show percent, and records have shares: nobody asks for less than one percent.
        return value / 100 if "accuracy" in figure and value > 1 else value

    def facts(self, run: Recorded, result: Result) -> dict[str, Any]:
        rows = []
        for entry in run.history():
            row: dict[str, Any] = {key: entry.get(key) for key in EPOCH}
            row |= {key: entry[key] for key in EPOCH_MORE if key in entry}
            row["epoch"] = int(row["epoch"]) if float(row["epoch"]).is_integer() else row["epoch"]
            rows.append(row)
        return {
            **{split: result.get(split) for split in ("train", "dev", "test")},
            "before": next((row for row in rows if row["epoch"] == 0), None),
            "epochs": [row for row in rows if row["epoch"]],
        }

    def tables(self, run: Recorded) -> list[Table]:
        columns = ("split", "items", "all %", "seen %", "unseen %", "loss", "calibration error")
        rows = tuple(
            (
                name,
                number(split["items"]),
                *(percent(split.get(figure)) for figure in GROUPS.values()),
                number(split["loss"], 3),
                number(split["calibration_error"], 3),
            )
            for name, split in run.result.items()
        )
        in_dev = run.result.get("test", {}).get("items_in_dev", 0)
        note = f"{in_dev:,} of the unseen items of test are in dev." if in_dev else ""
        return [Table(f"Accuracy after {run.step:,} updates", columns, rows, note=note)]

    def topics(self, run: Recorded) -> list[Topic]:
        test, tables = run.result.get("test") or {}, self.tables(run)
        if any(test.get(figure) is None for figure in GROUPS.values()):
            return [Topic("What it scores", tables=tables), *_of_labels(run)]
        bars = Bars(tuple(GROUPS), {"test": [Mark(100 * test[key]) for key in GROUPS.values()]}, "accuracy on test, %")
        scored = Topic("What it scores", SEEN, figures=(Drawn("accuracy", bars, SEEN_CAPTION),), tables=tables)
        return [scored, *_of_labels(run)]

    def curves(self, history: History) -> list[Curve]:
        curves = [Curve(name, "accuracy, %", _reader(key, 100)) for name, key in CURVES.items()]
        return [curve for curve in curves if any(curve.value(entry) for entry in history)]

    def compared_curves(self, histories: Sequence[History]) -> tuple[list[Curve], str]:
        test = Curve("test-accuracy", "accuracy on test, %", _reader("test_accuracy", 100))
        if all(sum(test.value(entry) is not None for entry in history) > 1 for history in histories):
            return [test], ""
        others = [
            Curve(key.replace("_", "-"), label, _reader(key, 100 if key.endswith("accuracy") else 1))
            for key, label in WITHOUT_TEST.items()
        ]
        return others, "Test is measured once, at the end."

    def parts(
        self,
        names: Sequence[str],
        variants: Mapping[str, Sequence[Mark]],
        baselines: Mapping[str, Sequence[float | None]],
        metric: Metric,
    ) -> Topic:
        bars = Bars(names, variants, metric.column.replace(",", " on test,"), baselines)
        return Topic("Seen and unseen", SEEN, figures=(Drawn("parts", bars, SEEN_CAPTION),))

    def compared(self, results: Mapping[str, Sequence[Result]], labels: Sequence[str]) -> list[Topic]:
        figures = []
        for name, found in results.items():
            tables = [result["test"]["confusion"] for result in found]
            total = [[sum(cells) for cells in zip(*rows, strict=True)] for rows in zip(*tables, strict=True)]
            caption = f"{name}: test items by label and prediction, all seeds."
            figures.append(Drawn(f"confusion-{name}", Confusion(total, labels), caption))
        return [Topic("Which is taken for which", figures=tuple(figures))]


def _reader(key: str, factor: float) -> Any:
    """How a figure is read from an evaluation."""

    def value(entry: Mapping[str, Any]) -> float | None:
        found = entry.get(key)
        return None if found is None else factor * float(found)

    return value


def _of_labels(run: Recorded) -> list[Topic]:
    """Which label is taken for which, and how far the confidence can be trusted."""
    split = next((name for name in ("test", "dev", "train") if name in run.result), None)
    if split is None:
        return []
    facts = run.result[split]
    caption = f"Items of {split} by label (rows) and prediction (columns)."
    confusion = Drawn("confusion", Confusion(facts["confusion"], run.labels), caption)
    bins = [
        (entry["confidence"], round(entry["accuracy"] * entry["items"]), entry["items"])
        for entry in facts["calibration"]
    ]
    caption = f"Accuracy on {split} against confidence; calibration error {facts['calibration_error']:.3f}."
    rows = tuple(
        (name, number(entry["items"]), *(percent(entry[key]) for key in ("precision", "recall", "f1")))
        for name, entry in facts["per_class"].items()
    )
    table = Table("Each label", ("label", "items", "precision, %", "recall, %", "F1, %"), rows)
    return [
        Topic("Which is taken for which", figures=(confusion,), tables=(table,)),
        Topic(
            "How sure it is",
            "On the diagonal, confidence is accuracy.",
            figures=(Drawn("calibration", Reliability(bins), caption),),
        ),
    ]
