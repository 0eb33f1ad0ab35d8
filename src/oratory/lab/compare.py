"""Comparing from Python, with the report at hand."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from pathlib import Path
from typing import Any

from oratory.comparison import Comparison, Design, Executor, Local, Outcome, Step, load_comparison, parse_variants
from oratory.comparison import compare as make
from oratory.comparison.jobs import read_plugins
from oratory.comparison.search import Listener as SearchListener
from oratory.comparison.search import search
from oratory.comparison.search_design import SearchDesign
from oratory.comparison.tuning import SEEDS as TUNE_SEEDS
from oratory.comparison.tuning import Tuning
from oratory.errors import InputError
from oratory.report import write_report
from oratory.report.comparison import comparison_document
from oratory.runs import Interrupted, Store
from oratory.settings import as_text
from oratory.text import Corpus, as_loaded

Listener = Callable[[Step | Outcome], None]
Watch = Callable[[SearchDesign, str], AbstractContextManager[SearchListener]]
"""Begins to listen to a search, for the variant of that name."""


class Compared(Comparison):
    """A comparison that can write a report about itself."""

    store: Store

    @classmethod
    def of(cls, comparison: Comparison, store: Store) -> "Compared":
        """The same facts, and the store that has the runs."""
        made = cls(**{field.name: getattr(comparison, field.name) for field in fields(comparison)})
        object.__setattr__(made, "store", store)
        return made

    def report(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write a report; the suffix says what kind, and a folder gets all of them."""
        return write_report(comparison_document(self, self.store), path)


def compare(
    *variants: str,
    task: str = "classifier",
    corpus: Corpus | str | os.PathLike[str] = "sotu",
    seeds: int | Sequence[int] = 5,
    settings: Mapping[str, Any] | None = None,
    runs: str | os.PathLike[str] | None = None,
    on: str = "local",
    workers: int | None = None,
    plugins: Sequence[str | os.PathLike[str]] = (),
    listen: Listener | None = None,
    tune: Sequence[str] = (),
    tune_trials: int | None = None,
    tune_seeds: int = TUNE_SEEDS,
) -> Compared:
    """Train variants with the same seeds, and say whether they differ. The first one is the baseline.

    compare("position=learned", "position=rope", task="lm", seeds=10)

    With `tune`, such as `["train.lr=1e-4,1e-3"]`, each variant also stands at what is best for it on dev.
    """
    design = Design(
        task=task,
        corpus=as_loaded(corpus),
        variants=parse_variants(variants),
        seeds=tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds),
        settings=as_text(settings),
    )
    executor = executor_of(on, workers)
    if tune:
        tuning = Tuning.parse(tune, design, tune_trials, tune_seeds)
        design = tune_design(design, tuning, runs, executor, plugins=plugins)
    return compare_design(design, runs, executor, listen, plugins)


def _silent(search: SearchDesign, variant: str) -> AbstractContextManager[SearchListener]:
    return nullcontext(lambda event: None)


def tune_design(
    design: Design,
    tuning: Tuning,
    runs: str | os.PathLike[str] | None,
    executor: Executor,
    watch: Watch = _silent,
    plugins: Sequence[str | os.PathLike[str]] = (),
) -> Design:
    """The design with every variant at what a search found for it, too."""
    store = Store(runs)
    searches = tuning.searches(design, read_plugins(plugins))
    for wanted in searches:
        wanted.check()  # All of them, before the first is trained.
    found = []
    for variant, wanted in zip(design.variants, searches, strict=True):
        with watch(wanted, variant.name) as listen:
            found.append(search(wanted, store, executor, listen))
    return tuning.tuned(design, found)


def compare_design(
    design: Design,
    runs: str | os.PathLike[str] | None,
    executor: Executor,
    listen: Listener | None = None,
    plugins: Sequence[str | os.PathLike[str]] = (),
) -> Compared:
    """Make a comparison that was designed."""
    store = Store(runs)
    try:
        return Compared.of(make(design, store, executor, listen, read_plugins(plugins)), store)
    except KeyboardInterrupt:
        raise Interrupted("Stopped, and every run was saved. The same command goes on from there.") from None


def reopen(name: str, runs: str | os.PathLike[str] | None = None) -> Compared:
    """A comparison of the store, by its id."""
    store = Store(runs)
    return Compared.of(load_comparison(name, store), store)


def executor_of(on: str, workers: int | None = None) -> Executor:
    """Who gets the runs done: this machine, or Ray."""
    if workers is not None and workers < 1:
        raise InputError(f"--workers {workers}: at least one is needed.")
    if on == "local":
        return Local(workers)
    if on == "ray" or on.startswith("ray://"):
        from oratory.comparison.ray import OnRay

        return OnRay(None if on == "ray" else on, workers)
    raise InputError(f"There is no place {on!r} to train on. Known: local, ray, ray://HOST:PORT.")
