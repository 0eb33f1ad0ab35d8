"""The report on one run: what it scored, how it got there, and how to train it again."""

import math
import shlex
from collections.abc import Mapping
from typing import Any

from oratory import __version__
from oratory.pictures import Bars, Confusion, Curves, Mark, Points, Reliability
from oratory.report.document import Document, Figure, Section
from oratory.report.drawers import draw
from oratory.runs import Run
from oratory.tables import Table, number, percent


def run_document(run: Run) -> Document:
    """Everything that the record of a finished run holds, for a reader."""
    result = run.result
    name = f"{run.task} on {run.record['corpus']['name']}, seed {run.seed}"
    sections = [_result(run, result), _curves(run)]
    if run.task == "classifier":
        sections += _of_labels(run, result)
    sections.append(_settings(run))
    lead = (
        f"One run, after {run.record['step']:,} updates and {number(run.record['seconds'], 1)} seconds. One seed "
        "cannot tell a better model from a lucky one: compare variants over several seeds for that."
    )
    return Document(name, lead, sections, f"Made by Oratory {__version__} from {run.id}.")


def _result(run: Run, result: Mapping[str, Any]) -> Section:
    if run.task != "classifier":
        texts = {name: text["perplexity"] for name, text in result.items() if text["perplexity"] is not None}
        marks = [Mark(value) for value in texts.values()]
        drawn = draw(Points(list(texts), {"perplexity": marks})) if texts else ""
        caption = "Perplexity of each text; lower is better. Train was learned from."
        figures = [Figure("perplexity", drawn, caption)] if drawn else []
        return Section(
            "What it scores", "Every token of every text is scored once.", figures=figures, tables=run.results()
        )
    test = result.get("test")
    if test is None or test.get("accuracy_seen") is None or test.get("accuracy_unseen") is None:
        return Section("What it scores", tables=run.results())
    groups = {"all": "accuracy", "seen": "accuracy_seen", "unseen": "accuracy_unseen"}
    bars = {"test": [Mark(100 * test[key]) for key in groups.values()]}
    drawn = draw(Bars(list(groups), bars, "accuracy on test, %"))
    caption = "Accuracy on all test items, on those that train has word for word, and on those it has not."
    lead = "Accuracy on seen items measures memory; on unseen items, what was learned."
    return Section("What it scores", lead, figures=[Figure("accuracy", drawn, caption)], tables=run.results())


def _curves(run: Run) -> Section:
    """Every figure along training."""
    history = run.history()
    figures = []
    if run.task == "classifier":
        xs = [float(entry["epoch"]) for entry in history]
        keys = {"train": "train_accuracy", "dev": "dev_accuracy", "test": "test_accuracy"}
        keys |= {"test, seen": "test_accuracy_seen", "test, unseen": "test_accuracy_unseen"}
        found = {name: [entry.get(key) for entry in history] for name, key in keys.items()}
        series = {
            name: (xs, [[_or_nan(value, 100) for value in values]]) for name, values in found.items() if any(values)
        }
        drawn = draw(Curves(series, "epoch", "accuracy, %"))
        figures.append(Figure("curves", drawn, "Accuracy along training."))
    else:
        xs = [float(entry["step"]) for entry in history]
        texts = list(dict.fromkeys(text for entry in history for text in entry["perplexity"]))
        series = {text: (xs, [[_or_nan(entry["perplexity"].get(text)) for entry in history]]) for text in texts}
        drawn = draw(Curves(series, "update", "perplexity", log=True))
        figures.append(Figure("curves", drawn, "Perplexity along training."))
    losses = [(float(entry["step"]), float(entry["loss"])) for entry in run.metrics() if "loss" in entry]
    if losses:
        steps, values = zip(*losses, strict=True)
        drawn = draw(Curves({"loss": (steps, [values])}, "update", "loss of the batch, nats"))
        figures.append(Figure("loss", drawn, "The loss of every update."))
    return Section("Learning curves", figures=figures)


def _or_nan(value: float | None, factor: float = 1.0) -> float:
    return math.nan if value is None else factor * value


def _of_labels(run: Run, result: Mapping[str, Any]) -> list[Section]:
    """Which label is taken for which, and whether confidence can be believed."""
    split = next((name for name in ("test", "dev", "train") if name in result), None)
    if split is None:
        return []
    facts = result[split]
    labels = run.record["labels"]
    shown = draw(Confusion(facts["confusion"], labels))
    confusion = Figure("confusion", shown, f"Items of {split} by label (rows) and prediction (columns).")
    bins = [
        (entry["confidence"], round(entry["accuracy"] * entry["items"]), entry["items"])
        for entry in facts["calibration"]
    ]
    caption = f"Accuracy on {split} against confidence; calibration error {facts['calibration_error']:.3f}."
    believed = Figure("calibration", draw(Reliability(bins)), caption)
    rows = tuple(
        (name, number(entry["items"]), *(percent(entry[key]) for key in ("precision", "recall", "f1")))
        for name, entry in facts["per_class"].items()
    )
    table = Table("Each label", ("label", "items", "precision, %", "recall, %", "F1, %"), rows)
    return [
        Section("Which is taken for which", figures=[confusion], tables=[table]),
        Section("How sure it is", "On the diagonal, confidence is accuracy.", figures=[believed]),
    ]


def _settings(run: Run) -> Section:
    record = run.record
    parts = [(name, number(count)) for name, count in record["parameters"]["components"].items()]
    parameters = Table("Parameters", ("part", "parameters"), (*parts, ("total", number(record["parameters"]["total"]))))
    versions = Table("Versions", ("what", "version"), tuple(record["versions"].items()), words=2)
    lead = f"Corpus {record['corpus']['name']}, fingerprint {record['corpus']['fingerprint']}"
    lead += f"; on {record['machine']['platform']}, {record['machine']['threads']} threads."
    tables = [parameters, run.all_settings(), versions]
    return Section("How to repeat it", lead, code=train_command(run), tables=tables)


def train_command(run: Run) -> str:
    """The command that trains this run again."""
    words = ["oratory", "train", run.task, *(f"{name}={value}" for name, value in run.record["given"].items())]
    words += ["--data", run.source] if run.source else []
    words += ["--seed", str(run.seed)]
    for plugin in run.record.get("plugins") or []:
        words += ["--plugin", plugin["name"]]
    return shlex.join(words)
