"""Trackers: the real libraries, local or offline; what they wrote is read back."""

import json
import os
import shutil
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import reload
from pathlib import Path
from typing import Any

import pytest

from oratory.errors import InputError
from oratory.execution.train import train
from oratory.exports.track import TRACKERS, follow, tracker
from oratory.exports.track.figures import named
from oratory.runs import Ended, Event, Run
from oratory.runs.events import together
from oratory.runs.record import METRICS, MODEL
from oratory.training.events import Stepped
from oratory.training.tasks import task_of

pytestmark = pytest.mark.long

SETTINGS = {"layers": 1, "width": 8, "train.iterations": 4, "train.eval_every": 2, "train.save_every": 0}
TEXTS = {
    "train_CLS.tsv": ["0\tWe will go on.", "0\tYes, we can.", "1\tThe state is strong!", "1\tGod bless you all."],
    "test_CLS.tsv": ["0\tyes we can", "1\tFreedom will prevail."],
    "train_LM.txt": ["We will go on.", "The state of our union is strong."],
    "test_LM_a.txt": ["We will go on.", "Our union is new."],
}
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
Figures = dict[str, list[tuple[int, float]]]
"""By name: step and value, in the order they were written."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("corpus")
    for name, lines in TEXTS.items():
        (made / name).write_text("".join(f"{line}\n" for line in lines))
    return made


@pytest.fixture(autouse=True, scope="module")
def alone() -> Iterator[None]:
    """No setting of this machine, and a proxy that leads nowhere."""
    with socket.create_server(("127.0.0.1", 0)) as proxy, pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("WANDB_", "MLFLOW_"))]:
            patch.delenv(name)
        for name in PROXIES:
            patch.setenv(name, f"http://127.0.0.1:{proxy.getsockname()[1]}")
        patch.delenv("NO_PROXY", raising=False)
        patch.delenv("no_proxy", raising=False)
        import oratory.exports.track.mlflow
        import oratory.exports.track.wandb

        for module in (oratory.exports.track.mlflow, oratory.exports.track.wandb):
            reload(module)  # It says in the environment what its library must not do.
        patch.setattr(oratory.exports.track.mlflow.Book, "every", 1)
        yield


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database of MLflow, which takes seconds to make."""
    from mlflow.tracking import MlflowClient

    path = tmp_path_factory.mktemp("mlflow") / "mlflow.db"
    MlflowClient(tracking_uri=f"sqlite:///{path}").search_experiments()
    return path


@pytest.fixture
def runs(tmp_path: Path, database: Path) -> Path:
    made = tmp_path / "runs"
    made.mkdir()
    shutil.copy(database, made / "mlflow.db")
    return made


@pytest.fixture(scope="module")
def tracked(corpus: Path, database: Path, tmp_path_factory: pytest.TempPathFactory, alone: None) -> dict[str, Run]:
    """A run of each task, with all trackers at once."""
    made = tmp_path_factory.mktemp("runs")
    shutil.copy(database, made / "mlflow.db")
    listen = together(*map(tracker, TRACKERS))
    return {task: train(task, corpus, SETTINGS, 0, runs=made, listen=listen) for task in ("classifier", "lm")}


def read_tensorboard(run: Run) -> Figures:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = EventAccumulator(str(run.folder / "tensorboard"), size_guidance={"scalars": 0}).Reload()
    return {tag: [(e.step, e.value) for e in found.Scalars(tag)] for tag in found.Tags()["scalars"]}


def mlflow_run(run: Run) -> tuple[Any, Any]:
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=f"sqlite:///{run.folder.parent / 'mlflow.db'}")
    (experiment,) = [e for e in client.search_experiments() if e.name == "oratory"]
    (found,) = client.search_runs([experiment.experiment_id], f"tags.`oratory.run` = '{run.id}'")
    return client, found


def read_mlflow(run: Run) -> Figures:
    client, found = mlflow_run(run)
    return {
        name: sorted((m.step, m.value) for m in client.get_metric_history(found.info.run_id, name))
        for name in found.data.metrics
    }


