"""Training a run into the store: from the beginning, or on from where it stopped."""

import hashlib
import inspect
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from oratory import __version__
from oratory.errors import Failed, InputError
from oratory.files import write_bytes
from oratory.model import ModelConfig
from oratory.runs.checkpoint import Checkpoint, latest_checkpoint
from oratory.runs.entry import Entry
from oratory.runs.machine import asked_to_stop, device_of, keep_memory, threads, versions
from oratory.runs.record import CHECKPOINTS, FORMAT, RECORD, TOKENIZER, Run, key_of
from oratory.runs.recorder import Recorder, now
from oratory.runs.store import Store
from oratory.settings import as_text
from oratory.text import Corpus, as_loaded
from oratory.training import Prepared, prepare
from oratory.training.finetune import called
from oratory.training.loop import Diverged, Fit, Measured, Stepped
from oratory.training.parallel import Crew, crew
from oratory.training.tasks import LanguageTask, make_task


@dataclass(frozen=True)
class Started:
    """A run begins, or goes on."""

    run: Run
    step: int
    """Updates that were made before."""
    steps: int
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ended:
    """A run is finished; `again` where it was finished before and nothing had to be done."""

    run: Run
    again: bool = False


STAY = 0
"""Told in place of a number of threads, where there is nothing to train."""

NEEDED = ("corpus", "given", "machine", "plugins", "settings", "versions")
"""Of a record, to go on with its run."""

Event = Started | Stepped | Measured | Ended
Listener = Callable[[Event], None]


class Interrupted(Failed):
    """Someone asked the run to stop. It was saved, and can go on."""

    exit_code = 130


def train(
    task: str,
    corpus: Corpus | str | os.PathLike[str],
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    runs: str | os.PathLike[str] | None = None,
    listen: Listener | None = None,
) -> Run:
    """Train a model and keep its record. The same call again goes on with a run that was stopped.

    A run that is finished already is given back as it is: with the same settings, corpus and seed it would end the
    same.
    """
    given = as_text(settings)
    return execute(prepare(task, as_loaded(corpus), given, seed), Store(runs), given, listen or nobody)


def finetune(
    model: str | os.PathLike[str],
    corpus: Corpus | str | os.PathLike[str],
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    runs: str | os.PathLike[str] | None = None,
    listen: Listener | None = None,
) -> Run:
    """Fine-tune a published encoder: `minilm`, a folder, or the name of a model on the hub. Else as `train`."""
    given = {"model": called(model), **(settings or {})}
    return train("classifier", corpus, given, seed, runs=runs, listen=listen)


def execute(prepared: Prepared, store: Store, given: Mapping[str, str], listen: Listener) -> Run:
    """Train what was prepared, unless the store has it."""
    device = device_of(prepared.training.device)
    keep_memory()
    with crew(device) as members, threads(prepared.training.threads), asked_to_stop() as asked:
        run = _new_run(prepared, store, given, members, device)
        if not members.leads:
            return _follow(prepared, run, members, device)
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
    if not store.has(run.id):
        return run
    return checked(Run.read(run.folder))


def checked(run: Run) -> Run:
    """The run, or an InputError where its record lacks what is needed to go on."""
    Entry.of(run)
    if missing := [name for name in NEEDED if name not in run.record]:
        raise InputError(f"{run.folder / RECORD} is damaged: it says nothing of {', '.join(missing)}.")
    return run


def _is_done(store: Store, run: Run) -> bool:
    """Whether the store has the run, and whole. One that broke is not tried again."""
    found = _known(store, run)
    if found.status == "diverged":
        raise Failed(f"The run {run.id} diverged before: {found.record['message']} The same would happen again.")
    return store.has(run.id) and found.status == "finished"


def _lead(
    prepared: Prepared,
    store: Store,
    run: Run,
    members: Crew,
    device: torch.device,
    asked: Callable[[], bool],
    listen: Listener,
) -> Run:
    """Train, and keep the record."""
    # Sums depend on how many threads share them, so a run that goes on has as many as when it began.
    torch.set_num_threads(int(members.agree(run.record["machine"]["threads"])))
    prepared.tokenizer.save(run.folder / TOKENIZER)
    for name, content in prepared.files().items():
        write_bytes(run.folder / name, content)
    task = make_task(prepared)
    opening = {"opening": task.opening, "stride": task.stride} if isinstance(task, LanguageTask) else {}
    run = run.write(status="running", **opening)
    store.catalogue.put(run)
    recorder = Recorder(run)
    try:
        fit = _fit(prepared, task, members, device)
        found = recorder.checkpoint
        _restore(fit, found, int(members.agree(found.facts["step"] if found else -1)))
        run = recorder.run = run.write(steps=fit.steps)
        listen(Started(run, fit.step, fit.steps, (*prepared.remarks, *recorder.refused.values())))
        run = _train(fit, recorder, store, prepared.training.save_every, asked, listen)
    finally:
        recorder.close()
    listen(Ended(run))
    return run


