"""Going on with a run that was stopped."""

import os
from collections.abc import Mapping

from oratory import __version__
from oratory.errors import InputError
from oratory.runs.execute import Listener, checked, execute, nobody, plugins_of
from oratory.runs.machine import device_of
from oratory.runs.model import config_of
from oratory.runs.record import NOT_IDENTITY, Run
from oratory.runs.store import Store
from oratory.text import Corpus
from oratory.training import Prepared, prepare
from oratory.training.parallel import crew_size


def resume(
    name: str,
    *,
    runs: str | os.PathLike[str] | None = None,
    task: str | None = None,
    corpus: Corpus | None = None,
    settings: Mapping[str, str] | None = None,
    seed: int | None = None,
    listen: Listener | None = None,
) -> Run:
    """Go on with a run by its id, or with the `last` one that is not finished. What is given besides must agree."""
    store = Store(runs)
    run = _unfinished(store, task) if name == "last" else store.open(name)
    checked(run)
    config_of(run)  # Which refuses mechanisms that are not loaded, and says whose they are.
    if corpus is None:
        corpus = run.load_corpus()
    given = {**run.record["given"], **(settings or {})}
    prepared = prepare(run.task, corpus, given, run.seed)
    _check_same(run, prepared, task, seed)
    return execute(prepared, store, run.record["given"], listen or nobody)


def _unfinished(store: Store, task: str | None) -> Run:
    for entry in store.entries():
        if entry.status == "interrupted" and task in (None, entry.task):
            return store.open(entry.id)
    raise InputError(f"There is no {task or ''} run in {store.folder} that waits to go on.".replace("  ", " "))


def _check_same(run: Run, prepared: Prepared, task: str | None, seed: int | None) -> None:
    """Refuse to go on with anything but the same run, and say what differs."""
    differs = []
    if task not in (None, run.task):
        differs.append(f"the task is {run.task}, not {task}")
    if seed not in (None, run.seed):
        differs.append(f"the seed is {run.seed}, not {seed}")
    known = run.record["corpus"]["fingerprint"]
    if known != prepared.fingerprint:
        differs.append(f"the corpus has the fingerprint {known}, not {prepared.fingerprint}")
    for name, value in prepared.settings.items():
        before = run.settings.get(name)
        if name not in (*NOT_IDENTITY, "train.device", "vocabulary") and before != value:
            differs.append(f"{name} is {before}, not {value}")
    device = device_of(prepared.training.device).type
    if run.settings["train.device"] != device:
        differs.append(f"train.device is {run.settings['train.device']}, not {device}")
    if run.record["plugins"] != plugins_of(prepared.config):
        files = " and ".join(entry["name"] for entry in run.record["plugins"]) or "no plugin"
        differs.append(f"the mechanisms are those of {files} as it was then")
    if run.record["versions"]["oratory"] != __version__:
        differs.append(f"it was begun by Oratory {run.record['versions']['oratory']}, and this is {__version__}")
    if run.record["machine"]["processes"] != crew_size():
        differs.append(f"it has {run.record['machine']['processes']} processes, not {crew_size()}")
    if differs:
        raise InputError(f"The run {run.id} cannot go on like this: in it, {'; '.join(differs)}.")
