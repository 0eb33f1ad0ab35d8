"""Results that the store keeps: listed, loaded again, and written as reports."""

from collections.abc import Callable, Mapping
from pathlib import Path

from oratory.api.runs import load_run
from oratory.api.shared import AnyPath
from oratory.comparisons import Comparison, load_comparison
from oratory.comparisons.atlas import Atlas, AtlasRecord, Stacks, load_atlas
from oratory.comparisons.ensembles import Ensemble, EnsembleRecord, load_ensemble
from oratory.comparisons.facts import ResultFacts
from oratory.comparisons.record import ComparisonRecord
from oratory.comparisons.scales import Scale, ScaleRecord, load_scale
from oratory.errors import InputError, unknown
from oratory.recipes import HandResult, Reproduction, load_reproduction, recipe_names
from oratory.reports.results import write_report
from oratory.runs import Run, Store
from oratory.runs.results import KeptResults, StoredResult
from oratory.searches.make import load_search
from oratory.searches.record import SearchRecord
from oratory.searches.result import Search

Result = Run | Comparison | Atlas | Stacks | Ensemble | Scale | Search | Reproduction | HandResult
LOADERS: Mapping[type[StoredResult], Callable[[str, Store], Result]] = {
    ComparisonRecord: load_comparison,
    AtlasRecord: load_atlas,
    EnsembleRecord: load_ensemble,
    ScaleRecord: load_scale,
    SearchRecord: load_search,
}
"""How each kind of result is worked out again from what the store keeps of it."""


def load_result(name: str, runs: AnyPath | None = None) -> Result:
    """A run, or a result that was made of runs, by its id or its beginning; or a recipe that was run, by its name."""
    store = Store(runs)
    if name in recipe_names():
        return load_reproduction(name, store)
    loaders = {each: load for record, load in LOADERS.items() for each in record.names(store)}
    if name == "last" or store.has(name) or store.called(name):
        return load_run(name, runs)
    found = [name] if name in loaders else [*(each for each in loaders if each.startswith(name)), *store.matching(name)]
    if not found or not name:
        known = [*loaders, *recipe_names(), *store.matching("")]
        raise unknown("run, comparison, atlas, ensemble, scale, search or recipe", name, known)
    if len(found) > 1:
        some = ", ".join(sorted(found)[:5])
        raise InputError(f"{name!r} begins {len(found)} ids: {some}; write more of it.")
    if found[0] in loaders:
        return loaders[found[0]](found[0], store)
    return store.current(store.open(found[0]))


def list_results(runs: AnyPath | None = None) -> KeptResults:
    """The results that a store keeps besides its runs, the newest first, with the ids that `report` takes."""
    store = Store(runs)
    found = [entry for record in LOADERS for entry in record.entries(store)]
    return KeptResults(tuple(sorted(found, key=lambda entry: entry.created, reverse=True)))


def report(
    result: Result | str,
    path: AnyPath | None = None,
    runs: AnyPath | None = None,
) -> tuple[Path, ...]:
    """Write a report on a result, or on one of the store by its name; the files, the main one first.

    The suffix of the path says what kind: .html, .pdf, .md, .tex or .csv; a name without one is a folder for all.
    """
    found = load_result(result, runs) if isinstance(result, str) else result
    looked_into = found.all_runs() if isinstance(found, ResultFacts) else [found] if isinstance(found, Run) else []
    for run in looked_into:  # Recipes have no plugins.
        run.check_plugins()
    return write_report(found, path if path is not None else f"{name_of(found)}.html")


def name_of(result: Result) -> str:
    """The name that a result has in the store."""
    return result.recipe.name if isinstance(result, Reproduction | HandResult) else result.id