def _train(
    fit: Fit, recorder: Recorder, store: Store, save_every: float, asked: Callable[[], bool], listen: Listener
) -> Run:
    """Train to the end, or until someone asks to stop, or until it breaks."""
    run = recorder.run
    try:
        for event in fit.run():
            recorder.note(event)
            listen(event)
            if fit.crew.agree(asked()):
                store.catalogue.put(recorder.stop(fit))
                raise Interrupted(
                    f"Stopped at step {fit.step:,} of {fit.steps:,}, and saved. To go on: the same command again, "
                    f"or oratory train --resume {run.id}"
                )
            if recorder.due(save_every):
                recorder.save(fit)
        run = recorder.finish(fit)
        store.catalogue.put(run)
    except Diverged as error:
        store.catalogue.put(recorder.diverged(fit, error))
        raise Failed(
            f"{error} The run {run.id} keeps the last good state and the batch (diverged.json); a smaller train.lr or "
            "train.clip may help."
        ) from None
    return run


def _follow(prepared: Prepared, run: Run, members: Crew, device: torch.device) -> Run:
    """Train with the others; the leader keeps the record, and says when to stop."""
    number = int(members.agree(STAY))
    if number == STAY:
        return run
    torch.set_num_threads(number)
    fit = _fit(prepared, make_task(prepared), members, device)
    step = int(members.agree(-1))
    _restore(fit, latest_checkpoint(run.folder / CHECKPOINTS)[0] if step >= 0 else None, step)
    for _ in fit.run():
        if members.agree(False):
            raise Interrupted(f"Process {members.rank} of {members.size} stopped too.")
    return run


def _restore(fit: Fit, found: Checkpoint | None, step: int) -> None:
    """Go on from the checkpoint of a step, in every process; none has left it before all have read it."""
    if step >= 0:
        if found is None or found.facts["step"] != step:
            raise InputError(f"A process does not find the checkpoint of step {step}: all must see the same folder.")
        fit.restore(found.tensors, found.facts)
    fit.crew.total(torch.zeros((), device=fit.device))


def _fit(prepared: Prepared, task: Any, members: Crew, device: torch.device) -> Fit:
    model = prepared.build().to(device)
    unknown = prepared.tokenizer.unk_id
    return Fit(model, task, prepared.training, prepared.seed, unknown, members, prepared.factors())


def _new_run(prepared: Prepared, store: Store, given: Mapping[str, str], members: Crew, device: torch.device) -> Run:
    """The run as it is before it begins; nothing is written yet."""
    settings = {**prepared.settings, "train.device": device.type}
    plugins = plugins_of(prepared.config)
    identity = settings | {"plugins": plugins} if plugins else settings
    task, fingerprint = prepared.config.task, prepared.fingerprint
    key = key_of(task, identity, fingerprint, prepared.seed, members.size, __version__)
    labels = prepared.corpus.classifier.label_names if task == "classifier" and prepared.corpus.classifier else ()
    record = {
        "format": FORMAT,
        "id": f"{task}-{key[:10]}",
        "key": key,
        "group": key_of(task, identity, fingerprint, None, members.size, __version__),
        "task": task,
        "seed": prepared.seed,
        "status": "running",
        "corpus": {"name": prepared.corpus.name, "fingerprint": fingerprint, "source": prepared.given.source},
        "labels": list(labels),
        "settings": settings,
        "given": dict(given),
        "plugins": plugins,
        "parameters": prepared.parameters.to_dict(),
        "versions": versions() | {name: version(name) for name in prepared.libraries},
        "machine": {
            "platform": platform.platform(),
            "device": str(device),
            "threads": torch.get_num_threads(),
            "processes": members.size,
        },
        "created": now(),
        "finished": None,
        "seconds": 0.0,
        "step": 0,
    }
    return Run(store.folder / str(record["id"]), record)


def plugins_of(config: ModelConfig) -> list[dict[str, str]]:
    """The files of mechanisms that are not Oratory's own, with their checksums."""
    ours = Path(inspect.getfile(ModelConfig)).parents[1]
    files = {Path(inspect.getfile(type(mechanism))) for mechanism in config.mechanisms().values()}
    return [
        {"name": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        for path in sorted(files)
        if ours not in path.parents
    ]


def nobody(event: Event) -> None:
    pass
