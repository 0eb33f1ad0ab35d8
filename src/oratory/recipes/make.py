"""Running a recipe: its variants with its seeds, and its figures beside the published ones."""

from collections.abc import Mapping

import oratory.recipes.document  # noqa: F401 - where there is a reproduction, there is its report
from oratory.comparisons import Comparison, Design, compare, evaluate
from oratory.comparisons.make import Listener, SeedRuns, problems_of, train_all
from oratory.comparisons.measures import measures_of
from oratory.comparisons.standing import Standing, standing_of
from oratory.execution.jobs import Executor, Job
from oratory.recipes.by_hand import HandResult
from oratory.recipes.claims import JudgedClaim, judge
from oratory.recipes.grid import choose
from oratory.recipes.our_figure import VariantRuns
from oratory.recipes.planning import PlannedRecipe
from oratory.recipes.read import load_any_recipe
from oratory.recipes.recipe import BEST, Recipe
from oratory.recipes.record import ReproductionRecord
from oratory.recipes.reference_row import ReferenceRow
from oratory.recipes.reproduction import Reproduction
from oratory.recipes.studies import explain
from oratory.runs import Store
from oratory.text import reload_corpus
from oratory.text.recorded import RecordedCorpus


def run_recipe(
    planned: PlannedRecipe, store: Store, executor: Executor, listen: Listener | None = None
) -> Reproduction:
    """Train the runs that the store does not have, and compare with the reports. The same call again continues."""
    recipe, comparison = planned.recipe, None
    if recipe.is_compared:
        comparison = compare(_design(planned), store, executor, listen)
        runs: SeedRuns = {
            variant.name: [None if run is None else store.open(run) for run in variant.runs]
            for variant in comparison.variants
        }
        problems = comparison.problems
    else:
        jobs = [
            Job(variant.name, recipe.task.name, recipe.of(variant), seed)
            for seed in planned.seeds
            for variant in recipe.variants
        ]
        runs, failed = train_all(jobs, planned.corpus, store, executor, listen)
        problems = problems_of(runs, failed)
    made = _reproduction(planned, runs, problems, comparison, store)
    record = ReproductionRecord(
        recipe=recipe.name,
        changes=dict(recipe.changes or {}),
        corpus=RecordedCorpus(made.corpus, made.fingerprint, made.source),
        seeds=made.seeds,
        runs={name: tuple(run.id if run else None for run in found) for name, found in runs.items()},
        problems=dict(made.problems),
    )
    record.write(store)
    return made


def _design(planned: PlannedRecipe) -> Design:
    recipe = planned.recipe
    return Design(recipe.task, planned.corpus, recipe.variants, planned.seeds, recipe.settings)


def _reproduction(
    planned: PlannedRecipe, runs: SeedRuns, problems: Mapping[str, str], comparison: Comparison | None, store: Store
) -> Reproduction:
    """Everything that the runs show."""
    recipe, corpus = planned.recipe, planned.corpus
    variants = {name: VariantRuns(name, found, recipe.task, corpus) for name, found in runs.items()}
    finished = {name: variant.finished for name, variant in variants.items()}
    grid = None if recipe.grid is None else choose(recipe, runs)
    best = grid.best.name if grid and grid.best else None
    return Reproduction(
        recipe=recipe,
        corpus=corpus.name,
        fingerprint=corpus.fingerprint,
        source=corpus.source,
        seeds=planned.seeds,
        runs={name: tuple(run.id for run in found) for name, found in finished.items()},
        rows=tuple(_rows(planned, variants, best)),
        parameters={
            name: {**found[0].record.parameters.components, "total": found[0].record.parameters.total}
            for name, found in finished.items()
            if best in (None, name)
        },
        standing=_standing(planned, runs, comparison, best, store),
        comparison=comparison,
        grid=grid,
        study=explain(recipe.study, finished, corpus, store.folder) if recipe.study else None,
        claims=_claims(planned, runs, comparison),
        problems=dict(problems),
        store=store,
    )


def _claims(planned: PlannedRecipe, runs: SeedRuns, comparison: Comparison | None) -> tuple[JudgedClaim, ...]:
    """What reports say of the variants, judged by the metric of the comparison."""
    if comparison is None or not planned.recipe.claims:
        return ()
    measure = measures_of(planned.recipe.task, comparison.metric, planned.corpus, runs)["all"]
    no_verdict = {variant.name: variant.no_verdict for variant in comparison.variants}
    return judge(planned.recipe.claims, measure, comparison.metric, no_verdict)


def _standing(
    planned: PlannedRecipe, runs: SeedRuns, comparison: Comparison | None, best: str | None, store: Store
) -> Standing | None:
    """The variants beside the baselines. Of a grid, only what dev chose is looked at on test."""
    if comparison is not None:
        return comparison.standing
    if planned.recipe.grid is not None:
        runs = {best: runs[best]} if best else {}
    return standing_of(planned.recipe.task, planned.corpus, runs, store.folder) if runs else None


def _rows(planned: PlannedRecipe, variants: Mapping[str, VariantRuns], best: str | None) -> list[ReferenceRow]:
    """Every published figure, with ours; `best` is the variant that was chosen on dev."""
    recipe, corpus = planned.recipe, planned.corpus
    everywhere = recipe.not_comparable(corpus.fingerprint, corpus.name)
    rows = []
    for reference in recipe.references:
        variant = best if reference.variant == BEST else reference.variant
        called = reference.variant if variant in (None, reference.variant) else f"{BEST}: {variant}"
        for value, at in zip(reference.values, reference.at or [None] * len(reference.values), strict=True):
            quantity, reason = reference.quantity, everywhere or reference.reason
            ours = None if variant is None else variants[variant].figure(quantity, at)
            rows.append(ReferenceRow(reference.source, called, quantity, at, value, ours, reason))
    return rows


def load_reproduction(name: str, store: Store) -> Reproduction | HandResult:
    """What a recipe showed when it was last run, computed again from its runs."""
    return load_any_recipe(name).load(store)


def loaded(recipe: Recipe, store: Store) -> Reproduction:
    """The same for a recipe that trains."""
    record = ReproductionRecord.read(recipe.name, store)
    corpus = reload_corpus("reproduction", recipe.name, record.corpus.source, record.corpus.fingerprint)
    planned = PlannedRecipe(recipe.changed(record.changes), corpus, record.seeds)
    runs = {variant: [store.open(run) if run else None for run in found] for variant, found in record.runs.items()}
    comparison = None
    if planned.recipe.is_compared:
        comparison = evaluate(_design(planned), runs, record.problems, store)
    return _reproduction(planned, runs, record.problems, comparison, store)
