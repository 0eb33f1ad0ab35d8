"""Trainings and comparisons that are started, stopped and continued from the page: real commands, real processes."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from oratory.errors import InputError
from oratory.execution.local import cores
from oratory.records import write_record
from oratory.runs import Store
from oratory.web import job as states
from oratory.web.app import build
from oratory.web.job import Job, outcome, read_jobs
from oratory.web.jobs import Jobs
from oratory.web.laboratory import Laboratory
from oratory.web.work import BusyError
from tests.execution.training import LM, ends, quick, run, wait_until, words, write_corpus
from tests.web.conftest import HOME, Server

SHORTER = LM | {"train.iterations": "400", "train.eval_every": "200", "train.save_every": "0"}
LONG = LM | {"train.iterations": "4000", "train.eval_every": "2000", "train.save_every": "0"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a corpus, which the page is started in."""
    folder = quick(tmp_path)
    write_corpus(folder / "corpus")
    monkeypatch.chdir(folder)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def client(place: Path) -> Iterator[TestClient]:
    with TestClient(build(Laboratory(place / "runs")), HOME, raise_server_exceptions=False) as found:
        yield found


def wanted(**changes: Any) -> dict[str, Any]:
    return {"task": "lm", "data": "corpus", "settings": LM} | changes


def job_of(client: TestClient, name: str) -> Any:
    return client.get(f"/api/jobs/{name}").json()


def test_what_is_wrong_is_said_before_anything_starts(client: TestClient, place: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        (wanted(settings={"layer": "1"}), "Did you mean 'layers'?"),
        (wanted(settings={"layers": "many"}), "layers"),
        (wanted(settings={"position": "ropes"}), "Did you mean 'rope'?"),
        (wanted(task="nothing"), "nothing"),
        (wanted(data=str(place / "corpus")), "There is no corpus"),
        (wanted(data="../corpus"), "There is no corpus"),
        (wanted(model="/etc/passwd"), "There is no run '/etc/passwd'"),
        (wanted(model="run:corpus"), "There is no run"),
        (wanted(settings={"tokenizer": "pretrained(path=/etc)"}), "no tokenizer from a path"),
        (wanted(settings={"model": "minilm"}), "model"),
        (wanted(kind="comparison", variants=["base"]), "at least two variants"),
        (wanted(kind="comparison", variants=["base", "--plugin=evil.py"]), "does not begin with a dash"),
        (wanted(kind="comparison", variants=["base", "model=run:/tmp"]), "There is no run"),
        (wanted(kind="comparison", variants=["base", "position=ropes"]), "Did you mean 'rope'?"),
        (wanted(kind="comparison", variants=["base", "layers=2"], seeds="0"), "seeds"),
    ]
    for body, sentence in cases:
        for path in ("/api/train/check", "/api/train/start"):
            answer = client.post(path, json=body)
            assert answer.status_code == 400, (body, answer.text)
            assert sentence in answer.json()["error"], (body, answer.text)
    too_much = wanted(settings={f"s{number}": "1" for number in range(101)})
    assert client.post("/api/train/start", json=too_much).status_code == 422
    assert client.get("/api/jobs").json() == {"jobs": [], "runs": []}
    assert not (place / "runs").exists()


@pytest.mark.slow
def test_the_command_that_is_shown_trains_the_same_run(client: TestClient, place: Path) -> None:
    planned = client.post("/api/train/check", json=wanted(seed=2)).json()
    assert planned["command"] == (
        f"oratory train lm {' '.join(words(LM))} --data corpus --seed 2 --runs {place / 'runs'}"
    )
    started = client.post("/api/train/start", json=wanted(seed=2)).json()
    again = client.post("/api/train/start", json=wanted(seed=2)).json()
    assert again["id"] == started["id"], "what is under way is not started twice"
    wait_until(lambda: not job_of(client, started["id"])["under_way"])
    done = job_of(client, started["id"])
    assert (done["state"], done["share"]) == ("done", 1.0), done
    [of_job] = done["runs"]
    arguments = ["train", "lm", *words(LM), "--data", "corpus", "--seed", "2", "--runs", str(place / "other")]
    assert run(arguments, place / "out")[0] == 0
    assert ends(place / "other") == ends(place / "runs")
    assert Store(place / "other").open().id == of_job["run"]


@pytest.mark.long
def test_a_comparison_from_the_page(client: TestClient) -> None:
    body = wanted(kind="comparison", variants=["base", "position=rope"], seeds="3", settings=LM)
    started = client.post("/api/train/start", json=body).json()
    assert started["total"] == 6
    wait_until(lambda: not job_of(client, started["id"])["under_way"])
    done = job_of(client, started["id"])
    assert (done["state"], done["done"]) == ("done", 6), done
    [comparison] = client.get("/api/comparisons").json()["results"]
    assert "position=rope" in client.get(f"/comparisons/{comparison['id']}").text


