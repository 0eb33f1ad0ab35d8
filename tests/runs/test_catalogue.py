"""The catalogue says what the folders say, whatever happens to it."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oratory.errors import InputError
from oratory.ids import is_id
from oratory.runs import catalogue
from oratory.runs.catalogue import ASIDE, FILE, Catalogue
from oratory.runs.entry import Entry
from oratory.runs.filters import select
from oratory.runs.listing import grouped
from oratory.runs.store import Store
from tests.runs.records import TOKENS, as_run, record, write, write_many


def ids(folder: Path) -> set[str]:
    return {entry.id for entry in Catalogue(folder).entries()}


def rows(folder: Path) -> dict[str, list[Any]]:
    """What stands in the file itself: the facts of each run by its id."""
    connection = sqlite3.connect(folder / FILE)
    found = connection.execute("SELECT id, facts FROM runs").fetchall()
    connection.close()
    return {name: json.loads(facts) for name, facts in found}


def test_an_entry_says_what_the_record_says(tmp_path: Path) -> None:
    run = write(tmp_path, seed=3, given={"position": "rope", "layers": 6})
    (entry,) = Catalogue(tmp_path).entries()
    assert (entry.id, entry.task, entry.corpus, entry.fingerprint) == (run.id, "classifier", "speeches", "f00d")
    assert (entry.seed, entry.status, entry.seconds, entry.parameters) == (3, "finished", 23.0, 576_339)
    assert entry.variant == "layers=6 position=rope"
    assert entry.settings == run.settings
    assert entry.figures == {
        "accuracy": 0.83,
        "accuracy_seen": 0.95,
        "accuracy_unseen": 0.415,
        "loss": pytest.approx(0.17),
        "dev_accuracy": 0.7,
    }


def test_one_variant_has_one_text(tmp_path: Path) -> None:
    assert Entry.of(write(tmp_path)).variant == "base"
    assert Entry.of(write(tmp_path, given={"train.save_every": 5})).variant == "base"
    texts = ({"train.lr": "1e-3", "tied": "on"}, {"tied": "true", "train.lr": "0.001"})
    made = [record(given={"tied": True, "train.lr": 1e-3}) | {"given": given} for given in texts]
    assert {Entry.of(as_run(tmp_path / "x", one)).variant for one in made} == {"tied=on train.lr=0.001"}


def test_perplexity_is_that_of_all_test_tokens(tmp_path: Path) -> None:
    figures = Entry.of(write(tmp_path, "lm", seed=5)).figures
    nats = TOKENS["obama"] * log(355) + TOKENS["wbush"] * log(455)
    assert figures["perplexity"] == pytest.approx(exp(nats / (TOKENS["obama"] + TOKENS["wbush"])))
    assert figures["perplexity.train"] == 150
    assert figures["perplexity.wbush"] == 455


def test_an_infinite_perplexity_is_no_figure(tmp_path: Path) -> None:
    result = record("lm")["result"]
    result["obama"]["perplexity"] = None
    figures = Entry.of(write(tmp_path, "lm", result=result)).figures
    assert figures["perplexity"] is None
    assert figures["perplexity.obama"] is None
    assert figures["perplexity.wbush"] == 450


def test_the_newest_comes_first(tmp_path: Path) -> None:
    for seed in (2, 9, 4):
        write(tmp_path, seed=seed)
    same = [write(tmp_path, "lm", seed=seed, created="2026-03-01T05:00:00+00:00") for seed in (0, 1, 2)]
    for place, run in enumerate(same):
        os.utime(run.folder / "run.json", ns=(place, place))
    found = [entry.seed for entry in Catalogue(tmp_path).entries()]
    assert found == [9, 2, 1, 0, 4, 2]
    assert [entry.seed for entry in Catalogue(tmp_path).entries()] == found


def test_it_follows_the_folders(tmp_path: Path) -> None:
    first, second = write(tmp_path, seed=0), write(tmp_path, seed=1)
    (tmp_path / "no-run").mkdir()
    (tmp_path / "file").write_text("")
    assert ids(tmp_path) == {first.id, second.id} == set(rows(tmp_path))
    shutil.rmtree(first.folder)
    third = write(tmp_path, seed=2)
    shutil.copytree(third.folder, tmp_path / "copy")
    assert ids(tmp_path) == {second.id, third.id, "copy"} == set(rows(tmp_path))


def test_finished_runs_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, seed=0)
    write(tmp_path, seed=1, status="interrupted")
    before = Catalogue(tmp_path).entries()
    asked: list[str] = []
    monkeypatch.setattr(catalogue, "_entry", lambda folder: pytest.fail(f"{folder} is read"))
    real = catalogue._stamp
    monkeypatch.setattr(catalogue, "_stamp", lambda folder: asked.append(folder.name) or real(folder))  # type: ignore[func-returns-value]
    assert Catalogue(tmp_path).entries() == before
    assert asked == [entry.id for entry in before if entry.status == "interrupted"]


def test_a_change_is_written_by_put(tmp_path: Path) -> None:
    run = write(tmp_path, status="running", result=None)
    Catalogue(tmp_path).put(run)
    assert "running" in rows(tmp_path)[run.id]
    Catalogue(tmp_path).put(run.write(status="finished", result=record()["result"]))
    assert "finished" in rows(tmp_path)[run.id]
    Catalogue(tmp_path).drop(run.id)
    assert not rows(tmp_path)


def test_a_change_that_put_could_not_write_is_found_out(tmp_path: Path) -> None:
    run = write(tmp_path, status="running", result=None)
    assert Catalogue(tmp_path).entries()[0].status == "running"
    run.write(status="finished", result=record()["result"])
    os.utime(run.folder / "run.json", ns=(1, 1))  # Whatever the clock says.
    assert Catalogue(tmp_path).entries()[0].figures["accuracy"] == 0.8


def test_a_record_that_goes_is_no_run_any_more(tmp_path: Path) -> None:
    run = write(tmp_path, status="interrupted")
    assert ids(tmp_path) == {run.id}
    (run.folder / "run.json").unlink()
    assert ids(tmp_path) == set() == set(rows(tmp_path))


def test_an_older_record_does_not_overwrite_a_newer_one(tmp_path: Path) -> None:
    run = write(tmp_path, status="running")
    here = Catalogue(tmp_path)
    old = here._read([run.id])
    here.put(run.write(status="finished"))
    stamp, entry = old[run.id]
    here._write({run.id: (stamp - 1, entry)}, ())
    assert "finished" in rows(tmp_path)[run.id]


@pytest.mark.parametrize(
    "content",
    [b"this is no database" * 100, b"SQLite format 3\0" + b"\xff" * 4000],
    ids=["text", "broken header"],
)
def test_a_damaged_catalogue_is_put_aside(tmp_path: Path, content: bytes) -> None:
    run = write(tmp_path)
    (tmp_path / FILE).write_bytes(content)
    assert ids(tmp_path) == {run.id} == set(rows(tmp_path))
    assert (tmp_path / ASIDE).read_bytes() == content


@pytest.mark.parametrize("place", range(0, 20_000, 1000))
def test_a_catalogue_with_holes(tmp_path: Path, place: int) -> None:
    made = {write(tmp_path, seed=seed).id for seed in range(20)}
    assert ids(tmp_path) == made
    content = bytearray((tmp_path / FILE).read_bytes())
    content[place : place + 600] = np.random.default_rng(place).bytes(600)
    (tmp_path / FILE).write_bytes(content)
    assert ids(tmp_path) == made
    new = write(tmp_path, "lm")
    Catalogue(tmp_path).put(new)
    assert ids(tmp_path) == made | {new.id} == set(rows(tmp_path))
    assert Catalogue(tmp_path).rebuild() == 21 == len(rows(tmp_path))


def test_the_database_of_something_else_is_put_aside(tmp_path: Path) -> None:
    run = write(tmp_path)
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("CREATE TABLE runs (precious TEXT)")
    connection.execute("INSERT INTO runs VALUES ('data')")
    connection.commit()
    connection.close()
    Catalogue(tmp_path).put(run)
    assert set(rows(tmp_path)) == {run.id}
    aside = sqlite3.connect(tmp_path / ASIDE)
    assert aside.execute("SELECT precious FROM runs").fetchone() == ("data",)
    aside.close()


def test_a_catalogue_of_another_version_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write(tmp_path)
    monkeypatch.setattr(catalogue, "VERSION", 99)
    assert ids(tmp_path) == {run.id}
    monkeypatch.undo()
    write(tmp_path, seed=1)
    assert len(ids(tmp_path)) == 2 == len(rows(tmp_path))


def test_a_catalogue_that_cannot_be_opened_costs_nothing_but_time(tmp_path: Path) -> None:
    run = write(tmp_path)
    (tmp_path / FILE).mkdir()
    Catalogue(tmp_path).put(run)
    assert ids(tmp_path) == {run.id}
    with pytest.raises(InputError, match=f"{FILE} cannot be written: unable to open database file"):
        Catalogue(tmp_path).rebuild()


def test_a_catalogue_that_stays_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "WAIT", 0.05)
    run = write(tmp_path, status="running")
    Catalogue(tmp_path).put(run)
    other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    done = run.write(status="finished")
    new = write(tmp_path, seed=1)
    Catalogue(tmp_path).put(done)
    assert {(entry.id, entry.status) for entry in Catalogue(tmp_path).entries()} == {
        (run.id, "finished"),
        (new.id, "finished"),
    }
    other.close()
    assert {entry.status for entry in Catalogue(tmp_path).entries()} == {"finished"}
    assert set(rows(tmp_path)) == {run.id, new.id}


@pytest.fixture
def forbidden() -> Iterator[Path]:
    """A folder that may be read and not written."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "runs"
        write(folder, seed=0)
        write(folder, seed=1, status="running")
        Path(name).chmod(0o755)
        yield folder


