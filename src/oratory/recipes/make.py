"""Running a recipe: its variants with its seeds, and its figures beside the published ones."""

import json
from collections.abc import Mapping

from oratory.comparisons import Comparison, Design, compare, evaluate
from oratory.comparisons.make import Listener, Runs, train_all
from oratory.errors import InputError
from oratory.execution.jobs import Executor, Job
from oratory.files import read_text, write_text
from oratory.recipes.grid import choose
from oratory.recipes.our_figure import VariantRuns
from oratory.recipes.plan import PlannedRecipe
from oratory.recipes.read import load_recipe
from oratory.recipes.recipe import BEST
from oratory.recipes.reference_row import ReferenceRow
from oratory.recipes.reproduction import Reproduction
from oratory.recipes.studies import explain
from oratory.runs import Store
from oratory.text import reload_corpus

FOLDER = "reproductions"


def run_recipe(
    planned: PlannedRecipe, store: Store, executor: Executor, listen: Listener | None = None
) -> Reproduction:
    """Train the runs that the store does not have, and compare with the reports. The same call again continues."""
    recipe, comparison = planned.recipe, None
    if recipe.is_compared:
        comparison = compare(_design(planned), store, executor, listen)
        runs: Runs = {
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
        runs, problems = train_all(jobs, planned.corpus, store, executor, listen)
    made = _reproduction(planned, runs, problems, comparison, store)
    _write(made, runs, store)
    return made


def _design(planned: PlannedRecipe) -> Design:
    recipe = planned.recipe
    return Design(recipe.task, planned.corpus, recipe.variants, planned.seeds, recipe.settings)


def _reproduction(
    planned: PlannedRecipe, runs: Runs, problems: Mapping[str, str], comparison: Comparison | None, store: Store
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
        comparison=comparison,
        grid=grid,
        study=explain(recipe.study, finished, corpus) if recipe.study else None,
        problems=dict(problems),
        store=store,
    )


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


def _write(made: Reproduction, runs: Runs, store: Store) -> None:
    """Write down what was run, so that a report on it can be made at any time."""
    kept = {
        "format": 1,
        "recipe": made.recipe.name,
        "changes": dict(made.recipe.changes or {}),
        "corpus": {"fingerprint": made.fingerprint, "source": made.source},
        "seeds": list(made.seeds),
        "runs": {name: [run.id if run else None for run in found] for name, found in runs.items()},
        "problems": dict(made.problems),
    }
    write_text(store.folder / FOLDER / f"{made.recipe.name}.json", json.dumps(kept, indent=1, ensure_ascii=False))


def load_reproduction(name: str, store: Store) -> Reproduction:
    """What a recipe showed when it was last run, computed again from its runs."""
    recipe = load_recipe(name)
    path = store.folder / FOLDER / f"{name}.json"
    if not path.exists():
        raise InputError(f"The recipe {name} was not run into {store.folder} yet; oratory reproduce {name} does that.")
    kept = json.loads(read_text(path))
    corpus = reload_corpus("reproduction", name, kept["corpus"]["source"], kept["corpus"]["fingerprint"])
    planned = PlannedRecipe(recipe.changed(kept["changes"]), corpus, tuple(kept["seeds"]))
    runs = {variant: [store.open(run) if run else None for run in found] for variant, found in kept["runs"].items()}
    comparison = None
    if planned.recipe.is_compared:
        comparison = evaluate(_design(planned), runs, kept["problems"], store)
    return _reproduction(planned, runs, kept["problems"], comparison, store)
