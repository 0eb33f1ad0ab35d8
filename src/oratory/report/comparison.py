"""The report on a comparison: verdicts first, then everything they rest on."""

from collections.abc import Mapping

import numpy as np

from oratory import __version__
from oratory.comparison import Comparison, Part, Variant, write_seeds
from oratory.comparison.matrices import curve_of
from oratory.errors import InputError
from oratory.pictures import Bars, Confusion, Curves, Differences, Mark, Points
from oratory.report.document import Document, Figure, Section
from oratory.report.drawers import draw
from oratory.runs import Run, Store
from oratory.tables import Table, number

TEST = {"test_accuracy": "accuracy on test, %"}
OTHERS = {
    "dev_accuracy": "accuracy on dev, %",
    "train_accuracy": "accuracy on train, %",
    "dev_nats": "loss on dev, nats",
    "train_nats": "loss on train, nats",
}
"""What is drawn of classifiers whose test is measured once, at the end."""

Series = dict[str, tuple[list[float], list[list[float]]]]


def comparison_document(comparison: Comparison, store: Store, more: tuple[Section, ...] = ()) -> Document:
    """Everything that a reader needs to believe the verdicts, or not to."""
    sections = comparison_sections(comparison, store)
    title = f"{', '.join(variant.name for variant in comparison.variants)}: {comparison.task} on {comparison.corpus}"
    footer = f"Made by Oratory {__version__} from {comparison.id}."
    return Document(title, _lead(comparison), [*sections, *more], footer)


def comparison_sections(comparison: Comparison, store: Store) -> list[Section]:
    """The parts of a report on one comparison."""
    runs = {
        variant.name: [store.open(name) for name in variant.runs if name is not None] for variant in comparison.variants
    }
    sections = [_verdicts(comparison), _parts(comparison), _curves(comparison, runs)]
    if comparison.task == "classifier":
        sections.append(_confusions(comparison, runs))
    return [*sections, _settings(comparison, runs)]


def _lead(comparison: Comparison) -> str:
    return (
        f"{len(comparison.variants)} variants, each trained with the same {len(comparison.seeds)} seeds: same initial "
        "values where parameters are shared, same batches. Every verdict is a paired test over seeds and items."
    )


def _verdicts(comparison: Comparison) -> Section:
    sentences = []
    for variant in comparison.variants[1:]:
        difference = variant.whole.difference
        if difference is None:
            continue
        sentences.append(
            f"{variant.name}: {comparison.verdict_text(variant)}; {comparison.show_difference(difference.mean)} "
            f"against {comparison.variants[0].name}, better with {difference.wins} of {difference.seeds} seeds."
        )
    sentences += [f"Failed: {where}: {why}" for where, why in comparison.problems.items()]
    return Section(
        f"Verdicts: {comparison.task}",
        "A difference counts when chance alone would rarely make one as large, over new seeds and new items.",
        sentences=sentences,
        figures=[Figure(f"differences-{comparison.id}", _differences(comparison), _about_differences(comparison))],
        tables=[comparison.verdict_table()],
    )


def _differences(comparison: Comparison) -> str:
    rows = {}
    for variant in comparison.variants[1:]:
        difference = variant.whole.difference
        if difference is None:
            continue
        scale = 100.0
        values = [difference.mean, *(difference.interval or ()), *difference.seed_differences]
        if comparison.metric.logarithmic:
            values = [float(np.expm1(value)) for value in values]
        elif comparison.metric.name != "accuracy":
            scale = 1.0
        shown = [scale * value for value in values]
        interval = (shown[1], shown[2]) if difference.interval else None
        rows[variant.name] = Mark(shown[0], interval, tuple(shown[3 if interval else 1 :]))
    label = {"accuracy": "accuracy, points", "perplexity": "perplexity, %"}.get(
        comparison.metric.name, comparison.metric.name
    )
    label = f"difference of {label} from {comparison.variants[0].name}"
    return draw(Differences(rows, label, comparison.metric.better))


def _about_differences(comparison: Comparison) -> str:
    return (
        f"Differences from {comparison.variants[0].name}, with 95% intervals; each dot is one seed."
        " An interval that leaves out zero may still not be a difference once all variants are counted (Holm)."
    )


def _parts(comparison: Comparison) -> Section:
    names = list(comparison.variants[0].parts)
    variants = {
        variant.name: [_mark(comparison, variant.parts[name]) for name in names] for variant in comparison.variants
    }
    baselines = {
        name: [_scaled(comparison, values.get(part)) for part in names] for name, values in comparison.baselines.items()
    }
    if comparison.task == "classifier":
        drawn = draw(Bars(names, variants, "accuracy on test, %", baselines))
        caption = "Accuracy on all test items, on those that train has word for word, and on those it has not."
        title, lead = "Seen and unseen", "Accuracy on seen items measures memory; on unseen items, what was learned."
    else:
        drawn = draw(Points(names, variants, comparison.metric.name, baselines, log=comparison.metric.logarithmic))
        caption = f"{comparison.metric.name.capitalize()} of each test text, with 95% intervals; marks are baselines."
        title, lead = "Each text", "Every token of every text is scored once. Lower is better."
    figure = Figure(f"parts-{comparison.id}", drawn, caption)
    return Section(title, lead, figures=[figure], tables=comparison.part_tables())