def wandb_records(run: Run) -> list[Any]:
    """What the offline files hold, which are logs in the format of LevelDB behind a head of seven bytes."""
    from wandb.proto.wandb_internal_pb2 import Record  # type: ignore[attr-defined]

    found = []
    for path in sorted((run.folder / "wandb").glob(f"offline-run-*/run-{run.id}.wandb")):
        content, place, part = path.read_bytes(), 7, b""
        while place + 7 <= len(content):
            if 32768 - place % 32768 < 7:
                place += 32768 - place % 32768
                continue
            size, kind = int.from_bytes(content[place + 4 : place + 6], "little"), content[place + 6]
            part += content[place + 7 : place + 7 + size]
            place += 7 + size
            if kind in (1, 4):  # whole, or the last part
                found.append(Record.FromString(part))
                part = b""
    return found


def read_wandb(run: Run) -> Figures:
    found: Figures = {}
    for record in wandb_records(run):
        if record.WhichOneof("record_type") == "history":
            row = {item.key or item.nested_key[0]: json.loads(item.value_json) for item in record.history.item}
            for name in row.keys() - {"step"}:
                if not name.startswith("_"):
                    found.setdefault(name, []).append((row["step"], row[name]))
    return found


READ: dict[str, Callable[[Run], Figures]] = {
    "wandb": read_wandb,
    "tensorboard": read_tensorboard,
    "mlflow": read_mlflow,
}


def expected(run: Run) -> Figures:
    """What a tracker must hold on the way, from the run's own metrics."""
    found: Figures = {}
    for row in (named(row, run.task) for row in run.metrics()):
        for name in row.keys() - {"step"}:
            found.setdefault(name, []).append((row["step"], row[name]))
    return found


def on_the_way(figures: Figures) -> Figures:
    return {name: values for name, values in figures.items() if not name.startswith("final/")}


def same(found: Figures, wanted: Figures) -> bool:
    close = found.keys() == wanted.keys()
    for name in wanted if close else ():
        close &= [step for step, _ in found[name]] == [step for step, _ in wanted[name]]
        close &= [v for _, v in found[name]] == pytest.approx([v for _, v in wanted[name]], rel=1e-6)
    return close


@pytest.mark.parametrize("name", TRACKERS)
@pytest.mark.parametrize("task", ["classifier", "lm"])
def test_every_figure_can_be_read_back(tracked: dict[str, Run], task: str, name: str) -> None:
    found, wanted = on_the_way(READ[name](tracked[task])), expected(tracked[task])
    assert same(found, wanted), (found, wanted)
    assert [step for step, _ in found["loss"]] == [1, 2, 3, 4]
    figure = "accuracy/test" if task == "classifier" else "perplexity/a"
    assert [step for step, _ in found[figure]] == [0, 2, 4]


def test_names_say_the_figure_and_what_it_is_of() -> None:
    row = {"step": 2, "epoch": 1.0, "train_loss": None}
    labelled, running = row | {"test_accuracy_unseen": 0.5}, row | {"perplexity": {"a": 9.0}, "train_loss": 3.0}
    assert named(labelled, task_of("classifier")) == {"step": 2, "epoch": 1.0, "accuracy_unseen/test": 0.5}
    assert named(running, task_of("lm")) == {"step": 2, "epoch": 1.0, "loss/train": 3.0, "perplexity/a": 9.0}


