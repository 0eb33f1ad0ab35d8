"""The report on a comparison: verdicts first, then everything they rest on."""

from collections.abc import Mapping, Sequence

from oratory import __version__
from oratory.comparisons import Comparison
from oratory.comparisons.comparison import NONE, UNPAIRED
from oratory.pictures import Curves, Differences, Drawn, Mark, Topic
from oratory.reports.command import command_of
from oratory.reports.document import Document, Section, document_of, section_of
from oratory.reports.standing import standing_topic
from oratory.runs import Run
from oratory.tables import Table, counted, number
from oratory.training.config import EVAL_TRAIN
from oratory.training.setting import shown
from oratory.training.tasks.results import Curve, History

FinishedRuns = Mapping[str, Sequence[Run]]
Series = dict[str, tuple[list[float], list[list[float]]]]


@document_of.register
def comparison_document(comparison: Comparison) -> Document:
    """Everything that a reader needs to believe the verdicts, or not to."""
    title = f"{', '.join(variant.name for variant in comparison.variants)}: {comparison.task} on {comparison.corpus}"
    lead = (
        f"{len(comparison.variants)} variants, each trained with the same {comparison.seeds_said}: same initial "
        "values where parameters are shared, same batches. Every verdict is a paired test over seeds and items."
    )
    footer = f"Made by Oratory {__version__} from {comparison.id}."
    return Document(title, lead, comparison_sections(comparison), footer)


def comparison_sections(comparison: Comparison) -> list[Section]:
    """The parts of a report on one comparison; the last one says how to repeat it."""
    runs, results = comparison.runs(), comparison.task.results
    labels = next(run.labels for found in runs.values() for run in found)
    compared = results.compared({name: [run.result for run in found] for name, found in runs.items()}, labels)
    parts = comparison.part_tables()
    topics = [
        _verdicts(comparison),
        standing_topic(comparison.standing, *parts),
        curves_topic(runs, comparison.id),
        *compared,
    ]
    return [section_of(topic) for topic in (*topics, _settings(comparison, runs))]


def _verdicts(comparison: Comparison) -> Topic:
    first, metric = comparison.variants[0].name, comparison.metric
    sentences, rows = [], {}
    for variant in comparison.variants[1:]:
        difference = variant.whole.difference
        if difference is None:
            sentences.append(f"{variant.name}: {NONE} ({variant.no_verdict or UNPAIRED}).")
            continue
        sentences.append(
            f"{variant.name}: {comparison.verdict_text(variant)}; {metric.show_difference(difference.mean)} "
            f"against {first}, better with {difference.wins} of {counted(difference.seeds, 'seed')}."
        )
        plot = metric.plotted_difference
        interval = (plot(difference.interval[0]), plot(difference.interval[1])) if difference.interval else None
        rows[variant.name] = Mark(plot(difference.mean), interval, tuple(map(plot, difference.seed_differences)))
    picture = Differences(rows, f"difference of {metric.difference_label} from {first}", metric.better)
    caption = (
        f"Differences from {first}, with 95% intervals; each dot is one seed. An interval that leaves out zero may "
        "still not be a difference once all variants are counted (Holm)."
    )
    return Topic(
        f"Verdicts: {comparison.task}",
        "A difference counts when chance alone would rarely make one as large, over new seeds and new items. "
        f"{comparison.new_items}",
        sentences=tuple(sentences),
        figures=(Drawn(f"differences-{comparison.id}", picture, caption),) if rows else (),
        tables=(comparison.verdict_table(),),
    )


def curves_topic(runs: FinishedRuns, name: str) -> Topic:
    """The learning curves of variants, with bands over their seeds; all are runs of one task."""
    results = next(run for found in runs.values() for run in found).task.results
    histories = {name: [run.history() for run in found] for name, found in runs.items()}
    curves, lead = results.compared_curves([history for found in histories.values() for history in found])
    caption = "Mean over seeds; the band goes from the lowest seed to the highest."
    figures = []
    for curve in curves:
        series = _series(curve, results.place, histories)
        if series:
            picture = Curves(series, results.place_label, curve.label, log=curve.log)
            figures.append(Drawn(f"curves-{curve.name}-{name}", picture, caption))
    return Topic("Learning curves", lead, figures=tuple(figures))


def _series(curve: Curve, place: str, histories: Mapping[str, Sequence[History]]) -> Series:
    """Every variant's curves of one figure."""
    series: Series = {}
    for name, found in histories.items():
        read = [
            [(float(entry[place]), value) for entry in history if (value := curve.value(entry)) is not None]
            for history in found
        ]
        shortest = min(map(len, read))  # Early stopping ends curves at different places.
        if shortest:
            xs = [at for at, _ in read[0][:shortest]]
            series[name] = (xs, [[value for _, value in points[:shortest]] for points in read])
    return series


def _settings(comparison: Comparison, runs: FinishedRuns) -> Topic:
    first = {name: found[0] for name, found in runs.items()}
    used = comparison.task.uses
    given = [name for run in first.values() for name, v in run.settings.items() if v is not None and used(name)]
    rows = [(name, *(shown(run.settings.get(name)) for run in first.values())) for name in dict.fromkeys(given)]
    # One variant may have been trained before, in a run that measured train on its way.
    differ = tuple(row for row in rows if len(set(row[1:])) > 1 and row[0] != EVAL_TRAIN)
    same = tuple(row[:2] for row in rows if len(set(row[1:])) == 1)
    settings = [Table("Settings that differ", ("setting", *first), differ, words=1 + len(first))] if differ else []
    settings.append(Table("Settings that all variants share", ("setting", "value"), same, words=2))
    counts = [run.record.parameters for run in first.values()]
    parts = dict.fromkeys(part for count in counts for part in count.components)
    counted = [(part, *(number(count.components.get(part)) for count in counts)) for part in parts]
    counted.append(("total", *(number(count.total) for count in counts)))
    parameters = Table("Parameters", ("part", *first), tuple(counted))
    record = next(iter(first.values())).record
    versions = Table("Versions", ("what", "version"), tuple(record.versions.items()), words=2)
    return Topic(
        "How to repeat it",
        f"Corpus {comparison.corpus}, fingerprint {comparison.fingerprint}; on {record.machine.platform}.",
        code=command_of(comparison),
        tables=(parameters, *settings, versions),
    )