def _mark(comparison: Comparison, part: Part) -> Mark:
    factor = 100.0 if comparison.metric.name == "accuracy" else 1.0
    interval = part.estimate.interval
    ends = (factor * comparison.value(interval[0]), factor * comparison.value(interval[1])) if interval else None
    return Mark(factor * comparison.value(part.estimate.mean), ends)


def _scaled(comparison: Comparison, value: float | None) -> float | None:
    return None if value is None else 100 * value if comparison.metric.name == "accuracy" else value


def _curves(comparison: Comparison, runs: Mapping[str, list[Run]]) -> Section:
    caption = "Mean over seeds; the band goes from the lowest seed to the highest."
    if comparison.task != "classifier":
        drawn = draw(Curves(_series(comparison, runs), "update", "perplexity of the test texts", log=True))
        return Section("Learning curves", figures=[Figure(f"curves-{comparison.id}", drawn, caption)])
    on_the_way = all(len(curve_of(run, comparison.metric)) > 1 for found in runs.values() for run in found)
    figures = []
    for key, label in (TEST if on_the_way else OTHERS).items():
        series = _series(comparison, runs, key)
        if series:
            drawn = draw(Curves(series, "epoch", label))
            figures.append(Figure(f"curves-{key.replace('_', '-')}-{comparison.id}", drawn, caption))
    lead = "" if on_the_way else "Test is measured once, at the end."
    return Section("Learning curves", lead, figures=figures)


def _series(comparison: Comparison, runs: Mapping[str, list[Run]], key: str = "") -> Series:
    """Every variant's curves of a figure; a classifier has several."""
    series = {}
    factor = 100.0 if key.endswith("accuracy") else 1.0
    for name, found in runs.items():
        curves = [curve_of(run, comparison.metric, key) for run in found]
        shortest = min(len(curve) for curve in curves)  # Early stopping ends curves at different places.
        if shortest:
            x = [at for at, _ in curves[0][:shortest]]
            series[name] = (x, [[factor * value for _, value in curve[:shortest]] for curve in curves])
    return series


def _confusions(comparison: Comparison, runs: Mapping[str, list[Run]]) -> Section:
    figures = []
    for name, found in runs.items():
        total = np.sum([run.result["test"]["confusion"] for run in found], axis=0)
        drawn = draw(Confusion(total.tolist(), found[0].record["labels"]))
        figures.append(Figure(f"confusion-{name}", drawn, f"{name}: test items by label and prediction, all seeds."))
    return Section("Which is taken for which", figures=figures)


def _settings(comparison: Comparison, runs: Mapping[str, list[Run]]) -> Section:
    first = {name: found[0] for name, found in runs.items()}
    settings_given = [name for run in first.values() for name, value in run.settings.items() if value is not None]
    names = list(dict.fromkeys(settings_given))
    rows = [(name, *(str(run.settings.get(name)) for run in first.values())) for name in names]
    settings = Table("Settings", ("setting", *first), tuple(rows), words=1 + len(first))
    parts = {part: None for run in first.values() for part in run.record["parameters"]["components"]}
    counted = [
        (part, *(number(run.record["parameters"]["components"].get(part)) for run in first.values())) for part in parts
    ]
    counted.append(("total", *(number(run.record["parameters"]["total"]) for run in first.values())))
    parameters = Table("Parameters", ("part", *first), tuple(counted))
    one = next(iter(first.values()))
    some = one.record
    versions = Table("Versions", ("what", "version"), tuple(some["versions"].items()), words=2)
    return Section(
        "How to repeat it",
        f"Corpus {comparison.corpus}, fingerprint {comparison.fingerprint}; on {some['machine']['platform']}.",
        code=repeat_command(comparison, one.source),
        tables=[parameters, settings, versions],
    )


def repeat_command(comparison: Comparison, source: str | None) -> str:
    """The command that makes this comparison again."""
    import shlex

    if source is None:
        raise InputError(f"The comparison {comparison.id} does not say how its corpus was loaded.")
    words = ["oratory", "compare"]
    for variant in comparison.variants:
        settings = " ".join(f"{key}={value}" for key, value in variant.settings.items()) or "base"
        spelled = Variant(variant.name, variant.settings).spelled
        words.append(variant.name if spelled else f"{variant.name}: {settings}")
    words += ["--task", comparison.task, "--seeds", write_seeds(comparison.seeds)]
    for key, value in comparison.settings.items():
        words += ["--model", value] if key == "model" else ["--set", f"{key}={value}"]
    return shlex.join([*words, "--data", source])