def test_the_result_and_the_settings_are_there(tracked: dict[str, Run]) -> None:
    run = tracked["classifier"]
    accuracy = run.result["test"]["accuracy"]
    assert read_tensorboard(run)["final/accuracy/test"] == [(4, pytest.approx(accuracy))]  # type: ignore[comparison-overlap]
    _, kept = mlflow_run(run)
    assert kept.data.metrics["final/accuracy/test"] == pytest.approx(accuracy)
    assert kept.data.params["train.iterations"] == "4"
    assert kept.data.tags["oratory.task"] == "classifier"
    assert (kept.info.status, kept.info.run_name) == ("FINISHED", run.id)
    records = wandb_records(run)
    (own,) = [record.run for record in records if record.WhichOneof("record_type") == "run"]
    assert own.run_id == run.id
    assert {"task:classifier", "seed:0"} <= set(own.tags)
    assert {item.key: item.value_json for item in own.config.update}["width"] == "8"
    summary = [item for r in records if r.WhichOneof("record_type") == "summary" for item in r.summary.update]
    final = {item.key or item.nested_key[0]: item.value_json for item in summary}
    assert json.loads(final["final/accuracy/test"]) == pytest.approx(accuracy)


def test_results_are_the_same_bytes_without_trackers(tracked: dict[str, Run], corpus: Path, tmp_path: Path) -> None:
    for task, run in tracked.items():
        plain = train(task, corpus, SETTINGS, 0, runs=tmp_path)
        for name in (METRICS, MODEL):
            assert (plain.folder / name).read_bytes() == (run.folder / name).read_bytes()