@pytest.mark.parametrize("with_catalogue", [False, True])
def test_a_folder_that_may_not_be_written(forbidden: Path, with_catalogue: bool) -> None:
    if with_catalogue:
        Catalogue(forbidden).entries()
        write(forbidden, "lm")
    forbidden.chmod(0o555)
    before, number = sorted(forbidden.rglob("*")), 3 if with_catalogue else 2
    privileged = os.geteuid() == 0
    if privileged:
        os.seteuid(65534)  # Root may write anywhere.
    try:
        assert len(Store(forbidden).entries()) == number
        Catalogue(forbidden).put(as_run(forbidden / before[0].name, record()))
        Catalogue(forbidden).drop("x")
        with pytest.raises(InputError, match="cannot be written"):
            Catalogue(forbidden).rebuild()
    finally:
        if privileged:
            os.seteuid(0)
        forbidden.chmod(0o755)
    assert sorted(forbidden.rglob("*")) == before


def test_nothing_is_made_where_there_is_nothing(tmp_path: Path) -> None:
    assert Catalogue(tmp_path / "nowhere").entries() == []
    assert Catalogue(tmp_path / "nowhere").rebuild() == 0
    (tmp_path / "other").mkdir()
    assert Store(tmp_path).entries() == []
    assert {path.name for path in tmp_path.iterdir()} == {"other"}
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file cannot be read: Not a directory"):
        Catalogue(tmp_path / "file").entries()