@pytest.mark.long
def test_what_is_stopped_is_saved_and_what_waits_does_not_begin(client: TestClient, place: Path) -> None:
    """As many at once as there are processors, and one more in the queue."""
    lab_slots = cores()
    bodies = [wanted(settings=LONG, seed=seed) for seed in range(lab_slots + 1)]
    started = [client.post("/api/train/start", json=body).json()["id"] for body in bodies]
    assert [job_of(client, name)["state"] for name in started] == ["running"] * lab_slots + ["waiting"]
    wait_until(lambda: job_of(client, started[0])["runs"] and job_of(client, started[0])["runs"][0]["step"] > 10)
    live = client.get("/api/jobs").json()["jobs"][-1]["runs"][0]
    assert live["status"] == "running"
    assert 0 < live["share"] < 1
    page = client.get(f"/runs/{live['run']}").text
    assert "Stop and save" in page
    assert client.post(f"/api/runs/{live['run']}/resume").status_code == 400
    assert client.post(f"/api/jobs/{started[-1]}/stop").json()["state"] == "stopped"
    for name in started[:lab_slots]:
        client.post(f"/api/jobs/{name}/stop")
    wait_until(lambda: not any(job_of(client, name)["under_way"] for name in started))
    stopped = job_of(client, started[0])
    assert stopped["state"] == "stopped", stopped
    assert "saved" in stopped["message"]
    assert Store(place / "runs").open(live["run"]).status == "interrupted"
    assert "Continue" in client.get(f"/runs/{live['run']}").text
    assert client.post("/api/jobs/nothing/stop").status_code == 400


@pytest.mark.long
def test_the_server_is_killed_and_the_run_goes_on_from_the_page(place: Path) -> None:
    """The training is saved, and ends as if nothing had happened."""
    arguments = ["train", "lm", *words(SHORTER), "--data", "corpus", "--runs"]
    assert run([*arguments, str(place / "whole")], place / "out")[0] == 0
    server = Server(place)
    body = wanted(settings=SHORTER)
    name = server.ask("POST", "/api/train/start", json=body)["id"]
    wait_until(lambda: server.ask("GET", f"/api/jobs/{name}")["runs"])
    trained = server.ask("GET", f"/api/jobs/{name}")["runs"][0]["run"]
    wait_until(lambda: server.ask("GET", f"/api/jobs/{name}")["runs"][0]["step"] > 20)
    server.end(kill=True)
    # The training notices that nobody is there any more, saves, and ends.
    wait_until(lambda: not Store(place / "runs").is_held(trained))
    server = Server(place)
    try:
        [job] = server.ask("GET", "/api/jobs")["jobs"]
        assert (job["state"], job["can_continue"]) == ("interrupted", True)
        again = server.ask("POST", f"/api/runs/{trained}/resume")
        assert [each["id"] for each in server.ask("GET", "/api/jobs")["jobs"]] == [again["id"]], "it is there once"
        wait_until(lambda: Store(place / "runs").open(trained).status == "finished")
    finally:
        server.end()
    assert ends(place / "runs", trained) == ends(place / "whole")


@pytest.mark.long
def test_the_server_ends_by_ctrl_c_and_saves(place: Path) -> None:
    server = Server(place)
    name = server.ask("POST", "/api/train/start", json=wanted(settings=LONG))["id"]
    wait_until(lambda: server.ask("GET", f"/api/jobs/{name}")["runs"])
    server.end()
    [entry] = Store(place / "runs").entries()
    assert entry.status == "interrupted"


def test_a_job_that_was_written_by_somebody_else_is_not_run(tmp_path: Path) -> None:
    """A store is not trusted: a command with a plugin in it would run their code."""
    folder = tmp_path / "jobs"
    folder.mkdir()
    usual = {"title": "", "created": "2026", "state": "stopped"}
    for number, said in enumerate(
        [
            ("train", "lm", "--plugin", "evil.py"),
            ("train", "lm", "--plugin=evil.py"),
            ("check", "evil.py"),
            (),
            ("train", "lm", "layers=1", "--data", "sotu"),
        ]
    ):
        facts = {"format": 1, "id": f"job-{number}", "words": list(said), **usual}
        write_record(folder / f"job-{number}.json", facts)
    (folder / "job-9.json").write_text("{")
    assert [job.id for job in read_jobs(folder)] == ["job-4"]


def test_what_commands_say() -> None:
    job = Job(id="job-1", title="", words=("train",), created="")
    heard = job.heard("lm-0123456789 begins: 300 steps, 12 parameters, seed 0")
    assert heard.runs == ("lm-0123456789",)
    assert heard.heard("lm-0123456789 continues at step 10: 300 steps") == heard
    assert job.heard("oratory: <b>lm-0123456789</b> begins") == job
    counted = job.heard("2/6 a (b): c, seed 1: done (classifier-0123456789)")
    assert (counted.done, counted.total, counted.runs) == (2, 6, ("classifier-0123456789",))
    assert job.heard("3/6 x, seed 1: failed: It diverged.").done == 3
    assert outcome(0, ["oratory: x"]) == (states.DONE, "")
    assert outcome(130, ["oratory: Stopped."]) == (states.STOPPED, "Stopped.")
    assert outcome(2, ["first", "oratory: Wrong.", ""]) == (states.FAILED, "Wrong.")
    assert outcome(-9, []) == (states.FAILED, "It ended with code -9.")


def test_jobs_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oratory.web.jobs.MOST", 2)
    monkeypatch.setattr(Jobs, "_next", lambda self: None)
    jobs = Jobs(tmp_path)
    first = jobs.add("one", ["train", "lm", "seed"])
    jobs.add("two", ["train", "lm"])
    with pytest.raises(BusyError, match="2 jobs"):
        jobs.add("three", ["train", "mlm"])
    assert jobs.stop(first.id).state == "stopped"
    with pytest.raises(InputError, match="is waiting"):
        jobs.again(jobs.add("three", ["train", "mlm"]).id)
    assert [job.state for job in Jobs(tmp_path).all()] == ["interrupted", "interrupted", "stopped"]
