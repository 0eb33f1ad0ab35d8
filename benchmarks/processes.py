"""Two processes that train together, killed or interrupted at random moments: do the others end, and does it go on?

Every try begins a run, signals the leader, the other one or both, and runs the same command again. The end is compared
with that of a run that nothing happened to, to the bit.
"""

import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.execution.training import LM, ends, quick, words, write_corpus
from tests.program import ended, tell
from tests.several import Fault, program, start_several

from oratory.errors import InputError
from oratory.tables import Table, number
from oratory.training import parallel

TRIES = 50
PATIENCE = 30.0
"""Seconds in which the others must have ended after one was signalled; more on a machine that is busy with other work,
where a whole run takes longer than that by itself. A run that goes on has ten times as long."""
WHO = {"leader": (0,), "follower": (1,), "both": (0, 1)}
SIGNALS = (signal.SIGKILL, signal.SIGINT)
SETTINGS = LM | {"train.iterations": "60", "train.eval_every": "15", "train.save_every": "0"}


@dataclass(frozen=True)
class ShortMeeting(Fault):
    """Lets a process wait a few seconds for the other one to begin, not a minute, which is for tired machines."""

    where: str = ""
    what: str = ""

    def prepare(self) -> None:
        parallel.MEETING = timedelta(seconds=15)


def measure(tries: int = TRIES) -> Table:
    chance = random.Random(0)
    cases = list(product(WHO, SIGNALS))
    counts: dict[tuple[str, signal.Signals], Counter[str]] = {case: Counter() for case in cases}
    with tempfile.TemporaryDirectory() as name:
        place = quick(Path(name))
        write_corpus(place / "corpus")
        pair, began = _pair(place, "whole"), time.monotonic()
        _ended(pair, 10 * PATIENCE)
        usual = time.monotonic() - began
        whole = ends(place / "whole")
        for at in range(tries):
            case = cases[at % len(cases)]
            counts[case] += _try(place, WHO[case[0]], case[1], chance.uniform(0, usual), whole, max(PATIENCE, usual))
            if at % 10 == 9:
                print(f"{at + 1} of {tries}", flush=True, file=sys.stderr)
        shutil.rmtree(place)
    names = ("tries", "hangs", "hangs when going on", "tracebacks", "different ends")
    rows = tuple((who, kind.name, *(number(found[name]) for name in names)) for (who, kind), found in counts.items())
    note = f"A whole run took {usual:.0f} s, and who was not signalled had {max(PATIENCE, usual):.0f} s to end."
    return Table("Two processes, signalled at random moments", ("who", "signal", *names), rows, note=note)


def _try(
    place: Path, who: tuple[int, ...], kind: signal.Signals, moment: float, whole: dict[str, bytes], patience: float
) -> Counter[str]:
    """What went wrong in one try."""
    found = Counter({"tries": 1})
    pair = _pair(place, "runs")
    time.sleep(moment)
    for rank in who:
        with suppress(ProcessLookupError):
            tell(pair[rank], kind)
    found["hangs"] += not _ended(pair, patience)
    found["tracebacks"] += _tracebacks(place)
    found["hangs when going on"] += not _ended(_pair(place, "runs"), 10 * patience)
    found["tracebacks"] += _tracebacks(place)
    try:
        found["different ends"] += ends(place / "runs") != whole
    except (AssertionError, InputError):  # There is no end.
        found["different ends"] += 1
    shutil.rmtree(place / "runs", ignore_errors=True)
    return found


def _pair(place: Path, runs: str) -> list[BaseProcess]:
    for rank in (0, 1):
        (place / f"out {rank}").unlink(missing_ok=True)
    arguments = ["train", "lm", "--data", str(place / "corpus"), "--runs", str(place / runs), *words(SETTINGS)]
    pair = start_several(program, arguments, place, dict.fromkeys((0, 1), ShortMeeting()))
    while not all((place / f"out {rank}").exists() for rank in (0, 1)):
        time.sleep(0.01)
    time.sleep(0.05)  # From here on it is the program that answers signals.
    return pair


def _ended(pair: list[BaseProcess], seconds: float) -> bool:
    """Whether all end in time; who does not is killed."""
    try:
        ended(*pair, seconds=seconds)
    except AssertionError:
        return False
    return True


def _tracebacks(place: Path) -> int:
    """How many of the two printed one."""
    said = [path.read_text() for rank in (0, 1) if (path := place / f"out {rank}").exists()]
    return sum("Traceback" in text for text in said)
