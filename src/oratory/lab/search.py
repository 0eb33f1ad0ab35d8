"""Searching from Python, with the report at hand."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from oratory.comparison import Executor
from oratory.comparison.jobs import read_plugins
from oratory.comparison.search import Listener, load_search
from oratory.comparison.search import search as make
from oratory.comparison.search_design import AT_ONCE, SEEDS, SearchDesign, kinds_of
from oratory.comparison.search_facts import Search
from oratory.comparison.search_space import Space
from oratory.lab.compare import executor_of
from oratory.report import write_report
from oratory.report.search import search_document
from oratory.runs import Store
from oratory.settings import as_text
from oratory.text import Corpus, as_loaded


class Searched(Search):
    """A search that can write a report about itself."""

    @classmethod
    def of(cls, found: Search) -> "Searched":
        """The same facts."""
        return cls(**{field.name: getattr(found, field.name) for field in fields(found)})

    def report(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write a report; the suffix says what kind, and a folder gets all of them."""
        return write_report(search_document(self), path)


def search(
    *space: str,
    task: str = "classifier",
    corpus: Corpus | str | os.PathLike[str] = "sotu",
    method: str = "tpe",
    trials: int | None = None,
    seeds: int | Sequence[int] = SEEDS,
    settings: Mapping[str, Any] | None = None,
    runs: str | os.PathLike[str] | None = None,
    on: str = "local",
    workers: int | None = None,
    search_seed: int = 0,
    at_once: int = AT_ONCE,
    prune: bool = True,
    plugins: Sequence[str | os.PathLike[str]] = (),
    listen: Listener | None = None,
) -> Searched:
    """Search the settings that do best on dev, over several seeds each. Test is measured for the best ones alone.

    search("train.lr=1e-4..1e-2", "train.batch=16,32,64", trials=20, seeds=3)

    With `settings={"model": "minilm"}` that model is fine-tuned.
    """
    shared = as_text(settings)
    design = SearchDesign(
        task=task,
        corpus=as_loaded(corpus),
        space=Space.parse(space, kinds_of(task, shared)),
        method=method,
        trials=trials,
        seeds=tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds),
        settings=shared,
        search_seed=search_seed,
        at_once=at_once,
        prune=prune,
        plugins=read_plugins(plugins),
    )
    return search_design(design, runs, executor_of(on, workers), listen)


def search_design(
    design: SearchDesign,
    runs: str | os.PathLike[str] | None,
    executor: Executor,
    listen: Listener | None = None,
) -> Searched:
    """Make a search that was designed."""
    return Searched.of(make(design, Store(runs), executor, listen or (lambda event: None)))


def reopen(name: str, runs: str | os.PathLike[str] | None = None) -> Searched:
    """A search of the store, by its id."""
    return Searched.of(load_search(name, Store(runs)))
