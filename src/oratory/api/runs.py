"""One run: trained, fine-tuned, prepared, loaded, and beside its baselines."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from oratory.api.shared import AnyPath
from oratory.comparisons.standing import Standing, standing_of_run, tested_corpus
from oratory.execution.jobs import AnyPlugin
from oratory.reports.progress import RunProgress, in_notebook
from oratory.runs import Run, RunListener, Store
from oratory.runs.given import as_given
from oratory.text import Corpus, as_loaded
from oratory.training.origins import origin_of
from oratory.training.origins import prepare as prepare_run
from oratory.training.prepared import Prepared


def train(
    task: str,
    corpus: Corpus | AnyPath = "sotu",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    runs: AnyPath | None = None,
    listen: RunListener | None = None,
    plugins: Sequence[AnyPlugin] = (),
) -> Run:
    """Train a model and keep its record. The same call again continues a run that was stopped.

        train("lm", "sotu", {"position": "rope", "train.lr": 3e-4}, seed=1)

    A run that is finished already is returned as it is: with the same settings, corpus and seed the result would be
    the same. `plugins` are files with mechanisms of your own, or their classes. A notebook shows a bar.
    """
    from oratory.execution.train import train as train_run

    with in_notebook(RunProgress, listen) as heard:
        return train_run(task, corpus, settings, seed, runs=runs, listen=heard, plugins=plugins)


def finetune(
    model: AnyPath = "minilm",
    corpus: Corpus | AnyPath = "sotu",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    task: str | None = None,
    runs: AnyPath | None = None,
    listen: RunListener | None = None,
) -> Run:
    """Fine-tune a run of one's own, or a published encoder: `minilm`, a folder, or the name of a model on the hub.

    A run is named by its id, by the beginning of it, or as `last`. What is trained is a classifier, unless `task` says
    otherwise.
    """
    given = as_given({"model": os.fspath(model), **(settings or {})}, Store(runs))
    return train(task or origin_of(given).served()[0].name, corpus, given, seed, runs=runs, listen=listen)


def prepare(
    task: str,
    corpus: Corpus | AnyPath = "sotu",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    runs: AnyPath | None = None,
) -> Prepared:
    """What `train` would train, with every setting and the number of parameters. Nothing is trained."""
    return prepare_run(task, as_loaded(corpus), as_given(settings, Store(runs)), seed)


def load_run(name: str = "last", runs: AnyPath | None = None) -> Run:
    """The run with this id, or whose id begins like this; `last` is the newest that is finished, if any is.

    The model of a run that is not finished is that of its last checkpoint; `run.unfinished` says so in a sentence.
    """
    store = Store(runs)
    return store.current(store.open(store.usable() if name == "last" else name))


def beside_baselines(run: Run) -> Standing:
    """A finished run and the baselines of its corpus on every part of test. Baselines are measured once, and kept."""
    return standing_of_run(run, tested_corpus(run))
