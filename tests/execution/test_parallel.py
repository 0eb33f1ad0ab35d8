"""Several processes that train one model give what one process gives."""

import json
import shutil
import signal
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from oratory.errors import InputError
from oratory.execution.train import train
from oratory.runs import Run, Store
from tests.execution.training import SMALL, start, wait_for, words
from tests.program import ended, tell
from tests.several import Fault, program, start_several

pytestmark = pytest.mark.long

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


def pair(
    place: Path, runs: Path, settings: dict[str, str], faults: dict[int, Fault] | None = None, task: str = "lm"
) -> list[BaseProcess]:
    """`oratory train` in two processes: the leader, and the one that follows. Faults are by rank."""
    arguments = ["train", task, "--data", str(place / "corpus"), "--runs", str(runs), *words(settings)]
    for rank in range(2):  # What is read there next must not be of the processes before.
        (place / f"out {rank}").unlink(missing_ok=True)
    return start_several(program, arguments, place, faults or {})


def said_by(place: Path) -> list[str]:
    """What each process printed, which is never a traceback."""
    said = [(place / f"out {rank}").read_text() for rank in range(2)]
    assert "Traceback" not in "".join(said)
    return said


def losses(run: Run) -> list[float]:
    return [entry["loss"] for entry in run.metrics() if "loss" in entry]


def figures(run: Run) -> list[dict[str, Any]]:
    return [entry for entry in run.metrics() if "loss" not in entry]


def check_alike(several: Run, one: Run) -> None:
    """The same curve within 1e-4, and what is measured."""
    assert losses(several) == pytest.approx(losses(one), abs=1e-4)
    assert len(losses(one)) == one.step > 10
    assert losses(one)[0] != pytest.approx(losses(one)[-1], abs=1e-3)
    for ours, theirs in zip(figures(several), figures(one), strict=True):
        assert flat(ours) == pytest.approx(flat(theirs), rel=1e-3)


def flat(entry: dict[str, Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in entry.items():
        found |= value if isinstance(value, dict) else {} if value is None else {name: value}
    return found


def test_two_processes_have_the_curve_of_one(place: Path) -> None:
    runs = place / "classifier"
    one = train("classifier", place / "corpus", CLASSIFIER, runs=place / "one")
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    arguments = ["train", "classifier", "--data", str(place / "corpus"), "--runs", str(runs), *words(CLASSIFIER)]
    with start([*arguments, "--json"], place / "out", *launcher) as launched:
        code = launched.wait(300)
    said = (place / "out").read_text()
    assert code == 0, said
    assert said.count(" begins: ") == said.count('"run": ') == 1
    facts = json.loads(said[said.index("{\n") : said.rindex("}") + 1])
    assert facts["parameters"]["total"] == one.record.parameters.total
    assert "FutureWarning" not in said
    assert "find_unused_parameters" not in said
    (entry,) = Store(runs).entries()
    several = Store(runs).open()
    assert (entry.status, several.record.machine.processes) == ("finished", 2)
    assert several.id != one.id
    assert several.verify() == []
    check_alike(several, one)


@pytest.mark.parametrize(
    ("settings", "victim", "who"),
    [(LM, 0, (1,)), (LINES, 1, (0, 1)), (LINES, 0, (0,))],  # Ctrl-C is for all, but a signal may be for one.
    ids=["windows", "lines, both", "lines, the leader"],
)
def test_two_processes_that_are_stopped_go_on(
    settings: dict[str, str], victim: int, who: tuple[int, ...], place: Path
) -> None:
    runs = place / "stopped"
    one = train("lm", place / "corpus", settings, runs=place / "one")
    saving = settings | {"train.save_every": "0"}
    other = 1 - victim
    killed = Fault("oratory.training.loop.Fit._update", signal.SIGKILL, call=4)
    codes = ended(*pair(place, runs, saving, {victim: killed}))
    assert (codes[victim], codes[other]) == (-signal.SIGKILL, 1)
    assert f"Process {other} of 2 lost the others, and ends" in said_by(place)[other]
    asked = Fault("oratory.training.loop.Fit._update", signal.SIGINT, call=2)
    assert ended(*pair(place, runs, saving, dict.fromkeys(who, asked))) == [130, 130]
    said = said_by(place)
    assert "continues at step" in said[0]
    assert "and saved. To continue: the same command again" in said[0]
    assert said[1] == "oratory: Process 1 of 2 stopped too.\n"
    assert Store(runs).open().status == "interrupted"
    assert ended(*pair(place, runs, saving)) == [0, 0]
    said = said_by(place)
    assert "continues at step" in said[0]
    assert said[1] == ""
    check_alike(Store(runs).open(), one)
    # Once more: nothing is left to do, in either process.
    assert ended(*pair(place, runs, saving)) == [0, 0]
    shutil.rmtree(runs)


def test_two_processes_mask_the_same_tokens(place: Path) -> None:
    settings = SMALL | {"train.items": "lines", "train.epochs": "6", "train.batch": "3", "train.lr": "0.01"}
    one = train("mlm", place / "corpus", settings, runs=place / "one")
    assert ended(*pair(place, place / "masked", settings, task="mlm")) == [0, 0]
    check_alike(Store(place / "masked").open(), one)


def test_asked_twice_all_end_at_once(place: Path) -> None:
    many = LM | {"train.iterations": "100000", "train.eval_every": "100000"}
    both = pair(place, place / "twice", many)
    wait_for("step 0", place / "out 0")
    for _ in range(2):
        for child in both:
            with suppress(ProcessLookupError):
                tell(child, signal.SIGINT)
    assert set(ended(*both, seconds=60)) <= {1, 130}
    said_by(place)


def test_the_leader_has_nothing_to_train_with(place: Path) -> None:
    (place / "file").write_text("")
    leader, other = ended(*pair(place, place / "file", LM))
    assert leader == 2
    assert other in (1, 2)  # It lost the leader, or never met it.
    said_by(place)


@pytest.mark.parametrize(
    ("rank", "where", "call"),
    [
        (0, "oratory.execution.train._new_run", 1),
        (0, "oratory.training.tasks.lm.LanguageModel.learning", 1),
        (0, "oratory.training.parallel.Processes.wrap", 1),
        (0, "oratory.training.parallel.Processes.agree", 2),
        (0, "oratory.training.loop.Fit._measure", 2),
        (0, "oratory.execution.recorder.Recorder.note", 2),
        (0, "oratory.execution.recorder.write_checkpoint", 2),
        (1, "oratory.execution.train._new_run", 1),
        (1, "oratory.training.parallel.Processes.wrap", 1),
        (1, "oratory.execution.train._restore", 1),
        (1, "oratory.training.loop.Fit._update", 2),
    ],
)
def test_one_process_fails_and_the_other_ends_too(rank: int, where: str, call: int, place: Path, runs: Path) -> None:
    endless = LM | {"train.iterations": "100000", "train.save_every": "0"}
    codes = ended(*pair(place, runs, endless, {rank: Fault(where, "Here it fails.", call)}), seconds=60)
    said = said_by(place)
    assert (codes[rank], codes[1 - rank]) == (2, 1), said
    assert "oratory: Here it fails." in said[rank]
    assert f"Process {1 - rank} of 2 lost the others, and ends. The one that ended first says why." in said[1 - rank]


def test_a_number_of_processes_that_never_met(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    for name in ("RANK", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match="WORLD_SIZE=2 says that 2 processes train together, but RANK and"):
        train("lm", place / "corpus", LM, runs=place / "never")
