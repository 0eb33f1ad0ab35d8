"""Measuring: every contender of a work in turns, so that whatever else the machine does affects all of them alike."""

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from statistics import median

from oratory.bench.result import Bench, Compared, Measured, Works
from oratory.bench.work import Contender, Work
from oratory.bench.worker import Worker
from oratory.errors import Failed, InputError, unknown

TURNS = 12


def works() -> dict[str, Work]:
    """Every work by its name."""
    folder = import_module("oratory.bench.works")
    modules = (import_module(f"{folder.__name__}.{entry.name}") for entry in iter_modules(folder.__path__))
    return {work.name: work for module in modules for work in module.WORKS}


def known_works() -> Works:
    """What can be timed."""
    return Works({name: work.title for name, work in works().items()})


def bench(
    names: Sequence[str] = (),
    *,
    threads: int = 2,
    turns: int = TURNS,
    say: Callable[[str], object] = lambda text: None,
) -> Bench:
    """Time the works of these names, or all of them, beside the peers that are installed.

    In each turn every contender does the work a few times; the best and the median are over all turns.
    """
    for name, value in (("threads", threads), ("turns", turns)):
        if value < 1:
            raise InputError(f"{name}={value}: it must be at least 1.")
    known = works()
    for name in names:
        if name not in known:
            raise unknown("work", name, known)
    found = []
    for name in dict.fromkeys(names or known):
        say(f"{known[name].title} ...")
        found.append(_compared(known[name], threads, turns))
    return Bench(tuple(found), threads, turns)


def _compared(work: Work, threads: int, turns: int) -> Compared:
    contenders, turns = work.contenders(), min(turns, work.most or turns)
    missing = {
        contender.name: f"{contender.needs} is not installed" for contender in contenders if not _is_there(contender)
    }
    workers: list[Worker] = []
    try:
        for contender in contenders:
            if contender.name not in missing:
                workers.append(Worker(contender, threads, work.warm))
        missing |= {worker.name: worker.failed for worker in workers if worker.failed}
        if work.base in missing:
            raise Failed(f"{work.base} could not do the work {work.name!r}: {missing[work.base]}")
        able = [worker for worker in workers if not worker.failed]
        for turn in range(turns):
            start = turn % len(able)  # Nobody always works after the same one.
            for worker in able[start:] + able[:start]:
                worker.turn(work.calls)
    finally:
        for worker in workers:
            worker.end()
    measured = {worker.name: Measured(min(worker.seconds), median(worker.seconds), worker.peak) for worker in able}
    return Compared(work.name, work.title, work.base, measured, missing, turns * work.calls)


def _is_there(contender: Contender) -> bool:
    return contender.needs is None or find_spec(contender.needs) is not None
