"""The report on a reproduction: our figures beside the published ones first, then everything they rest on."""

from collections.abc import Mapping, Sequence

from oratory import __version__
from oratory.comparisons import write_seeds
from oratory.pictures import ReferenceCurves, ReferenceDifferences, ReferenceMark
from oratory.recipes.our_figure import curves_of
from oratory.recipes.quantity import Quantity
from oratory.recipes.recipe import SPEECHES
from oratory.recipes.reference_row import ReferenceRow
from oratory.recipes.reproduction import Reproduction
from oratory.reports import Document, Figure, Section, draw
from oratory.reports.command import command_of, joined, set_words
from oratory.reports.comparison import comparison_sections
from oratory.reports.document import document_of, section_of
from oratory.reports.standing import standing_topic
from oratory.runs import Run
from oratory.tables import Table
from oratory.training.setting import shown

FAR = 10.0
"""A reference that is more than this many times ours is not drawn: it would leave no room for the others."""


@document_of.register
def reproduction_document(made: Reproduction) -> Document:
    """The report as a document."""
    runs = made.open_runs()
    sections = [_at_end(made)]
    if made.training_tables():
        caption = "Lines are our mean over seeds, with a band from the lowest seed to the highest. Marks are published."
        sections.append(Section("Along training", caption, (), _curves(made, runs), made.training_tables()))
    if made.study:
        study = made.study
        sections.append(Section(study.title, "", study.sentences(), study.pictures(), study.tables()))
    if made.comparison:
        sections += comparison_sections(made.comparison)
    else:
        sections += [section_of(standing_topic(made.standing))] if made.standing else []
        sections.append(_settings(made, runs))
    need = "It needs the reference speeches." if made.recipe.data == SPEECHES else ""
    sections.append(Section("The recipe", need, code=command_of(made)))
    footer = f"Made by Oratory {__version__} from the recipe {made.recipe.name}."
    return Document(made.recipe.title, made.recipe.about, sections, footer)


def _at_end(made: Reproduction) -> Section:
    tables = [*made.claim_tables(), *made.end_tables()]
    tables += [made.grid.table()] if made.grid else []
    tables.append(made.parameter_table())
    lead = f"Corpus {made.corpus}, {len(made.seeds)} seeds."
    return Section("Ours beside the reference", lead, made.sentences(), _marks(made), tables)


def _marks(made: Reproduction) -> list[Figure]:
    """Each reference at the end of training as a difference from our mean: a picture for each unit of differences."""
    rows = [row for row in made.rows if row.at is None and row.ours and not row.quantity.exact]
    drawn = []
    for what, unit in sorted({(row.quantity.noun, row.quantity.difference_unit) for row in rows}):
        chosen = [row for row in rows if row.quantity.noun == what]
        marks = {f"{row.variant}, {row.quantity.words} ({row.source})": _mark(row) for row in chosen if not _far(row)}
        if marks:
            picture = draw(ReferenceDifferences(marks, f"difference from our mean, {unit}"))
            drawn.append(Figure(f"beside-{what}", picture, f"Each published {what} as a difference from our mean."))
    return drawn


def _far(row: ReferenceRow) -> bool:
    return row.ours is not None and row.reference >= FAR * row.ours.mean


def _mark(row: ReferenceRow) -> ReferenceMark:
    ours = row.ours
    assert ours is not None

    def difference(value: float) -> float:
        return row.quantity.difference(value, ours.mean)

    def differences(interval: tuple[float, float] | None) -> tuple[float, float] | None:
        return None if interval is None else (difference(interval[0]), difference(interval[1]))

    interval, prediction = differences(ours.interval), differences(ours.prediction)
    return ReferenceMark(difference(row.reference), interval, prediction, not row.reason)


def _curves(made: Reproduction, runs: Mapping[str, Sequence[Run]]) -> list[Figure]:
    """A picture for every figure that is published along training."""
    published: dict[Quantity, dict[str, tuple[list[float], list[float]]]] = {}
    for row in made.rows:
        if row.at is not None:
            xs, ys = published.setdefault(row.quantity, {}).setdefault(row.variant, ([], []))
            xs.append(row.at)
            ys.append(row.reference)
    task, drawn = made.recipe.task, []
    for quantity, points in published.items():
        series = {name: curves_of(quantity, task, found) for name, found in runs.items()}
        picture = ReferenceCurves(
            series, points, task.results.place_label, quantity.label, log=quantity.metric.logarithmic
        )
        caption = f"{quantity.words} along training, ours and published.".capitalize()
        drawn.append(Figure(f"along-{quantity}", draw(picture), caption))
    return drawn


def _settings(made: Reproduction, runs: Mapping[str, Sequence[Run]]) -> Section:
    first = runs[next(iter(made.parameters))][0]  # The best one of a grid.
    kept = first.settings.items()
    rows = tuple((name, shown(value)) for name, value in kept if value is not None and first.task.uses(name))
    settings = Table("Settings", ("setting", "value"), rows, words=2)
    versions = Table("Versions", ("what", "version"), tuple(first.record.versions.items()), words=2)
    lead = f"Corpus {made.corpus}, fingerprint {made.fingerprint}; on {first.record.machine.platform}."
    return Section("Settings", lead, tables=[settings, versions])


@command_of.register
def _(made: Reproduction) -> str:
    words = ["oratory", "reproduce", made.recipe.name, "--seeds", write_seeds(made.seeds)]
    return joined([*words, *set_words(made.recipe.changes or {})], made.source)
