"""Going on with a run: by its id or `last`, and with nothing but the same run."""

import json
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oratory.errors import Failed, InputError
from oratory.execution.resume import resume
from oratory.execution.train import advice_on, train
from oratory.mechanisms import REGISTRY
from oratory.runs import Ended, Event, Run, Started, Store
from oratory.runs.record import RECORD
from oratory.text import load_corpus
from oratory.training.loop import Diverged
from tests.execution.training import TASKS, command, ends, fork, run, wait_for, write_corpus
from tests.program import ended, tell


def stop(task: str, place: Path, runs: Path, seed: int = 0, **more: str) -> Run:
    """A run that was stopped behind a few steps."""

    def kill(event: Event) -> None:
        if getattr(event, "step", 0) >= 3:
            raise ZeroDivisionError

    settings = TASKS[task] | {"train.save_every": "0"} | more
    with pytest.raises(ZeroDivisionError):
        train(task, place / "corpus", settings, seed, runs=runs, listen=kill)
    return Store(runs).open()


def test_last_is_the_newest_that_is_not_finished(place: Path, runs: Path) -> None:
    first, second = stop("lm", place, runs, 1), stop("classifier", place, runs, 2)
    train("lm", place / "corpus", TASKS["lm"], 3, runs=runs)
    assert resume("last", runs=runs).id == second.id
    assert resume("last", runs=runs).id == first.id
    with pytest.raises(InputError, match=r"There is no run in .* that can continue"):
        resume("last", runs=runs)


def test_last_of_a_task(place: Path, runs: Path) -> None:
    first = stop("lm", place, runs, 1)
    stop("classifier", place, runs, 2)
    assert resume("last", runs=runs, task="lm").id == first.id
    with pytest.raises(InputError, match=r"There is no lm run in .* that can continue"):
        resume("last", runs=runs, task="lm")


def test_last_leaves_a_run_alone_that_is_at_work(place: Path, runs: Path) -> None:
    waiting = stop("classifier", place, runs)
    many = {"train__iterations": "100000", "train__eval_every": "100000", "train__save_every": "600"}
    child = fork(command("lm", place / "corpus", runs, **many), place / "out")
    try:
        wait_for("step 0", place / "out")
        assert resume("last", runs=runs).id == waiting.id
        with pytest.raises(InputError, match="can continue"):
            resume("last", runs=runs)
    finally:
        tell(child, signal.SIGKILL)
        ended(child)


def test_by_the_beginning_of_its_id(place: Path, runs: Path) -> None:
    found = stop("lm", place, runs)
    events: list[Event] = []
    resume(found.id[:6], runs=runs, listen=events.append)
    assert isinstance(events[0], Started)
    assert events[0].step == 2
    assert isinstance(events[-1], Ended)
    assert not events[-1].again
    again: list[Event] = []
    resume(found.id, runs=runs, listen=again.append)
    assert again == [Ended(Store(runs).open(found.id), again=True)]


def test_more_that_agrees_and_what_decides_nothing(place: Path, runs: Path) -> None:
    found = stop("lm", place, runs)
    settings = {"layers": "1", "train.save_every": "5", "train.threads": "2"}
    corpus = load_corpus(str(place / "corpus"))
    again = resume(found.id, runs=runs, task="lm", seed=0, corpus=corpus, settings=settings)
    assert again.status == "finished"
    assert ends(runs) == ends(runs, train("lm", place / "corpus", TASKS["lm"], runs=runs).id)


def another_corpus(place: Path) -> str:
    folder = write_corpus(place / "other")
    (folder / "train_LM.txt").write_text(
        "We will go.\nOn and on and on we will go.\nThe state of our union is strong.\n"
    )
    return str(folder)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"seed": 7}, "the seed is 0, not 7"),
        ({"task": "classifier"}, "the task is lm, not classifier"),
        ({"settings": {"layers": "2"}}, "layers is 1, not 2"),
        ({"settings": {"train.lr": "0.5"}}, "train.lr is 0.001, not 0.5"),
        ({"settings": {"train.optimizer": "muon"}}, "train.optimizer is adam, not muon"),
        ({"settings": {"tokenizer": "char"}}, "tokenizer is word, not char"),
        ({"settings": {"position": "rope", "width": "16"}}, "width is 8, not 16; position is learned, not rope"),
        ({"corpus": another_corpus}, "the corpus has the fingerprint "),
    ],
)
def test_anything_else_is_refused_and_named(given: dict[str, Any], said: str, place: Path, runs: Path) -> None:
    found = stop("lm", place, runs)
    before = {path: path.read_bytes() for path in found.folder.rglob("*") if path.is_file()}
    if "corpus" in given:
        given = {"corpus": load_corpus(given["corpus"](place))}
    with pytest.raises(InputError, match=f"The run {found.id} cannot continue like this: in it, .*{said}"):
        resume(found.id, runs=runs, **given)
    assert {path: path.read_bytes() for path in found.folder.rglob("*") if path.is_file()} == before


