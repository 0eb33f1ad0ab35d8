"""Running a recipe: its variants with its seeds, and its figures beside those of the reports."""

import json
from collections.abc import Callable, Mapping, Sequence

from oratory.comparison import Comparison, Design, Executor, Job, Outcome, Step, compare, evaluate
from oratory.comparison.make import train_all
from oratory.comparison.matrices import Measure, measures_of, metric_of
from oratory.errors import InputError
from oratory.files import read_text, write_text
from oratory.recipes.facts import Reproduction, Row
from oratory.recipes.grid import choose
from oratory.recipes.quantity import ours
from oratory.recipes.recipe import BEST, Recipe, load_recipe
from oratory.recipes.reweight import explain
from oratory.runs import Run, Store
from oratory.text import Corpus, reload_corpus

FOLDER = "reproductions"

Runs = Mapping[str, Sequence[Run | None]]


def make(
    recipe: Recipe,
    corpus: Corpus,
    seeds: Sequence[int],
    store: Store,
    executor: Executor,
    listen: Callable[[Step | Outcome], None] | None = None,
) -> Reproduction:
    """Train what the store has not, and put it beside the reports. The same call again goes on where it stopped."""
    if _is_compared(recipe):
        design = Design(recipe.task, corpus, recipe.variants, tuple(seeds), recipe.settings)
        comparison = compare(design, store, executor, listen)
        runs: Runs = {
            variant.name: [None if run is None else store.open(run) for run in variant.runs]
            for variant in comparison.variants
        }
        made = _shown(recipe, corpus, tuple(seeds), runs, comparison.problems, comparison)
    else:
        jobs = [
            Job(variant.name, recipe.task, recipe.of(variant), seed) for seed in seeds for variant in recipe.variants
        ]
        runs, problems = train_all(jobs, corpus, store, executor, listen)
        made = _shown(recipe, corpus, tuple(seeds), runs, problems, None)
    _write(made, runs, store)
    return made


def _is_compared(recipe: Recipe) -> bool:
    """Whether verdicts are wanted: not where there is nothing to compare with, nor where dev chooses from a grid."""
    return recipe.grid is None and len(recipe.variants) > 1


def _shown(
    recipe: Recipe,
    corpus: Corpus,
    seeds: tuple[int, ...],
    runs: Runs,
    problems: Mapping[str, str],
    comparison: Comparison | None,
) -> Reproduction:
    """The facts, from runs that are there."""
    finished = {name: [run for run in found if run is not None] for name, found in runs.items()}
    grid = None if recipe.grid is None else choose(recipe, runs)
    best = grid.best.variant if grid and grid.best else None
    return Reproduction(
        recipe=recipe,
        corpus=corpus.name,
        fingerprint=corpus.fingerprint,
        source=corpus.source,
        seeds=seeds,
        runs={name: tuple(run.id for run in found) for name, found in finished.items()},
        rows=tuple(_rows(recipe, corpus, runs, finished, best)),
        parameters={
            name: {**found[0].record["parameters"]["components"], "total": found[0].record["parameters"]["total"]}
            for name, found in finished.items()
            if best in (None, name)
        },
        comparison=comparison,
        grid=grid,
        explained=explain(finished, corpus) if recipe.experiment == "reweight" else None,
        problems=dict(problems),
    )


def _rows(
    recipe: Recipe, corpus: Corpus, runs: Runs, finished: Mapping[str, Sequence[Run]], best: str | None
) -> list[Row]:
    """Every figure of the reports, with ours; `best` is the variant that was chosen on dev."""
    if not recipe.references:
        return []
    everywhere = recipe.not_comparable(corpus.fingerprint, corpus.name)
    measures: dict[str, dict[str, Measure]] = {}
    for name, found in runs.items():
        tokenizers = {run.settings["tokenizer"] for run in finished[name]}
        measures[name] = measures_of(metric_of(recipe.task, tokenizers), corpus, {name: found})
    rows = []
    for reference in recipe.references:
        quantity = reference.quantity
        variant = best if reference.variant == BEST else reference.variant
        called = reference.variant if variant in (None, reference.variant) else f"{BEST}: {variant}"
        for number, value in enumerate(reference.values):
            at = reference.at[number] if reference.at else None
            here = None if variant is None else ours(quantity, at, finished[variant], measures[variant], variant)
            rows.append(Row(reference.source, called, quantity, at, value, here, everywhere or reference.reason))
    return rows


def _write(made: Reproduction, runs: Runs, store: Store) -> None:
    """Write down what was run, so that a report can be made of it at any time."""
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
    """What a recipe showed when it was last run, worked out again from its runs."""
    recipe = load_recipe(name)
    path = store.folder / FOLDER / f"{name}.json"
    if not path.exists():
        raise InputError(f"The recipe {name} was not run into {store.folder} yet; oratory reproduce {name} does that.")
    kept = json.loads(read_text(path))
    corpus = reload_corpus("reproduction", name, kept["corpus"]["source"], kept["corpus"]["fingerprint"])
    recipe = recipe.changed(kept["changes"])
    runs = {variant: [store.open(run) if run else None for run in found] for variant, found in kept["runs"].items()}
    seeds, problems = tuple(kept["seeds"]), kept["problems"]
    comparison = None
    if _is_compared(recipe):
        comparison = evaluate(Design(recipe.task, corpus, recipe.variants, seeds, recipe.settings), runs, problems)
    return _shown(recipe, corpus, seeds, runs, problems, comparison)