DAMAGED: dict[str, Callable[[str], str]] = {
    "cut short": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "a list": lambda text: "[]",
    "no format": lambda text: "{}",
    "no facts": lambda text: '{"format": 1}',
    "unknown status": lambda text: text.replace('"finished"', '"done"'),
    "not a number": lambda text: text.replace('"dropout": 0.0', '"dropout": NaN'),
    "result of another kind": lambda text: text.replace('"task": "classifier"', '"task": "lm"'),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_records_are_listed_as_such(tmp_path: Path, case: str) -> None:
    run, other = write(tmp_path, seed=5), write(tmp_path, seed=1)
    path = run.folder / "run.json"
    whole = path.read_text()
    path.write_text(DAMAGED[case](whole))
    for _ in range(2):
        found = {entry.id: entry for entry in Catalogue(tmp_path).entries()}
        assert found[run.id].status == "damaged"
        assert found[other.id].status == "finished"
    assert Store(tmp_path).open("last").id == other.id
    assert Store(tmp_path).verify(run.id)
    path.write_text(whole)
    assert {entry.status for entry in Catalogue(tmp_path).entries()} == {"finished"}


def test_a_record_of_brackets(tmp_path: Path) -> None:
    run = write(tmp_path)
    (run.folder / "run.json").write_text("[" * 100_000)
    assert [entry.status for entry in Catalogue(tmp_path).entries()] == ["damaged"]


def test_a_catalogue_that_lost_its_table(tmp_path: Path) -> None:
    run = write(tmp_path)
    Catalogue(tmp_path).put(run)
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("DROP TABLE runs")
    connection.close()
    assert ids(tmp_path) == {run.id} == set(rows(tmp_path))


def test_records_of_a_newer_format(tmp_path: Path) -> None:
    run = write(tmp_path)
    (run.folder / "run.json").write_text(json.dumps(record(format=2)))
    assert [entry.status for entry in Catalogue(tmp_path).entries()] == ["newer"]
    with pytest.raises(InputError, match="written by a newer Oratory"):
        Store(tmp_path).open(run.id)


def test_numbers_that_are_too_large_for_a_database(tmp_path: Path) -> None:
    write(tmp_path, seed=10**30)
    for _ in range(2):
        assert [entry.seed for entry in Catalogue(tmp_path).entries()] == [10**30]
    assert len(rows(tmp_path)) == 1


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "/etc", "a\0b", ".hidden", "a\\b", "\udcff", "é", "a b", "a.b", "a" * 201]
)
def test_names_that_are_none(tmp_path: Path, name: str) -> None:
    write(tmp_path)
    write(tmp_path / "..", id="x")
    (tmp_path / "../run.json").write_text("{}")
    assert not is_id(name)
    assert not Store(tmp_path).has(name)
    with pytest.raises(InputError, match="There is no run"):
        Store(tmp_path).open(name)


