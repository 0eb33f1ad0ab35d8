"""What can be refused before anything is trained: settings, data, plugins, the contract, the device and the disk.

It is imported by designs, which are made before torch is loaded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from oratory.errors import InputError
from oratory.runs.store import Store
from oratory.text import Corpus
from oratory.training.origins import contract_of, origin_of
from oratory.training.prepared import Prepared
from oratory.training.tasks import Task

if TYPE_CHECKING:
    from oratory.model.contract import ModelContract

VALUE = 4
"""Bytes of a parameter."""
KEPT = 4
"""Times that a run in training keeps its parameters: the model, and a checkpoint with two averages of Adam."""


def ready(task: Task, corpus: Corpus, settings: Mapping[str, str]) -> Prepared:
    """What a run with these settings would train, or an InputError that says why it cannot be compared.

    The texts are encoded on the way, and kept for those who train.
    """
    refuse_broken(contract_of(task, settings))
    origin = origin_of(settings)
    origin.ready(settings)
    prepared = origin.prepare(task, corpus, settings, 0)
    task.learning(prepared)
    return prepared


def refuse_broken(contract: "ModelContract | None") -> None:
    """Refuse a model that cannot be computed, or whose figures would mean nothing."""
    if contract is not None and contract.broken:
        more = "" if contract.stops else " oratory check FILE tries every promise of a plugin."
        raise InputError(f"{contract.broken[0]}{more}")


def is_finished(prepared: Prepared, store: Store, here: bool) -> bool:
    """Whether the store has this run, whole and finished."""
    name = _id(prepared, here)
    try:
        return store.has(name) and store.open(name).status == "finished"
    except InputError:  # Damaged, so it is of no use.
        return False


def check_room(prepared: Sequence[Prepared], seeds: Sequence[int], store: Store, here: bool) -> None:
    """Refuse a device that is not there, and a folder that cannot hold the runs that are missing."""
    missing = 0
    for each in prepared:
        ids = [_id(replace(each, seed=seed), here) for seed in seeds]
        missing += sum(VALUE * each.parameters.total for run in ids if not store.has(run))
    largest = max(each.parameters.total for each in prepared)
    store.check_room(missing + (VALUE * (KEPT - 1) * largest if missing else 0))


def _id(prepared: Prepared, here: bool) -> str:
    """The id of its run. Only those who train know their devices, so `here` says whether that is this machine."""
    from oratory.execution.machine import device_of, place_of
    from oratory.execution.train import id_for

    return id_for(prepared, place_of(prepared.training) if here else device_of("cpu"))
