"""Several processes that train one model give what one process gives."""

import json
import multiprocessing
import os
import shutil
import signal
from contextlib import suppress
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from oratory.comparison.local import PRELOADED
from oratory.errors import InputError
from oratory.runs import Run, Store, train
from oratory.runs.record import CHECKPOINTS
from tests.program import become
from tests.runs.training import SMALL, free_port, start, wait_for, wait_until, words

# 21 items make an epoch whose last batch has one item: a process has nothing of its own there.
CLASSIFIER = SMALL | {"train.epochs": "3", "train.batch": "4", "train.accumulate": "2", "train.lr": "0.01"}
LM = SMALL | {"train.iterations": "40", "train.eval_every": "10", "train.batch": "5", "merge": "shuffle"}
LINES = SMALL | {
    "train.items": "lines",
    "train.epochs": "6",
    "train.batch": "3",
    "position": "rope",
    "train.lr": "0.01",
}


def pair(place: Path, runs: Path, settings: dict[str, str]) -> list[BaseProcess]:
    """Two processes as `torchrun` would start them, but without the imports: the leader, and the one that follows.

    They are forked from a server: this process may have threads, of Ray for one, that no fork of it would outlive.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    shared = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    arguments = ["train", "lm", "--data", str(place / "corpus"), "--runs", str(runs), *words(settings)]
    both: list[BaseProcess] = []
    for rank in range(2):
        out, environment = place / f"out {rank}", {**os.environ, **shared, "RANK": str(rank)}
        both.append(context.Process(target=_member, args=(arguments, out, environment)))
        both[-1].start()
    return both


def _member(arguments: list[str], out: Path, environment: dict[str, str]) -> None:
    become(arguments, out, out, partial(os.environ.update, environment))


def tell(child: BaseProcess, number: int) -> None:
    """Send a signal."""
    assert child.pid is not None
    os.kill(child.pid, number)


def ended(child: BaseProcess, seconds: float = 180.0) -> int:
    """The exit code, negative where a signal ended it."""
    child.join(seconds)
    if child.exitcode is None:
        child.kill()
        raise AssertionError("the child did not end")
    return child.exitcode


def losses(run: Run) -> list[float]:
    return [entry["loss"] for entry in run.metrics() if "loss" in entry]


def figures(run: Run) -> list[dict[str, Any]]:
    return [entry for entry in run.metrics() if "loss" not in entry]


def check_alike(several: Run, one: Run) -> None:
    """The same curve within 1e-4, and what is measured."""
    assert losses(several) == pytest.approx(losses(one), abs=1e-4)
    assert len(losses(one)) == one.record["step"] > 10
    assert losses(one)[0] != pytest.approx(losses(one)[-1], abs=1e-3)
    for ours, theirs in zip(figures(several), figures(one), strict=True):
        assert flat(ours) == pytest.approx(flat(theirs), rel=1e-3)


def flat(entry: dict[str, Any]) -> dict[str, float]:
    single = {name: value for name, value in entry.items() if name != "perplexity" and value is not None}
    found: dict[str, float] = single | entry.get("perplexity", {})
    return found


def test_two_processes_have_the_curve_of_one(place: Path) -> None:
    runs = place / "classifier"
    one = train("classifier", place / "corpus", CLASSIFIER, runs=place / "one")
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-addr", "127.0.0.1"]
    arguments = ["train", "classifier", "--data", str(place / "corpus"), "--runs", str(runs), *words(CLASSIFIER)]
    with start([*arguments, "--json"], place / "out", *launcher, "--master-port", str(free_port())) as program:
        assert program.wait(300) == 0
    said = (place / "out").read_text()
    assert said.count(" begins: ") == said.count('"run": ') == 1
    facts = json.loads(said[said.index("{\n") : said.rindex("}") + 1])
    assert facts["parameters"]["total"] == one.record["parameters"]["total"]
    assert "FutureWarning" not in said
    assert "find_unused_parameters" not in said
    (entry,) = Store(runs).entries()
    several = Store(runs).open()
    assert (entry.status, several.record["machine"]["processes"]) == ("finished", 2)
    assert several.id != one.id
    assert several.verify() == []
    check_alike(several, one)


@pytest.mark.parametrize("settings", [LM, LINES], ids=["windows", "lines"])
def test_two_processes_that_are_stopped_go_on(settings: dict[str, str], place: Path) -> None:
    runs = place / "stopped"
    one = train("lm", place / "corpus", settings, runs=place / "one")
    saving = settings | {"train.save_every": "0"}
    both = pair(place, runs, saving)
    wait_until(lambda: list(runs.glob(f"*/{CHECKPOINTS}/step-*[1-9]")))
    for child in both:
        tell(child, signal.SIGKILL)
        ended(child)
    both = pair(place, runs, saving)
    wait_for("goes on at step", place / "out 0")
    for child in reversed(both):  # As Ctrl-C does it: to all at about the same time.
        tell(child, signal.SIGINT)
    assert [ended(child) for child in both] == [130, 130]
    assert "and saved. To go on: the same command again" in (place / "out 0").read_text()
    assert Store(runs).open().status == "interrupted"
    assert (place / "out 1").read_text() == "oratory: Process 1 of 2 stopped too.\n"
    both = pair(place, runs, saving)
    assert [ended(child) for child in both] == [0, 0]
    said = [(place / f"out {rank}").read_text() for rank in range(2)]
    assert "goes on at step" in said[0]
    assert said[1] == ""
    check_alike(Store(runs).open(), one)
    # Once more: nothing is left to do, in either process.
    assert [ended(child) for child in pair(place, runs, saving)] == [0, 0]
    shutil.rmtree(runs)


def test_asked_twice_all_end_at_once(place: Path) -> None:
    many = LM | {"train.iterations": "100000", "train.eval_every": "100000"}
    both = pair(place, place / "twice", many)
    wait_for("step 0", place / "out 0")
    for _ in range(2):
        for child in both:
            with suppress(ProcessLookupError):
                tell(child, signal.SIGINT)
    assert all(ended(child, 60) in (1, 130) for child in both)
    assert "Traceback" not in (place / "out 0").read_text() + (place / "out 1").read_text()


def test_one_process_is_gone(place: Path) -> None:
    runs = place / "gone"
    many = LM | {"train.iterations": "100000", "train.save_every": "0"}
    leader, follower = pair(place, runs, many)
    wait_until(lambda: list(runs.glob(f"*/{CHECKPOINTS}/step-*[1-9]")))
    tell(follower, signal.SIGKILL)
    ended(follower)
    assert ended(leader) == 1
    said = (place / "out 0").read_text()
    assert "Process 0 of 2 lost the others, and ends" in said
    assert "Traceback" not in said


def test_the_leader_has_nothing_to_train_with(place: Path) -> None:
    (place / "file").write_text("")
    leader, follower = pair(place, place / "file", LM)
    assert (ended(leader), ended(follower)) == (2, 1)
    assert "Traceback" not in (place / "out 0").read_text() + (place / "out 1").read_text()


def test_a_number_of_processes_that_never_met(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    for name in ("RANK", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match="WORLD_SIZE says that 2 processes train together, but they did not meet"):
        train("lm", place / "corpus", LM, runs=place / "never")