def test_folders_that_cannot_be_named_are_no_runs(tmp_path: Path) -> None:
    run = write(tmp_path)
    for name in ("\udcff", ".removed-x"):
        shutil.copytree(run.folder, tmp_path / name)
    assert ids(tmp_path) == {run.id}


WRITER = """
import sys
from pathlib import Path
from oratory.runs.catalogue import Catalogue
from tests.runs.records import record, write

folder, task = Path(sys.argv[1]), sys.argv[2]
for seed in range(40):
    run = write(folder, task, seed, status="running")
    Catalogue(folder).put(run)
    Catalogue(folder).entries()
    Catalogue(folder).put(run.write(status="finished"))
"""


def test_processes_that_write_at_once(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    started = [subprocess.Popen([*command, task], cwd=root, stderr=subprocess.PIPE) for task in ("classifier", "lm")]
    while any(process.poll() is None for process in started):
        assert all(entry.status in ("running", "finished") for entry in Catalogue(tmp_path).entries())
        time.sleep(0.01)
    for process in started:
        assert process.communicate()[1] == b""
        assert process.returncode == 0
    stored = rows(tmp_path)
    assert len(stored) == 80
    assert all("finished" in facts for facts in stored.values())
    assert not (tmp_path / ASIDE).exists()


MANY_WRITERS = """
import sys
from pathlib import Path
from oratory.runs.store import Store
from tests.runs.records import record, write

store, first, count = Store(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
for seed in range(first, first + count):
    with store.hold(record(seed=seed)["id"]):
        run = write(store.folder, seed=seed, status="running", result=None)
        store.catalogue.put(run)
        store.catalogue.put(run.write(status="finished", result=record(seed=seed)["result"]))
    if seed % 10 == 0:
        assert run.id in {entry.id for entry in store.entries()}
"""


@pytest.mark.long
def test_twenty_processes_lose_none_of_a_thousand_runs(tmp_path: Path) -> None:
    processes, each = 20, 50
    root = Path(__file__).parents[2]
    started = [
        subprocess.Popen(
            [sys.executable, "-c", MANY_WRITERS, str(tmp_path), str(number * each), str(each)],
            cwd=root,
            stderr=subprocess.PIPE,
        )
        for number in range(processes)
    ]
    assert [(process.communicate()[1], process.returncode) for process in started] == [(b"", 0)] * processes
    wanted = {record(seed=seed)["id"] for seed in range(processes * each)}
    stored = rows(tmp_path)
    assert set(stored) == wanted == ids(tmp_path)
    assert len(wanted) == 1000
    assert all("finished" in facts for facts in stored.values())
    assert {entry.status for entry in Catalogue(tmp_path).entries()} == {"finished"}
    assert not (tmp_path / ASIDE).exists()


def test_a_run_that_no_process_holds_is_interrupted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    held, left = write(tmp_path, seed=0, status="running"), write(tmp_path, seed=1, status="running")
    code = "import sys; from oratory.runs.store import Store\n"
    code += "with Store(sys.argv[1]).hold(sys.argv[2]): print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path), held.id], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        assert {entry.id: entry.status for entry in store.entries()} == {held.id: "running", left.id: "interrupted"}
        assert store.current(held).status == "running"
        with pytest.raises(InputError, match="is in use by another process"):
            store.remove(held.id)
        assert store.has(held.id)
        process.kill()
    assert {entry.status for entry in store.entries()} == {"interrupted"}
    assert store.current(held).status == "interrupted"
    assert not (left.folder / ".lock").exists()  # Looking leaves nothing behind.


def test_removing_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    run, other = write(store.folder, seed=0), write(store.folder, seed=1)
    kept = write(tmp_path / "elsewhere")
    (store.folder / "link").symlink_to(kept.folder)
    assert len(store.entries()) == 3
    (store.folder / ".removed-before").mkdir()
    store.remove(run.id)
    store.remove("link")
    assert {path.name for path in store.folder.iterdir()} - {FILE} == {other.id}
    assert set(rows(store.folder)) == {other.id}
    assert kept.folder.exists()


@pytest.mark.long
def test_ten_thousand_runs(tmp_path: Path) -> None:
    write_many(tmp_path, 10_000)
    store = Store(tmp_path)
    assert store.catalogue.rebuild() == 10_000
    entries = store.entries()
    assert len(entries) == 10_000
    assert len(grouped(entries).groups) == 1000
    works: tuple[Callable[[], object], ...] = (
        store.entries,
        lambda: select(entries, ["layers=3", "accuracy>0.8"], sort="train.lr"),
        lambda: grouped(entries, sort="accuracy"),
    )
    for work in works:
        seconds = []
        for _ in range(5):
            started = time.process_time()  # Not what else the machine does.
            work()
            seconds.append(time.process_time() - started)
        assert min(seconds) < 0.3


@pytest.mark.parametrize(("table", "column"), [("runs", "facts"), ("settings", "text")])
def test_a_digit_that_changed_in_the_catalogue_is_not_believed(tmp_path: Path, table: str, column: str) -> None:
    run = write(tmp_path, seed=3, given={"layers": 3})
    before = Catalogue(tmp_path).entries()
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute(f"UPDATE {table} SET {column} = replace({column}, '3', '7')")
    connection.commit()
    connection.close()
    assert Catalogue(tmp_path).entries() == before
    assert (tmp_path / ASIDE).exists()
    assert before[0].seed == run.seed
