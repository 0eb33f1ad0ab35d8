"""Jobs on this machine: several processes, killed ones, stopped ones."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from oratory.execution.jobs import Job, Outcome, Shared, Step
from oratory.execution.local import Local
from oratory.execution.train import train
from oratory.runs import Store
from oratory.text import Corpus
from tests.execution.training import LM, ends, words, write_corpus
from tests.execution.workers import ENDLESS, JOBS, Killer, Ran, holder_of, is_there, latest, run

FIRST, WRONG, SECOND, OWN = JOBS
needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="processes are found through /proc")


def test_runs_are_those_of_one_process(straight: Ran, small: Corpus, tmp_path: Path) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        run = train("lm", small, FIRST.settings, FIRST.seed, runs=tmp_path)
    finally:
        torch.set_num_threads(before)
    assert straight.outcomes["base", 0] == Outcome(FIRST, run.id)
    assert straight.bytes_of("base", 0) == ends(tmp_path, run.id)
    assert straight.bytes_of("base", 0) != straight.bytes_of("base", 1)


def test_steps_are_told_on_the_way(straight: Ran) -> None:
    steps = straight.steps(SECOND)
    assert steps[0] == 0
    assert steps == sorted(set(steps))
    assert len(steps) > 1
    assert {event.steps for event in straight.events if isinstance(event, Step)} == {50}


def test_a_job_that_fails_does_not_stop_the_others(straight: Ran) -> None:
    assert straight.outcomes["wrong", 0].run is None
    assert "no position 'nowhere'" in straight.outcomes["wrong", 0].problem
    assert len(straight.outcomes) == len(JOBS)
    assert all(outcome.run for key, outcome in straight.outcomes.items() if key != ("wrong", 0))


def test_plugins_reach_the_workers(straight: Ran, notes: Path) -> None:
    assert straight.outcomes["own", 0].run
    assert str(os.getpid()) not in {path.name for path in notes.iterdir()}
    assert Store(straight.runs).open(straight.outcomes["own", 0].run or "").record.plugins


def test_what_is_there_is_used(straight: Ran, small: Corpus) -> None:
    again = run(Local(1), [FIRST], small, straight.runs)
    assert again.events == [Outcome(FIRST, straight.outcomes["base", 0].run, reused=True)]


@needs_proc
def test_a_killed_worker_goes_on_from_its_checkpoint(straight: Ran, small: Corpus, tmp_path: Path) -> None:
    killer = Killer(tmp_path)
    ran = run(Local(2), [FIRST, SECOND], small, tmp_path)
    (at,) = killer.at
    killed, other = (FIRST, SECOND) if ran.outcomes["base", 0].run == killer.run_id else (SECOND, FIRST)
    assert at >= 8
    assert at in ran.steps(killed)
    assert ran.steps(killed).count(0) == ran.steps(other).count(0) == 1
    for seed in (0, 1):
        assert ran.bytes_of("base", seed) == straight.bytes_of("base", seed)


@needs_proc
def test_a_job_is_given_up_when_it_was_killed_three_times(small: Corpus, tmp_path: Path) -> None:
    killer = Killer(tmp_path, times=3)
    ran = run(Local(1), [FIRST, WRONG], small, tmp_path)
    assert len(killer.at) == 3
    assert ran.outcomes["base", 0] == Outcome(FIRST, None, "Its process was killed 3 times.")
    assert "no position" in ran.outcomes["wrong", 0].problem


@needs_proc
def test_workers_end_and_save_when_nobody_listens_any_more(small: Corpus, tmp_path: Path) -> None:
    with closing(Local(2)(ENDLESS, Shared(small, str(tmp_path)))) as events:  # type: ignore[type-var]
        next(event for event in events if isinstance(event, Step) and event.step > 5)
        workers = {pid for path in tmp_path.glob("lm-*") if (pid := holder_of(path))}
    assert workers
    assert not any(map(is_there, workers))
    for entry in Store(tmp_path).entries():
        assert entry.status == "interrupted"
    assert max(latest(path) for path in tmp_path.glob("lm-*")) > 5


@needs_proc
@pytest.mark.long
def test_ctrl_c_ends_the_workers(tmp_path: Path) -> None:
    corpus, runs, out = write_corpus(tmp_path / "corpus"), tmp_path / "runs", tmp_path / "out"
    settings = LM | {"train.iterations": "5000", "train.save_every": "0"}
    given = [part for word in words(settings) for part in ("--set", word)]
    asked = ["compare", "base", "position=rope", "--task", "lm", "--data", str(corpus), "--seeds", "1", "--on", "local"]
    with out.open("wb") as file:
        program = subprocess.Popen(
            [sys.executable, "-m", "oratory", *asked, "--runs", str(runs), "--workers", "2", *given],
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        until = time.monotonic() + 180
        while sum(latest(path) > 3 for path in runs.glob("lm-*")) < 2:
            assert time.monotonic() < until, out.read_text()
            time.sleep(0.05)
        workers = {pid for path in runs.glob("lm-*") if (pid := holder_of(path))}
        os.killpg(program.pid, signal.SIGINT)
        assert program.wait(timeout=180) == 130, out.read_text()
    finally:
        program.kill()
    assert len(workers) == 2
    assert not any(map(is_there, workers))
    assert "Traceback" not in out.read_text()
    assert "The same command continues" in out.read_text()


def test_two_variants_that_are_the_same_run_share_it(small: Corpus, tmp_path: Path) -> None:
    same = replace(FIRST, variant="same")
    ran = run(Local(2), [FIRST, same, SECOND], small, tmp_path)
    assert ran.outcomes["base", 0].run == ran.outcomes["same", 0].run is not None
    assert ran.outcomes["base", 0].reused != ran.outcomes["same", 0].reused
    assert ran.outcomes["base", 1].run


def test_a_run_that_someone_else_has_is_not_waited_for(small: Corpus, straight: Ran, tmp_path: Path) -> None:
    name = straight.outcomes["base", 0].run
    assert name
    with Store(tmp_path).hold(name):
        ran = run(Local(2), [FIRST, replace(FIRST, variant="same"), SECOND], small, tmp_path)
    assert all("in use by another process" in ran.outcomes[variant, 0].problem for variant in ("base", "same"))
    assert ran.outcomes["base", 1].run


def test_a_plain_script_needs_no_guard(tmp_path: Path) -> None:
    """Workers do not run the user's script again."""
    script = tmp_path / "script.py"
    script.write_text(
        "import oratory as ora\n"
        "print('begun')\n"
        f"found = ora.compare('base', 'position=rope', task='lm', corpus='corpus', seeds=2, settings={LM})\n"
        "print(found.id)\n"
    )
    write_corpus(tmp_path / "corpus")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    begun, name = done.stdout.split()
    assert begun == "begun"
    assert name.startswith("compare-")


