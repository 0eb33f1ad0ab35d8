"""What a run promises when it is killed, when its checkpoints are damaged, when the disk is full, when it breaks."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file

from oratory.errors import InputError
from oratory.execution.train import train
from oratory.runs import Ended, Event, Started, Store
from oratory.runs.checkpoint import FACTS, KEPT, MANIFEST, TENSORS, read_checkpoint, write_checkpoint
from oratory.runs.record import CHECKPOINTS
from oratory.training.loop import Fit
from tests.execution.training import TASKS, command, ends, fork, run, start, wait_for, wait_until
from tests.program import ended, tell

pytestmark = pytest.mark.long

both = pytest.mark.parametrize("task", TASKS)


@pytest.fixture(scope="module")
def whole(place: Path) -> dict[str, dict[str, bytes]]:
    """How the runs end when nothing happens to them."""
    found = {}
    for task in TASKS:
        found[task] = ends(
            place, train(task, place / "corpus", TASKS[task] | {"train.save_every": "600"}, runs=place).id
        )
    return found


def stopped(task: str, place: Path, runs: Path, at: int) -> Path:
    """A run that was killed behind so many saved events; its folder."""
    calls = 0

    def kill(event: Event) -> None:
        nonlocal calls
        calls += not isinstance(event, Started | Ended)
        if calls > at:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(task, place / "corpus", TASKS[task] | {"train.save_every": "0"}, runs=runs, listen=kill)
    return Store(runs).open().folder


def checkpoints(folder: Path) -> list[Path]:
    return sorted((folder / CHECKPOINTS).glob("step-*"))


LONGER = {
    "lm": {"train.iterations": "96", "train.eval_every": "32"},
    "classifier": {"train.epochs": "24"},
    "mlm": {"train.iterations": "96", "train.eval_every": "32"},
}
"""Enough steps that none of a few kills at random moments comes too late, on a fast machine too."""


@both
def test_killed_at_random_moments(task: str, place: Path, runs: Path) -> None:
    whole = train(task, place / "corpus", TASKS[task] | LONGER[task] | {"train.save_every": "600"}, runs=place)
    longer = {name.replace(".", "__"): value for name, value in LONGER[task].items()}
    again = command(task, place / "corpus", runs, **longer)
    chance = random.Random(task)
    kills, wanted = 0, 15
    while True:
        child = fork(again, place / "out")
        if kills < wanted:
            if kills % 3:
                wait_for("step", place / "out", child)  # One that was killed at its very end has no step left.
            time.sleep(chance.uniform(0, 0.04 if kills % 3 else 0.15))
            child.kill()
        (code,) = ended(child)
        if code == 0:
            break
        assert code == -signal.SIGKILL, (place / "out").read_text()
        kills += 1
    assert kills >= 3
    assert ends(runs) == ends(place, whole.id)
    left = {path.name for path in Store(runs).open().folder.iterdir()} - {".lock", "run.json", "times.jsonl"}
    assert left == {"items.parquet", "metrics.jsonl", "model.safetensors", "tokenizer.json"}


def kill_at(place: int) -> None:
    """Let this process be killed when it does so many things to the disk."""
    done = 0

    def counted(action: Callable[..., Any], *given: Any, **options: Any) -> Any:
        nonlocal done
        done += 1
        if done == place:
            os.kill(os.getpid(), signal.SIGKILL)
        return action(*given, **options)

    for module, name in ((os, "fsync"), (os, "replace"), (os, "rename"), (os, "truncate"), (shutil, "rmtree")):
        setattr(module, name, partial(counted, getattr(module, name)))


@both
def test_killed_between_any_two_writes(task: str, place: Path, runs: Path, whole: dict[str, dict[str, bytes]]) -> None:
    chance = random.Random(task)
    kills = 0
    code = -1
    while code != 0:
        # Enough to get one checkpoint further in the mean, and a different place in it each time.
        before = partial(kill_at, chance.randrange(1, 60))
        (code,) = ended(fork(command(task, place / "corpus", runs), place / "out", before))
        assert code in (0, -signal.SIGKILL), (place / "out").read_text()
        kills += code != 0
        assert kills < 100
    assert kills >= 3
    assert ends(runs) == whole[task]


def test_the_real_program_killed(place: Path, runs: Path) -> None:
    longer = {"train.iterations": "60", "train.eval_every": "20"}
    whole = train("lm", place / "corpus", TASKS["lm"] | longer, runs=place)
    arguments, out = (
        command("lm", place / "corpus", runs, train__iterations="60", train__eval_every="20"),
        place / "out",
    )
    reached: list[Callable[[], object]] = [
        lambda: list(runs.glob(f"*/{CHECKPOINTS}/step-*[1-9]")),
        lambda: "continues at step" in out.read_text(),
    ]
    for moment in reached:
        with start(arguments, out) as program:
            wait_until(moment)
            program.kill()
            assert program.wait() == -signal.SIGKILL
    with start(arguments, out) as program:
        assert program.wait(180) == 0
    assert "continues at step" in out.read_text()
    assert ends(runs) == ends(place, whole.id)


def empty(path: Path) -> None:
    for file in path.iterdir():
        file.unlink()


def into_a_file(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("")


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "cut": lambda path: os.truncate(path / TENSORS, (path / TENSORS).stat().st_size // 2),
    "empty": lambda path: (path / FACTS).write_bytes(b""),
    "flipped": lambda path: flip(path / TENSORS, -3),
    "no manifest": lambda path: (path / MANIFEST).unlink(),
    "no tensors": lambda path: (path / TENSORS).unlink(),
    "no facts": lambda path: (path / FACTS).unlink(),
    "another manifest": lambda path: (path / MANIFEST).write_text("[]"),
    "no content": lambda path: empty(path),
    "a file": lambda path: into_a_file(path),
}


def flip(path: Path, place: int, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_refused_by_name(
    damage: str, place: Path, runs: Path, whole: dict[str, dict[str, bytes]]
) -> None:
    task = "classifier" if damage in ("cut", "flipped") else "lm"
    before, last = checkpoints(stopped(task, place, runs, 7))
    DAMAGES[damage](last)
    events: list[Event] = []
    train(task, place / "corpus", TASKS[task], runs=runs, listen=events.append)
    began = events[0]
    assert isinstance(began, Started)
    assert began.step == int(before.name.split("-")[1])
    (remark,) = (remark for remark in began.remarks if "checkpoint" in remark)
    assert str(last) in remark
    assert ends(runs) == whole[task]


@both
def test_all_checkpoints_damaged(task: str, place: Path, runs: Path, whole: dict[str, dict[str, bytes]]) -> None:
    folder = stopped(task, place, runs, 7)
    for path in checkpoints(folder):
        flip(path / MANIFEST, 30)
    # What is saved now is older than the damaged ones, and must outlive them.
    code, said = run(command(task, place / "corpus", runs), place / "out", partial(kill_at_event, 3))
    assert code == -signal.SIGKILL
    assert said.count("A checkpoint is not used") == KEPT
    assert " begins: " in said
    assert len(checkpoints(folder)) == KEPT
    code, said = run(command(task, place / "corpus", runs), place / "out")
    assert "A checkpoint" not in said
    assert "continues at step" in said
    assert ends(runs) == whole[task]


def kill_at_event(number: int) -> None:
    """Let this process be killed behind so many checkpoints."""
    from oratory.execution.recorder import Recorder

    save, saved = Recorder.save, []

    def counted(self: Recorder, fit: Any) -> None:
        save(self, fit)
        saved.append(fit.step)
        if len(saved) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    Recorder.save = counted  # type: ignore[method-assign]


@pytest.fixture(scope="module")
def checkpoint(place: Path) -> Iterator[Path]:
    folder = place / "flips"
    yield checkpoints(stopped("lm", place, folder, 3))[-1]
    shutil.rmtree(folder)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from([TENSORS, FACTS, MANIFEST]), place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_any_flipped_bit_is_noticed_or_harmless(checkpoint: Path, name: str, place: float, bit: int) -> None:
    file = checkpoint / name
    content = file.read_bytes()
    good = read_checkpoint(checkpoint)
    flip(file, int(place * len(content)), bit)
    try:
        with suppress(InputError):
            found = read_checkpoint(checkpoint)
            # White space of the manifest.
            assert name == MANIFEST
            assert found.facts == good.facts
            assert all(value.equal(good.tensors[key]) for key, value in found.tensors.items())
    finally:
        file.write_bytes(content)


def test_a_step_that_is_saved_again_leaves_the_good_one_until_then(tmp_path: Path) -> None:
    first = write_checkpoint(tmp_path / "a", 5, {}, {"step": 5})
    (tmp_path / "a" / ".step-000000005-001").write_text("in the way")
    with pytest.raises(InputError, match="cannot be written"):
        write_checkpoint(tmp_path / "a", 5, {}, {"step": 5})
    assert read_checkpoint(first).facts == {"step": 5}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no right to mount a small disk: {mounted.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", disk], check=True)


@both
def test_a_full_disk(task: str, place: Path, small_disk: Path, whole: dict[str, dict[str, bytes]]) -> None:
    arguments, runs = command(task, place / "corpus", small_disk / "runs"), small_disk / "runs"
    folder = stopped(task, place, runs, 6)
    good = {path: read_checkpoint(path).facts["step"] for path in checkpoints(folder)}
    free = os.statvfs(small_disk)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(free.f_bavail * free.f_frsize - 24 * 1024))
    code, said = run(arguments, place / "out")
    assert code == 2
    assert "No space left on device" in said
    assert said.count("oratory: ") == 1
    assert {path: read_checkpoint(path).facts["step"] for path in checkpoints(folder)} == good
    assert not list(small_disk.rglob("*/.*.*")), "nothing half written is left in the way"
    ballast.unlink()
    assert run(arguments, place / "out")[0] == 0
    assert ends(runs) == whole[task]


def limit_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


@both
def test_a_file_that_the_system_refuses(task: str, place: Path, runs: Path, whole: dict[str, dict[str, bytes]]) -> None:
    good = checkpoints(stopped(task, place, runs, 6))
    code, said = run(command(task, place / "corpus", runs), place / "out", limit_files)
    assert code == 2
    assert "File too large" in said
    assert "the same command continues from there" in said
    assert checkpoints(good[0].parents[1]) == good
    assert run(command(task, place / "corpus", runs), place / "out")[0] == 0
    assert ends(runs) == whole[task]


def test_a_folder_that_may_not_be_written(small_disk: Path, place: Path, whole: dict[str, dict[str, bytes]]) -> None:
    runs = small_disk / "runs"
    stopped("lm", place, runs, 6)
    finished = train("classifier", place / "corpus", TASKS["classifier"], runs=runs)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    code, said = run(command("lm", place / "corpus", runs), place / "out")
    assert code == 2
    assert "Read-only file system" in said
    code, said = run(command("lm", place / "corpus", small_disk / "new" / "runs"), place / "out")
    assert (code, "Read-only file system" in said) == (2, True)
    # What is finished can still be looked at.
    code, said = run(command("classifier", place / "corpus", runs), place / "out")
    assert code == 0
    assert f"{finished.id} is finished already" in said
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    assert run(command("lm", place / "corpus", runs), place / "out")[0] == 0
    assert ends(runs, Store(runs).find("lm")) == whole["lm"]


def test_a_file_where_the_folder_should_be(place: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for runs in (tmp_path / "file", tmp_path / "file" / "runs"):
        code, said = run(command("lm", place / "corpus", runs), place / "out")
        assert code == 2
        assert said.startswith(f"oratory: {tmp_path / 'file'}")
        assert said.count("\n") == 1


def test_metrics_that_went_missing(place: Path, runs: Path, whole: dict[str, dict[str, bytes]]) -> None:
    folder = stopped("lm", place, runs, 6)
    (folder / "metrics.jsonl").unlink()
    code, said = run(command("lm", place / "corpus", runs), place / "out")
    assert code == 0
    assert f"is from after what is whole of {folder / 'metrics.jsonl'}: lines are missing." in said
    assert "begins" in said
    assert ends(runs) == whole["lm"]


@pytest.mark.parametrize("name", ["metrics.jsonl", "times.jsonl"])
@both
def test_a_line_that_is_damaged(
    task: str, name: str, place: Path, runs: Path, whole: dict[str, dict[str, bytes]]
) -> None:
    folder = stopped(task, place, runs, 6)
    path = folder / name
    content = bytearray(path.read_bytes())
    content[content.index(b": ") + 2] ^= 1  # Another digit: still JSON, and another curve.
    path.write_bytes(content)
    code, said = run(["runs", "show", folder.name, "--runs", str(runs), "--json"], place / "out")
    assert code == 2
    assert f"{path}, line 1 is damaged. oratory train --resume {folder.name} continues from before" in said
    code, said = run(["train", "--resume", folder.name, "--runs", str(runs)], place / "out")
    assert code == 0
    assert f"{path}, line 1 is damaged; what is from there on is written again." in said
    assert ends(runs) == whole[task]


@pytest.mark.parametrize("precision", ["float32", "float16"])
@both
def test_a_loss_that_is_no_number(task: str, precision: str, place: Path, runs: Path) -> None:
    # Measured first at step 4, which is not reached: it is the loss that breaks.
    changes = {"train__lr": "1e30", "train__precision": precision, "train__eval_every": "4"}
    arguments = command(task, place / "corpus", runs, **changes)
    code, said = run(arguments, place / "out")
    assert code == 1
    assert "The loss at step 1 is not a finite number, so training stopped before that update." in said
    found = Store(runs).open()
    assert found.status == "diverged"
    kept = json.loads((found.folder / "diverged.json").read_text())
    assert kept["step"] == 1
    assert len(kept["items"]) == len(kept["ids"]) == 5
    (_, last) = checkpoints(found.folder)
    state = load_file(last / TENSORS)
    assert read_checkpoint(last).facts["step"] == 1
    assert all(value.isfinite().all() for value in state.values())
    before = read_checkpoint(checkpoints(found.folder)[0])
    assert before.facts["step"] == 1, "the state behind the first update was saved before the second was tried"
    assert all(value.equal(before.tensors[name]) for name, value in state.items())
    assert [entry["step"] for entry in found.metrics() if "loss" in entry] == [1]
    code, said = run(arguments, place / "out")
    assert (code, "diverged before" in said) == (1, True)


@both
def test_predictions_that_are_no_numbers(task: str, place: Path, runs: Path) -> None:
    code, said = run(command(task, place / "corpus", runs, train__lr="1e30", train__eval_every="1"), place / "out")
    assert code == 1
    assert "The prediction at step 1 is not a finite number" in said
    assert "nan" not in said
    assert Store(runs).open().status == "diverged"


def test_weights_that_are_no_numbers_are_not_the_last_good_state(place: Path, runs: Path) -> None:
    assert run(command("lm", place / "corpus", runs, train__lr="1e39", train__save_every="600"), place / "out")[0] == 1
    assert checkpoints(Store(runs).open().folder) == []


def test_two_processes_on_one_run(place: Path, runs: Path, whole: dict[str, dict[str, bytes]]) -> None:
    arguments = command("lm", place / "corpus", runs)
    first = fork(arguments, place / "first", partial(slow_down, 0.5))
    wait_for("slowly", place / "first")
    code, said = run(arguments, place / "out")
    assert code == 2
    assert "is in use by another process; wait for it, or stop it." in said
    assert said.count("\n") == 1
    assert ended(first) == [0]
    assert ends(runs) == whole["lm"]


def slow_down(seconds: float) -> None:
    """Let every step take a while, from the third one on."""
    update = Fit._update

    def slowly(self: Fit) -> Any:
        if self.step >= 2:
            print("slowly", flush=True)  # noqa: T201
            time.sleep(seconds)
        return update(self)

    Fit._update = slowly  # type: ignore[method-assign]


def test_different_runs_in_one_store_at_once(place: Path, runs: Path, whole: dict[str, dict[str, bytes]]) -> None:
    plans = [(task, seed) for seed in "01" for task in TASKS]
    children = [
        fork(command(task, place / "corpus", runs, "--seed", seed), place / f"out {task} {seed}")
        for task, seed in plans
    ]
    assert ended(*children) == [0] * len(plans)
    entries = Store(runs).entries()
    assert sorted((entry.task, str(entry.seed)) for entry in entries) == sorted(plans)
    assert {entry.status for entry in entries} == {"finished"}
    for task in TASKS:
        (first,) = (entry.id for entry in entries if (entry.task, entry.seed) == (task, 0))
        assert ends(runs, first) == whole[task]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@both
def test_asked_to_stop(task: str, number: int, place: Path, runs: Path, whole: dict[str, dict[str, bytes]]) -> None:
    arguments = command(task, place / "corpus", runs, train__save_every="600")
    child = fork(arguments, place / "out", partial(slow_down, 1.0))
    wait_for("slowly", place / "out")
    tell(child, number)
    assert ended(child) == [130]
    said = (place / "out").read_text()
    found = Store(runs).open()
    assert f"and saved. To continue: the same command again, or oratory train --resume {found.id}" in said
    assert "Traceback" not in said
    assert found.status == "interrupted"
    assert len(checkpoints(found.folder)) == 1
    again = ["train", "--resume", "last", "--runs", str(runs)] if number == signal.SIGINT else arguments
    code, said = run(again, place / "out")
    assert code == 0
    assert "continues at step" in said
    assert ends(runs) == whole[task]


def stuck() -> None:
    """Let one step take a minute."""
    update = Fit._update

    def slowly(self: Fit) -> Any:
        if self.step == 3:
            print("stuck", flush=True)  # noqa: T201
            time.sleep(60)
        return update(self)

    Fit._update = slowly  # type: ignore[method-assign]


def test_asked_to_stop_twice_ends_at_once(place: Path, runs: Path, whole: dict[str, dict[str, bytes]]) -> None:
    arguments = command("lm", place / "corpus", runs)
    child = fork(arguments, place / "out", stuck)
    wait_for("stuck", place / "out")
    tell(child, signal.SIGINT)
    time.sleep(0.5)  # Two signals at once would be one.
    tell(child, signal.SIGINT)
    assert ended(child, seconds=20) == [130]
    assert "Traceback" not in (place / "out").read_text()
    assert run(arguments, place / "out")[0] == 0
    assert ends(runs) == whole["lm"]


def test_threads_are_those_of_the_beginning(place: Path, runs: Path) -> None:
    import torch

    assert torch.get_num_threads() >= 1
    folder = stopped("lm", place, runs, 3)
    record = json.loads((folder / "run.json").read_text())
    assert record["machine"]["threads"] == 1
    seen = []
    train(
        "lm",
        place / "corpus",
        TASKS["lm"] | {"train.threads": "2"},
        runs=runs,
        listen=lambda event: seen.append(torch.get_num_threads()),
    )
    assert set(seen) == {1}


def test_nothing_in_a_run_is_a_pickle(place: Path, whole: dict[str, dict[str, bytes]]) -> None:
    endings = {path.suffix for path in place.glob("*-*/*") if not path.name.startswith(".")}
    assert endings == {".json", ".jsonl", ".parquet", ".safetensors"}
    assert np.frombuffer(whole["lm"]["items.parquet"][:4], np.uint8).tobytes() == b"PAR1"
