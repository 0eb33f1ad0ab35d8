"""The report on a reproduction: ours beside the reference first, then everything it rests on."""

import shlex
from collections.abc import Mapping, Sequence

from oratory import __version__
from oratory.comparison import write_seeds
from oratory.pictures import Along, Beside, ReferenceMark
from oratory.recipes.facts import Reproduction, Row
from oratory.recipes.quantity import ACCURACIES, Quantity, curves_of
from oratory.recipes.recipe import SPEECHES
from oratory.report import Document, Figure, Section, draw
from oratory.report.comparison import comparison_sections
from oratory.runs import Run, Store
from oratory.tables import Table


def reproduction_document(made: Reproduction, store: Store) -> Document:
    """The report as a document."""
    sections = [_beside(made)]
    runs = {name: [store.open(run) for run in found] for name, found in made.runs.items()}
    drawn = _along(made, runs)
    if drawn:
        caption = (
            "Lines are ours, mean over seeds with the band from the lowest to the highest; marks are the report's."
        )
        sections.append(Section("Along training", caption, figures=drawn, tables=made.reference_tables()[-1:]))
    if made.explained:
        sections.append(
            Section("The explanation", sentences=made.explained.sentences(), tables=made.explained.tables())
        )
    if made.comparison:
        sections += comparison_sections(made.comparison, store)
    else:
        sections.append(_settings(made, runs))
    sections.append(_again(made))
    footer = f"Made by Oratory {__version__} from the recipe {made.recipe.name}."
    return Document(made.recipe.title, made.recipe.about, sections, footer)


def _beside(made: Reproduction) -> Section:
    ends = [row for row in made.rows if row.at is None]
    tables = made.reference_tables()[:1] if ends else []
    tables += [*([made.grid.table()] if made.grid else []), made.parameter_table()]
    lead = f"Corpus {made.corpus}, {len(made.seeds)} seeds."
    return Section("Ours beside the reference", lead, made.sentences(), _places(made, ends), tables)


def _places(made: Reproduction, rows: Sequence[Row]) -> list[Figure]:
    """Where each reference lies, seen from our mean: accuracies in points, all else in percent of ours."""
    drawn = []
    for accuracies in (True, False):
        chosen = [
            row
            for row in rows
            if row.ours
            and not row.quantity.exact
            and (row.quantity.kind in ACCURACIES) == accuracies
            # What is a thousand times ours would leave no room for anything else.
            and row.reference < 10 * row.ours.mean
        ]
        if not chosen:
            continue
        marks = {f"{row.variant}, {row.quantity.words} ({row.source})": _mark(row, accuracies) for row in chosen}
        unit = "points" if accuracies else "%"
        what = "accuracy" if accuracies else "figure"
        caption = f"Where each {what} of the report lies, seen from our mean."
        drawn.append(Figure(f"beside-{what}", draw(Beside(marks, f"difference from our mean, {unit}")), caption))
    return drawn


def _mark(row: Row, points: bool) -> ReferenceMark:
    assert row.ours is not None
    mean = row.ours.mean

    def off(value: float) -> float:
        return value - mean if points else 100 * (value / mean - 1)

    def ends(interval: tuple[float, float] | None) -> tuple[float, float] | None:
        return None if interval is None else (off(interval[0]), off(interval[1]))

    return ReferenceMark(off(row.reference), ends(row.ours.interval), ends(row.ours.prediction), not row.reason)


def _along(made: Reproduction, runs: Mapping[str, Sequence[Run]]) -> list[Figure]:
    """A picture for every figure that the reports follow along training."""
    quantities: dict[Quantity, dict[str, tuple[list[float], list[float]]]] = {}
    for row in made.rows:
        if row.at is not None:
            xs, ys = quantities.setdefault(row.quantity, {}).setdefault(row.variant, ([], []))
            xs.append(row.at)
            ys.append(row.reference)
    drawn = []
    for quantity, points in quantities.items():
        series = {name: curves_of(quantity, found) for name, found in runs.items()}
        name = f"{quantity.words}, {quantity.unit}" if quantity.unit else quantity.words
        xlabel = "update" if quantity.logarithmic else "epoch"
        picture = draw(Along(series, points, xlabel, name, log=quantity.logarithmic))
        drawn.append(
            Figure(
                f"along-{quantity}", picture, f"{quantity.words} along training, ours and the report's.".capitalize()
            )
        )
    return drawn


def _settings(made: Reproduction, runs: Mapping[str, Sequence[Run]]) -> Section:
    first = runs[next(iter(made.parameters))][0]  # Of a grid, the best.
    rows = tuple((name, str(value)) for name, value in first.settings.items() if value is not None)
    settings = Table("Settings", ("setting", "value"), rows, words=2)
    versions = Table("Versions", ("what", "version"), tuple(first.record["versions"].items()), words=2)
    lead = f"Corpus {made.corpus}, fingerprint {made.fingerprint}; on {first.record['machine']['platform']}."
    return Section("Settings", lead, tables=[settings, versions])


def _again(made: Reproduction) -> Section:
    words = ["oratory", "reproduce", made.recipe.name, "--seeds", write_seeds(made.seeds)]
    for name, value in (made.recipe.changes or {}).items():
        words += ["--set", f"{name}={value}"]
    if made.source:
        words += ["--data", made.source]
    need = "The reference speeches have to be at hand." if made.recipe.data == SPEECHES else ""
    return Section("The recipe", need, code=shlex.join(words))
