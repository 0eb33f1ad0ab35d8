"""Continuing a run that was stopped."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from oratory import __version__
from oratory.errors import InputError
from oratory.mechanisms.recorded import PluginFile
from oratory.model.config import plugins_of
from oratory.runs.events import RunListener, ignore
from oratory.runs.record import ADDED, NOT_IDENTITY
from oratory.runs.run import Run
from oratory.runs.store import Store
from oratory.text import Corpus
from oratory.training.origins import prepare
from oratory.training.prepared import Prepared


def resume(
    name: str,
    *,
    runs: str | os.PathLike[str] | None = None,
    task: str | None = None,
    corpus: Corpus | None = None,
    settings: Mapping[str, str] | None = None,
    seed: int | None = None,
    listen: RunListener | None = None,
) -> Run:
    """Continue a run by its id, or the `last` one that is not finished. Whatever else is given must agree with it."""
    store = Store(runs)  # A name that no run has is refused before torch is loaded.
    run = _unfinished(store, task) if name == "last" else store.open(name)

    from oratory.execution.train import execute

    run.config  # noqa: B018 - refuses mechanisms that are not loaded or have changed, and says which plugin has them
    if corpus is None:
        corpus = run.load_corpus()
    given = {**run.record.given, **(settings or {})}
    _check_given(run, given)
    prepared = prepare(run.record.task, corpus, given, run.seed)
    _check_same(run, prepared, task, seed)
    return execute(prepared, store, run.record.given, listen or ignore)


def _unfinished(store: Store, task: str | None) -> Run:
    for entry in store.entries():
        if entry.status == "interrupted" and task in (None, entry.task):
            return store.open(entry.id)
    raise InputError(f"There is no {task or ''} run in {store.folder} that can continue.".replace("  ", " "))


def _check_given(run: Run, given: Mapping[str, str]) -> None:
    """Refuse other settings than those of the run before anything is made of them."""
    done = run.origin.complete(run.task, given).settings
    differs = _differences(
        run.origin.compared(run.settings), {name: value for name, value in done.items() if name in given}
    )
    if differs:
        raise InputError(f"The run {run.id} cannot continue like this: in it, {'; '.join(differs)}.")


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between the settings of a run and those that it would continue with."""
    ignored = (*NOT_IDENTITY, "train.device", "vocabulary")
    return [
        f"{name} is {before.get(name)}, not {value}"
        for name, value in now.items()
        if name not in ignored and before.get(name, ADDED.get(name)) != value
    ]


def _check_same(run: Run, prepared: Prepared, task: str | None, seed: int | None) -> None:
    """Refuse to continue with anything but the same run, and say what differs."""
    from oratory.execution.machine import device_of
    from oratory.training.parallel import process_count

    differs = []
    if task not in (None, run.record.task):
        differs.append(f"the task is {run.record.task}, not {task}")
    if seed not in (None, run.seed):
        differs.append(f"the seed is {run.seed}, not {seed}")
    known = run.fingerprint
    if known != prepared.fingerprint:
        differs.append(f"the corpus has the fingerprint {known}, not {prepared.fingerprint}")
    differs += _differences(run.settings, prepared.settings)
    device = device_of(prepared.training.device).type
    if run.settings.get("train.device") != device:
        differs.append(f"train.device is {run.settings.get('train.device')}, not {device}")
    if _identities(run.record.plugins) != _identities(map(PluginFile.of, plugins_of(prepared.config))):
        files = " and ".join(plugin.name for plugin in run.record.plugins) or "no plugin"
        differs.append(f"the mechanisms are those of {files}")
    if run.record.versions["oratory"] != __version__:
        differs.append(f"it was begun by Oratory {run.record.versions['oratory']}, and this is {__version__}")
    if run.record.machine.processes != process_count():
        differs.append(f"it has {run.record.machine.processes} processes, not {process_count()}")
    if differs:
        raise InputError(f"The run {run.id} cannot continue like this: in it, {'; '.join(differs)}.")


def _identities(plugins: Iterable[PluginFile]) -> list[dict[str, str]]:
    return [plugin.identity() for plugin in plugins]