def test_of_the_next_jobs_the_longest_begins_first(small: Corpus, tmp_path: Path) -> None:
    """Once it is known what they take; untried variants come before them, and seed comes after seed."""
    warm = Job("warm", "lm", LM | {"train.iterations": "2", "train.eval_every": "2"}, 0)
    short = Job("short", "lm", LM | {"train.iterations": "1", "train.eval_every": "1"}, 0)
    long = Job("long", "lm", LM | {"train.iterations": "400"}, 0)
    jobs = [warm, *(replace(job, seed=seed) for seed in (0, 1, 2) for job in (short, long))]
    done = [(job.variant, job.seed) for job in map(_job, run(Local(1), jobs, small, tmp_path).events) if job]
    assert done == [("warm", 0), ("short", 0), ("long", 0), ("long", 1), ("short", 1), ("long", 2), ("short", 2)]


def _job(event: Step | Outcome) -> Job | None:
    """The job that is done."""
    return event.job if isinstance(event, Outcome) else None


@needs_proc
def test_ctrl_c_does_not_reach_the_server_while_it_loads() -> None:
    """Nor later: it comes to this process, which then ends the workers."""
    asked = (
        "from multiprocessing import forkserver; from oratory.execution.local import start_server; start_server(); "
        "print(open(f'/proc/{forkserver._forkserver._forkserver_pid}/status').read())"
    )
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout
    blocked = next(int(line.split()[1], 16) for line in told.splitlines() if line.startswith("SigBlk"))
    assert blocked & 1 << (signal.SIGINT - 1)