def test_the_corpus_has_changed_since(place: Path, runs: Path, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    stop("lm", tmp_path, runs)
    with (corpus / "train_LM.txt").open("a") as file:
        file.write("One more line of text.\n")
    code, said = run(["train", "--resume", "last", "--runs", str(runs)], place / "out")
    assert code == 2
    assert "the corpus has the fingerprint" in said
    shutil.rmtree(corpus)
    code, said = run(["train", "--resume", "last", "--runs", str(runs)], place / "out")
    assert code == 2
    assert str(corpus) in said


def test_a_corpus_that_was_loaded_before(place: Path, runs: Path) -> None:
    found = stop("lm", place, runs)
    assert found.record.corpus.source == str(place / "corpus")
    assert train("lm", load_corpus(place / "corpus"), TASKS["lm"], runs=runs).id == found.id


def test_a_record_with_an_older_source_goes_on(place: Path, runs: Path) -> None:
    found = stop("classifier", place, runs)
    changed(found.folder / RECORD, lambda facts: facts["corpus"].update(source={"data": str(place / "corpus")}))
    assert Store(runs).open(found.id).record.corpus.source == str(place / "corpus")
    assert resume("last", runs=runs).id == found.id


def test_dev_that_a_run_carves_itself_is_not_part_of_the_source(place: Path, runs: Path) -> None:
    found = stop("classifier", place, runs)  # It keeps the weights that are best on dev.
    assert found.record.corpus.source == str(place / "corpus")
    assert found.load_corpus().fingerprint == found.fingerprint


def test_a_corpus_that_was_made_in_python(place: Path, runs: Path) -> None:
    corpus = replace(load_corpus(str(place / "corpus")), source=None)

    def kill(event: Event) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train("lm", corpus, TASKS["lm"], runs=runs, listen=kill)
    with pytest.raises(InputError, match="does not say how its corpus was loaded; name it with --data"):
        resume("last", runs=runs)
    assert resume("last", runs=runs, corpus=corpus).status == "finished"


def changed(record: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Another content, as an older version or a user with an editor may leave it: without a checksum."""
    facts = json.loads(record.read_text())
    facts.pop("digest")
    change(facts)
    record.write_text(json.dumps(facts))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda facts: facts.update(format=99), "was written by a newer Oratory (format 99; this one reads up to 1)"),
        (lambda facts: facts.pop("format"), "run.json is not the record of a run"),
        (lambda facts: facts.pop("corpus"), "run.json is damaged"),
        (lambda facts: facts.pop("machine"), "run.json is damaged"),
        (lambda facts: facts.pop("settings"), "run.json is damaged"),
        (lambda facts: facts.update(status="wonderful"), "run.json is damaged"),
        (lambda facts: facts["versions"].update(oratory="0.0.1"), "it was begun by Oratory 0.0.1, and this is"),
        (lambda facts: facts["machine"].update(processes=4), "it has 4 processes, not 1"),
        (lambda facts: facts["settings"].update({"train.device": "cuda"}), "train.device is cuda, not cpu"),
    ],
)
def test_records_that_cannot_be_used(change: Any, said: str, place: Path, runs: Path) -> None:
    found = stop("lm", place, runs)
    changed(found.folder / RECORD, change)
    code, text = run(["train", "--resume", found.id, "--runs", str(runs)], place / "out")
    assert code == 2
    assert said in text
    assert text.count("\n") == 1


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b'{"format": "one"}'])
def test_a_damaged_record(content: bytes, place: Path, runs: Path) -> None:
    found = stop("lm", place, runs)
    (found.folder / RECORD).write_bytes(content)
    for arguments in (["train", "--resume", found.id, "--runs", str(runs)], command("lm", place / "corpus", runs)):
        code, text = run(arguments, place / "out")
        assert code == 2
        assert str(found.folder / RECORD) in text
        assert text.count("\n") == 1


def test_a_run_that_is_not_there(place: Path, runs: Path) -> None:
    with pytest.raises(InputError, match=r"There is no run 'lm-nothing' in .*; there is none yet"):
        resume("lm-nothing", runs=runs)
    found = stop("lm", place, runs)
    for name in ("lm-nothing", "../runs", "", ".", "/"):
        with pytest.raises(InputError, match=f"There is no run .* such as {found.id}"):
            resume(name, runs=runs)


def test_a_run_that_diverged(place: Path, runs: Path) -> None:
    with pytest.raises(Failed, match="keeps the last good state"):
        train("lm", place / "corpus", TASKS["lm"] | {"train.lr": "1e30"}, runs=runs)
    with pytest.raises(Failed, match="diverged before: The loss at step 1 is not a finite number"):
        resume(Store(runs).open().id, runs=runs)
    with pytest.raises(InputError, match="can continue"):
        resume("last", runs=runs)


PLUGIN = """
from dataclasses import dataclass
from oratory.mechanisms.position.sinusoidal import Sinusoidal

@dataclass(frozen=True, kw_only=True)
class Mine(Sinusoidal):
    \"\"\"Positions of my own.\"\"\"
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN)
    REGISTRY.load_plugin(path)
    yield path
    REGISTRY["position"].pop("mine", None)


def test_a_run_with_a_plugin(plugin: Path, place: Path, runs: Path) -> None:
    found = stop("lm", place, runs, position="mine")
    (entry,) = found.record.plugins
    assert (entry.name, entry.path) == ("mine.py", str(plugin.resolve()))

    # In a process that has not loaded it.
    without = ["train", "--resume", found.id, "--runs", str(runs)]
    code, said = run(without, place / "out")
    assert code == 2
    assert "It was trained with --plugin mine.py." in said
    # With another one of that name.
    other = plugin.with_name("other") / "mine.py"
    other.parent.mkdir()
    other.write_text(PLUGIN + "\n# changed\n")
    code, said = run([*without, "--plugin", str(other)], place / "out")
    assert code == 2
    said = " ".join(said.split())
    assert f"was trained with mine.py as it was then (sha256 {entry.sha256[:12]}), and {other} has another" in said
    assert f"if you trust it, say --plugin {runs / found.id / entry.copy}" in said
    code, said = run([*without, "--plugin", str(plugin)], place / "out")
    assert code == 0
    assert "continues at step 2" in said


def test_before_the_first_update_the_rate_is_not_blamed() -> None:
    assert "train.lr is not the cause" in advice_on(Diverged(0, "loss", np.array([0])))
    assert "a smaller train.lr" in advice_on(Diverged(1, "loss", np.array([0])))