def test_nobody_calls_out(corpus: Path, runs: Path) -> None:
    script = (
        "from oratory.execution.train import train; from oratory.exports.track import TRACKERS, tracker\n"
        "from oratory.runs.events import together\n"
        "listen = together(*map(tracker, TRACKERS))\n"
        f"train('lm', {str(corpus)!r}, {SETTINGS!r}, 0, runs={str(runs)!r}, listen=listen)"
    )
    # A process of its own: what other tests have loaded into this one is not ours to answer for.
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.setblocking(False)
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        own = {name: value for name, value in os.environ.items() if not name.startswith(("WANDB_", "MLFLOW_"))}
        own |= dict.fromkeys(PROXIES, address)
        ran = subprocess.run([sys.executable, "-c", script], env=own, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        try:
            caller, _ = proxy.accept()
        except BlockingIOError:
            return
        with caller:
            caller.settimeout(5)
            pytest.fail(f"called out: {caller.recv(200)!r}")


class BrokeError(Exception):
    """As if the machine had stopped."""


def break_at(step: int) -> Callable[[Event], None]:
    def listen(event: Event) -> None:
        if isinstance(event, Stepped) and event.step == step:
            raise BrokeError

    return listen


@pytest.mark.parametrize("name", TRACKERS)
@pytest.mark.parametrize("closed", [True, False], ids=["closed", "left open"])
def test_a_run_that_goes_on_repeats_nothing(corpus: Path, runs: Path, name: str, closed: bool) -> None:
    first = tracker(name)
    with pytest.raises(BrokeError):
        train("classifier", corpus, SETTINGS, 0, runs=runs, listen=together(first, break_at(3)))
    if closed:
        first.__exit__(BrokeError, BrokeError(), None)
    run = train("classifier", corpus, SETTINGS, 0, runs=runs, listen=tracker(name))
    assert same(on_the_way(READ[name](run)), expected(run))


def test_a_killed_process_loses_and_repeats_nothing(corpus: Path, runs: Path) -> None:
    script = (
        "import os; from oratory.execution.train import train; from oratory.exports.track import tracker\n"
        "from oratory.runs.events import together\n"
        "def kill(event):\n"
        "    if getattr(event, 'step', 0) == 3: os.kill(os.getpid(), 9)\n"
        "listen = together(tracker('wandb'), tracker('tensorboard'), kill)\n"
        f"train('lm', {str(corpus)!r}, {SETTINGS!r}, 0, runs={str(runs)!r}, listen=listen)\n"
    )
    # wandb would let the process share the helper of this one, which lives on.
    own = {name: value for name, value in os.environ.items() if name != "WANDB_SERVICE"}
    killed = subprocess.run([sys.executable, "-c", script], env=own, capture_output=True, check=False)
    assert killed.returncode == -9, killed.stderr
    listen = together(tracker("wandb"), tracker("tensorboard"))
    run = train("lm", corpus, SETTINGS, 0, runs=runs, listen=listen)
    for read in (read_wandb, read_tensorboard):
        assert same(on_the_way(read(run)), expected(run))


@pytest.mark.parametrize("name", TRACKERS)
def test_a_run_from_before_is_filled_up_once(corpus: Path, runs: Path, name: str) -> None:
    train("lm", corpus, SETTINGS, 0, runs=runs)
    for _ in range(2):
        run = train("lm", corpus, SETTINGS, 0, runs=runs, listen=tracker(name))
        found = READ[name](run)
        assert same(on_the_way(found), expected(run))
    if name == "tensorboard":
        shutil.rmtree(run.folder / name)
        train("lm", corpus, SETTINGS, 0, runs=runs, listen=tracker(name))
        assert same(on_the_way(READ[name](run)), expected(run))


def test_it_is_said_what_is_kept_and_where(corpus: Path, runs: Path) -> None:
    said: list[str] = []
    train("lm", corpus, SETTINGS, 0, runs=runs, listen=tracker("tensorboard", tell=said.append))
    kept = "tensorboard has the losses, the evaluations, the settings and the result of this run"
    assert said == [f"{kept}: tensorboard --logdir {runs}"]


def test_what_was_stopped_says_so(corpus: Path, runs: Path) -> None:
    with pytest.raises(BrokeError), tracker("mlflow") as kept:
        train("classifier", corpus, SETTINGS, 0, runs=runs, listen=together(kept, break_at(3)))
    (folder,) = [path.parent for path in runs.glob("*/run.json")]
    assert mlflow_run(Run.read(folder))[1].info.status == "FAILED"


def test_a_tracker_that_fails_stops_nothing(
    tracked: dict[str, Run], corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    said: list[str] = []
    run = train("lm", corpus, SETTINGS, 0, runs=tmp_path, listen=tracker("mlflow", say=said.append))
    assert len(said) == 1
    assert said[0].startswith("mlflow cannot be written any more, training goes on without it: ")
    assert run.status == "finished"
    assert (run.folder / MODEL).read_bytes() == (tracked["lm"].folder / MODEL).read_bytes()


def test_a_tracker_that_breaks_on_the_way_says_so_once(corpus: Path, tmp_path: Path) -> None:
    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device")

    kept = tracker("tensorboard")

    def listen(event: Event) -> None:
        kept(event)
        if isinstance(event, Stepped) and kept.book is not None:
            setattr(kept.book, "write", full)  # noqa: B010 - a method in place of another

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("error")
        run = train("lm", corpus, SETTINGS, 0, runs=tmp_path, listen=listen)
    assert run.status == "finished"
    assert [str(warning.message) for warning in warned] == [
        "tensorboard cannot be written any more, training goes on without it: [Errno 28] No space left on device"
    ]


def test_a_missing_library_and_a_wrong_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"no tracker 'wandbb'\. Did you mean 'wandb'"):
        tracker("wandbb")
    monkeypatch.setattr(follow, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"mlflow needs mlflow and sqlalchemy and alembic: pip install 'oratory\[tra"):
        tracker("mlflow")


def test_together_tells_everyone_in_order(tracked: dict[str, Run]) -> None:
    heard: list[str] = []
    together(lambda event: heard.append("a"), lambda event: heard.append("b"))(Ended(tracked["lm"]))
    assert heard == ["a", "b"]


def test_training_without_a_tracker_imports_none(corpus: Path, tmp_path: Path) -> None:
    script = (
        "import sys, oratory.api, oratory.exports.track as track\n"
        f"oratory.api.train('lm', {str(corpus)!r}, {SETTINGS!r}, runs={str(tmp_path)!r})\n"
        "track.tracker('wandb'), track.tracker('mlflow')\n"
        "print([name for name in ('wandb', 'tensorboard', 'mlflow', 'onnx') if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
