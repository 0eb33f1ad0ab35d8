"""Training a run into the store: from the beginning, or from where it stopped."""

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from oratory import __version__
from oratory.errors import Failed, InputError
from oratory.execution.busy import advice, is_busy, time_threads
from oratory.execution.jobs import AnyPlugin, load_plugins
from oratory.execution.machine import asked_to_stop, keep_memory, place_of, threads, versions
from oratory.execution.recorder import Recorder, now, snapshot_steps
from oratory.files import write_bytes
from oratory.ids import id_of
from oratory.mechanisms.recorded import PluginFile
from oratory.model.config import plugins_of
from oratory.model.contract import ModelContract
from oratory.model.products import library
from oratory.runs.checkpoint import Checkpoint, latest_checkpoint
from oratory.runs.events import Ended, Interrupted, RunDiverged, RunListener, Started, ignore
from oratory.runs.given import as_given
from oratory.runs.record import (
    CHECKPOINTS,
    TOKENIZER,
    Machine,
    ParameterCount,
    Record,
    identity_of,
)
from oratory.runs.run import Run
from oratory.runs.store import Store
from oratory.text import Corpus, as_loaded
from oratory.text.recorded import RecordedCorpus
from oratory.tokens.unknown import unknown_remarks
from oratory.training.config import TrainConfig
from oratory.training.events import Stepped
from oratory.training.loop import Diverged, Fit
from oratory.training.origins import contract_of, prepare
from oratory.training.parallel import Processes, joined
from oratory.training.precision import slow_numbers
from oratory.training.prepared import Prepared
from oratory.training.tasks.task import Learning

STAY = 0
"""Sent to the other processes instead of a number of threads, if there is nothing to train."""


def train(
    task: str,
    corpus: Corpus | str | os.PathLike[str] = "sotu",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    runs: str | os.PathLike[str] | None = None,
    listen: RunListener | None = None,
    plugins: Sequence[AnyPlugin] = (),
) -> Run:
    """Train a model and keep its record. The same call again continues a run that was stopped.

        train("lm", "sotu", {"position": "rope", "train.lr": 3e-4}, seed=1)

    A run that is finished already is returned as it is: with the same settings, corpus and seed the result would be
    the same. `plugins` are files with mechanisms of your own, or their classes.
    """
    load_plugins(plugins)
    store = Store(runs)
    given = as_given(settings, store)
    return execute(prepare(task, as_loaded(corpus), given, seed), store, given, listen or ignore)


def execute(prepared: Prepared, store: Store, given: Mapping[str, str], listen: RunListener) -> Run:
    """Train what was prepared, unless the store has it. What is wrong with a model is in its record."""
    contract = contract_of(prepared.task, given)
    if contract is not None and contract.stops:
        raise InputError(contract.broken[0])
    device = place_of(prepared.training)
    keep_memory()
    # Outermost: a second Ctrl-C while the processes part ends this one at once, and does not interrupt the parting.
    with asked_to_stop() as asked, joined(device) as members, threads(prepared.training.threads):
        run = _new_run(prepared, store, given, members, device, contract)
        if not members.leads:
            return _follow(prepared, run, members, device, asked)
        if not _is_done(store, run):
            with store.hold(run.id):
                if not _is_done(store, run):  # By another process, a moment ago.
                    return _lead(prepared, store, _known(store, run), members, device, asked, listen)
        members.agree(STAY)
        run = _known(store, run)
        listen(Ended(run, again=True))
        return run


def _known(store: Store, run: Run) -> Run:
    """The run as the store has it, where it has it."""
    return Run.read(run.folder) if store.has(run.id) else run


def _is_done(store: Store, run: Run) -> bool:
    """Whether the store has the run, finished. One that diverged is not tried again."""
    found = _known(store, run)
    if found.status == "diverged":
        raise RunDiverged(f"The run {run.id} diverged before: {found.record.message} The same would happen again.")
    return store.has(run.id) and found.status == "finished"


