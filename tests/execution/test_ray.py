"""Jobs on Ray: a real one of this machine, a real one behind an address, and addresses where there is none."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.execution.jobs import Outcome, Shared, Step
from oratory.execution.ray import OnRay
from oratory.execution.ray_worker import TrainedFiles, receive
from oratory.runs import Store
from oratory.text import Corpus
from tests.execution.training import LM, free_port, words, write_corpus
from tests.execution.workers import ENDLESS, JOBS, Killer, Ran, holder_of, latest, plugin, run
from tests.runs import records

pytestmark = pytest.mark.long

FIRST, WRONG, SECOND, OWN = JOBS
needs_ray = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="workers are found through /proc")


def processes(text: str) -> set[int]:
    """The processes that have a text in their command line."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in path.read_bytes():
                found.add(int(path.parent.name))
        except OSError:
            continue
    return found


@pytest.fixture(scope="module", autouse=True)
def token() -> Iterator[None]:
    """Nobody else can use the Rays of these tests. Ray looks at this when it is imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        yield


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster of one machine, in a process of its own."""
    pytest.importorskip("ray")
    port, out = free_port(), tmp_path_factory.mktemp("head") / "out"
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as folder:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        command = [str(Path(sys.executable).parent / "ray"), "start", "--head", "--block", "--num-cpus", "2"]
        command += ["--node-ip-address", "127.0.0.1", "--port", str(free_port()), "--temp-dir", folder]
        command += ["--ray-client-server-port", str(port), "--include-dashboard", "false"]
        with out.open("wb") as file:
            program = subprocess.Popen(command, stdout=file, stderr=file, cwd=folder)
        try:
            until = time.monotonic() + 60
            while not (answers(port) and "ray status" in out.read_text()):
                if program.poll() is not None or time.monotonic() > until:
                    pytest.skip(f"this machine does not start a Ray: {out.read_text()[-300:]}")
                time.sleep(0.1)
            yield f"ray://127.0.0.1:{port}"
        finally:
            program.send_signal(signal.SIGTERM)
            program.wait(timeout=60)
            for left in processes(folder):
                os.kill(left, signal.SIGKILL)


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@needs_ray
def test_a_ray_of_the_call(
    straight: Ran, small: Corpus, notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ray")
    handler = signal.getsignal(signal.SIGTERM)
    environment = dict(os.environ)
    killer = Killer(tmp_path)
    ran = run(OnRay(), JOBS, small, tmp_path, plugin(notes))
    assert_the_same(ran, straight, killer)
    assert ran.outcomes["wrong", 0] == straight.outcomes["wrong", 0]
    until = time.monotonic() + 20
    while left := processes("/tmp/oratory-"):
        assert time.monotonic() < until, f"Ray has left processes behind: {left}"
        time.sleep(0.1)
    assert not list(Path("/tmp").glob("oratory-*/session*"))
    assert not list(tmp_path.glob(".ray-*"))
    assert signal.getsignal(signal.SIGTERM) is handler
    assert dict(os.environ) == environment
    assert capsys.readouterr().out == ""


def assert_the_same(ran: Ran, straight: Ran, killer: Killer) -> None:
    """The runs are those of this machine to the bit, and one was killed and went on from its checkpoint."""
    for key in (("base", 0), ("base", 1), ("own", 0)):
        assert ran.bytes_of(*key) == straight.bytes_of(*key)
    (at,) = killer.at
    killed = next(outcome.job for outcome in ran.outcomes.values() if outcome.run == killer.run_id)
    assert at >= 8
    assert at in ran.steps(killed)
    assert ran.steps(killed).count(0) == 1


@needs_ray
def test_a_cluster_that_does_not_see_the_runs(
    head: str, straight: Ran, small: Corpus, notes: Path, tmp_path: Path
) -> None:
    """A path through this process's own open files leads nowhere in another one."""
    before = {path.name for path in notes.iterdir()}
    had = straight.outcomes["base", 0].run or ""
    (tmp_path / had).symlink_to(straight.runs / had)
    cache = Path(os.environ["ORATORY_CACHE"]) / "ray"
    opened = os.open(tmp_path, os.O_RDONLY)
    try:
        killer = Killer(cache)
        ran = run(OnRay(head), JOBS, small, Path(f"/proc/self/fd/{opened}"), plugin(notes))
    finally:
        os.close(opened)
    ran.runs = tmp_path
    assert_the_same(ran, straight, killer)
    assert ran.outcomes["base", 0] == Outcome(FIRST, had, reused=True)
    assert ran.outcomes["wrong", 0] == straight.outcomes["wrong", 0]
    assert {entry.status for entry in Store(tmp_path).entries()} == {"finished"}
    assert not list(cache.iterdir())
    loaded = {path.read_text() for path in notes.iterdir() if path.name not in before}
    assert loaded
    assert all("py_modules_files" in path for path in loaded), "the workers have the Oratory of this process"


@needs_ray
def test_runs_are_saved_when_nobody_listens_any_more(head: str, small: Corpus, tmp_path: Path) -> None:
    with closing(OnRay(head, 1)(ENDLESS, Shared(small, str(tmp_path)))) as events:  # type: ignore[type-var]
        next(event for event in events if isinstance(event, Step) and event.step > 5)
        (folder,) = tmp_path.glob("lm-*")
        worker = holder_of(folder)
    assert worker
    assert holder_of(folder) is None
    (entry,) = Store(tmp_path).entries()
    assert entry.status == "interrupted"
    assert Store(tmp_path).open(entry.id).record.status == "interrupted", "it was saved, and not just killed"
    assert latest(folder) > 5


def test_nobody_at_the_address(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    asked = ["compare", "base", "position=rope", "--task", "lm", "--data", str(write_corpus(tmp_path / "corpus"))]
    given = [part for word in words(LM) for part in ("--set", word)]
    address = f"ray://127.0.0.1:{free_port()}"
    began = time.monotonic()
    command = [sys.executable, "-m", "oratory", *asked, "--runs", str(tmp_path / "runs"), "--on", address, *given]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert f"No Ray answers at {address}" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("address", ["ray://", "ray://host", "ray://host:port", "ray://:10001"])
def test_an_address_that_is_none(address: str, small: Corpus, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    with pytest.raises(InputError, match="no address of a Ray; it looks like ray://HOST:10001"):
        next(OnRay(address)(JOBS, Shared(small, str(tmp_path))))


def test_something_else_at_the_address(small: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray.util.client.worker")
    monkeypatch.setattr("ray.util.client.worker.INITIAL_TIMEOUT_SEC", 0.1)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        address = f"ray://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(InputError, match=f"The Ray at {address} does not take us"):
            next(OnRay(address)(JOBS, Shared(small, str(tmp_path))))


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"pip install 'oratory\[cluster\]'"):
        OnRay()


def test_a_parcel_replaces_what_was_begun(tmp_path: Path) -> None:
    begun = records.write(tmp_path, status="running")
    (begun.folder / "checkpoints" / "step-1").mkdir(parents=True)
    (begun.folder / "metrics.jsonl").write_text("old\n")
    sent = records.write(tmp_path / "there")
    receive(
        TrainedFiles(sent.id, {"run.json": (sent.folder / "run.json").read_bytes(), "part/model": b""}), str(tmp_path)
    )
    assert Store(tmp_path).open(begun.id).status == "finished"
    assert {path.name for path in begun.folder.iterdir()} - {".lock"} == {"run.json", "part"}
    assert (begun.folder / "part" / "model").read_bytes() == b""


def test_a_parcel_for_a_run_that_is_in_use(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.hold("lm-1"), pytest.raises(InputError, match="in use by another process"):
        receive(TrainedFiles("lm-1", {}), str(tmp_path))