def _lead(
    prepared: Prepared,
    store: Store,
    run: Run,
    members: Processes,
    device: torch.device,
    asked: Callable[[], bool],
    listen: RunListener,
) -> Run:
    """Train, and keep the record."""
    # Sums depend on how many threads share them, so a run continues with as many as it began with.
    torch.set_num_threads(int(members.agree(run.record.machine.threads)))
    prepared.tokenizer.save(run.folder / TOKENIZER)
    kept = prepared.files()
    for name, content in kept.items():
        write_bytes(run.folder / name, content)
    for plugin in plugins_of(prepared.config):
        write_bytes(run.folder / PluginFile.of(plugin).copy, plugin.content)
    learning = prepared.task.learning(prepared)
    run = run.write(status="running", facts=learning.facts())
    store.catalogue.put(run)
    recorder = Recorder(run, kept)
    try:
        fit = _fit(prepared, learning, members, device)
        found = recorder.checkpoint
        _restore(fit, found, int(members.agree(found.facts["step"] if found else -1)))
        run = recorder.run = run.write(steps=fit.steps)
        unknown = unknown_remarks(learning.encoded, prepared.tokenizer)
        slow = _slow_threads(prepared, learning, members, device) if found is None else ()
        imitated = slow_numbers(prepared.training.precision, device)
        remarks = (
            *prepared.remarks,
            *learning.remarks,
            *unknown,
            *slow,
            *([imitated] if imitated else []),
            *run.record.contract_remarks,
            *recorder.remarks,
            *recorder.refused.values(),
        )
        listen(Started(run, fit.step, fit.steps, remarks, fit.eval_every))
        run = _train(fit, recorder, store, prepared.training, asked, listen)
    finally:
        recorder.close()
    listen(Ended(run))
    return run


def _slow_threads(prepared: Prepared, learning: Learning, members: Processes, device: torch.device) -> tuple[str, ...]:
    """A hint where this machine is busy and one thread would be faster. The threads of a run are never changed here:
    the bits of a result depend on it, and the same command gives the same bits."""
    number = torch.get_num_threads()
    is_free = device.type != "cpu" or members.size > 1 or prepared.training.threads is not None or number == 1
    if is_free or not is_busy(number):
        return ()
    try:
        said = advice(time_threads(lambda: _fit(prepared, learning, members, device), number))
    except Failed:  # Training will say it.
        said = ""
    finally:
        torch.set_num_threads(number)
    return (said,) if said else ()


def _train(
    fit: Fit, recorder: Recorder, store: Store, training: TrainConfig, asked: Callable[[], bool], listen: RunListener
) -> Run:
    """Train to the end, or until the user asks to stop, or until training diverges."""
    run, shown = recorder.run, snapshot_steps(fit.steps, training.snapshots)
    try:
        for event in fit.run():
            recorder.note(event)
            if isinstance(event, Stepped) and event.step in shown:
                recorder.snapshot(fit)  # Before a checkpoint, which would not come back to this step.
            listen(event)
            if fit.processes.any(asked()):
                store.catalogue.put(recorder.stop(fit))
                raise Interrupted(
                    f"Stopped at step {fit.step:,} of {fit.steps:,}, and saved. To continue: the same command again, "
                    f"or oratory train --resume {run.id}"
                )
            if recorder.due(training.save_every):
                recorder.save(fit)
        run = recorder.finish(fit)
        store.catalogue.put(run)
    except Diverged as error:
        store.catalogue.put(recorder.diverged(fit, error))
        raise RunDiverged(
            f"{error} The run {run.id} keeps the last good state and the batch (diverged.json); {advice_on(error)}"
        ) from None
    return run


def advice_on(error: Diverged) -> str:
    """What may help; before the first update, the learning rate cannot be the reason."""
    if error.step == 0:
        return (
            "nothing was learned yet, so train.lr is not the cause: look at the mechanisms (oratory check FILE.py), at "
            "init, and at train.precision."
        )
    return "a smaller train.lr or train.clip may help."


def _follow(prepared: Prepared, run: Run, members: Processes, device: torch.device, asked: Callable[[], bool]) -> Run:
    """Train with the others; the leader keeps the record. Whoever is asked to stop stops all."""
    number = int(members.agree(STAY))
    if number == STAY:
        return run
    torch.set_num_threads(number)
    fit = _fit(prepared, prepared.task.learning(prepared), members, device)
    step = int(members.agree(-1))
    _restore(fit, _of_step(run.folder / CHECKPOINTS, step) if step >= 0 else None, step)
    for _ in fit.run():
        if members.any(asked()):
            raise Interrupted(f"Process {members.rank} of {members.size} stopped too.")
    return run


def _of_step(folder: Path, step: int) -> Checkpoint | None:
    """The checkpoint that the leader has chosen."""

    def check(found: Checkpoint) -> None:
        if found.facts["step"] != step:
            raise InputError(f"{found.path.name} is not the checkpoint of step {step}.")

    return latest_checkpoint(folder, check)[0]


def _restore(fit: Fit, found: Checkpoint | None, step: int) -> None:
    """Continue from the checkpoint of a step, in every process; none trains on before all have read it."""
    if step >= 0:
        if found is None or found.facts["step"] != step:
            raise InputError(f"A process does not find the checkpoint of step {step}: all must see the same folder.")
        fit.restore(found.tensors, found.facts)
    fit.processes.total(torch.zeros((), device=fit.device))


def _fit(prepared: Prepared, learning: Learning, members: Processes, device: torch.device) -> Fit:
    model = prepared.build().to(device)
    unknown = prepared.tokenizer.unk_id
    return Fit(model, learning, prepared.training, prepared.seed, unknown, members, prepared.factors())


def _new_run(
    prepared: Prepared,
    store: Store,
    given: Mapping[str, str],
    members: Processes,
    device: torch.device,
    contract: ModelContract | None,
) -> Run:
    """The run as it is before it begins; nothing is written yet."""
    settings = {**prepared.settings, "train.device": device.type}
    task, fingerprint, corpus = prepared.task, prepared.fingerprint, prepared.corpus
    key = _key(prepared, prepared.seed, device, members.size)
    record = Record(
        id=id_of(task.name, key),
        key=key,
        group=_key(prepared, None, device, members.size),
        task=task.name,
        seed=prepared.seed,
        status="running",
        corpus=RecordedCorpus(corpus.name, fingerprint, prepared.source),
        labels=task.labels(corpus),
        settings=settings,
        given=dict(given),
        plugins=tuple(map(PluginFile.of, plugins_of(prepared.config))),
        provenance=prepared.provenance,
        contract=None if contract is None else contract.to_dict(),
        parameters=ParameterCount(**prepared.parameters.to_dict()),
        versions=versions() | {name: version(name) for name in prepared.libraries},
        machine=Machine(torch.get_num_threads(), members.size, platform.platform(), str(device), library()),
        created=now(),
    )
    return Run(store.folder / record.id, record)


def id_for(prepared: Prepared, device: torch.device) -> str:
    """The id of the run that one process would train."""
    return id_of(prepared.task.name, _key(prepared, prepared.seed, device, 1))


def _key(prepared: Prepared, seed: int | None, device: torch.device, processes: int) -> str:
    """What makes a run this run and no other; without a seed, what the runs of one variant share."""
    settings = {**prepared.settings, "train.device": device.type}
    plugins = [PluginFile.of(plugin).identity() for plugin in plugins_of(prepared.config)]
    identity = settings | ({"plugins": plugins} if plugins else {})
    return identity_of(prepared.task.name, identity, prepared.fingerprint, seed, processes, __version__)
