"""A task is its folder: it is found by being there, and nobody outside asks which one it is."""

import ast
import re
import shutil
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import oratory
from oratory.api import compare, load_result
from oratory.execution.resume import resume
from oratory.execution.train import train
from oratory.reports.run import run_document
from oratory.runs import Event, Run, Store
from oratory.runs.listing import Listing
from oratory.training import tasks as package
from oratory.training.config import PREFIX, TrainConfig, training_settings
from oratory.training.explain import explain
from oratory.training.tasks import task_names, task_of, tasks
from tests.execution.training import MLM, write_corpus

SOURCE = Path(oratory.__file__).parent
TASKS = SOURCE / "training" / "tasks"
OUTSIDE = sorted(path for path in SOURCE.rglob("*.py") if TASKS not in path.parents)
RECIPES = SOURCE / "recipes"
"""Experiments on one task, with figures of that task."""


def test_every_task_is_found_by_the_name_of_its_folder() -> None:
    folders = {path.name for path in TASKS.iterdir() if (path / "__init__.py").exists()}
    assert folders == set(tasks())
    assert task_names() == "classifier, lm or mlm"
    assert {type(task).__module__ for task in tasks().values()} == {f"{package.__name__}.{name}" for name in folders}


def asked_for(path: Path) -> set[str]:
    """The texts that a file compares something with."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        inside = [*node.comparators, node.left] if isinstance(node, ast.Compare) else []
        inside += [node.pattern] if isinstance(node, ast.match_case) else []  # type: ignore[list-item]
        found |= {
            part.value
            for each in inside
            for part in ast.walk(each)
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
        }
    return found


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nobody_outside_asks_which_task_it_is(path: Path) -> None:
    assert not asked_for(path) & set(tasks())
    inside = re.findall(rf"oratory\.training\.tasks\.({'|'.join(tasks())})\b", path.read_text())
    assert not inside or RECIPES in path.parents, "a task is reached through `tasks()`"
    assert not re.search(r"\bmlm\b", path.read_text()), "the newest task is known in its folder only"


def test_a_file_that_asks_is_caught(tmp_path: Path) -> None:
    for line in ("if task.name == 'lm': pass", "ok = name in ('mlm', 'x')", "match name:\n    case 'classifier': pass"):
        (tmp_path / "asks.py").write_text(line)
        assert asked_for(tmp_path / "asks.py") & set(tasks())


def test_settings_of_one_name_mean_the_same_in_every_task() -> None:
    found: dict[str, object] = {}
    for task in tasks().values():
        for setting in training_settings([task.train_config()]):
            assert found.setdefault(setting.name, setting) == setting, f"{setting.name} of {task}"
    shared = {f"{PREFIX}{field.name}" for field in fields(TrainConfig)}
    assert shared < set(found)


@pytest.fixture
def cloze(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A task that somebody else wrote, in a folder: here, a copy of one of ours under another name."""
    name = "cloze"
    made = shutil.copytree(TASKS / "mlm", tmp_path / "tasks" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in made.rglob("*.py"):
        text = path.read_text().replace("oratory.training.tasks.mlm", f"oratory.training.tasks.{name}")
        path.write_text(text.replace('name = "mlm"', f'name = "{name}"').replace("    mask: ", "    hidden: "))
    config = made / "config.py"
    config.write_text(config.read_text().replace("self.mask", "self.hidden"))
    learning = made / "learning.py"
    learning.write_text(learning.read_text().replace("training.mask", "training.hidden"))
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(made.parent)])
    tasks.cache_clear()
    yield name
    tasks.cache_clear()


def test_a_folder_is_all_that_a_task_needs(cloze: str, tmp_path: Path, in_this_process: None) -> None:
    assert cloze in task_names()
    settings = {name.replace("train.mask", "train.hidden"): value for name, value in MLM.items()}
    (found,) = explain("train.hidden").settings
    assert found.tasks == (cloze,)
    corpus, runs = write_corpus(tmp_path / "corpus"), tmp_path / "runs"

    def stop(event: Event) -> None:
        if getattr(event, "step", 0) == 5:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(cloze, corpus, settings | {"train.save_every": "0"}, runs=runs, listen=stop)
    run = resume("last", runs=runs)
    assert run.id.startswith("cloze-")
    assert run_document(run).sections
    assert run.score("We will go on.")[0].pseudo_perplexity > 1
    [table] = Listing(tuple(Store(runs).entries()), 1).tables()
    assert table.title == "Masked language models on corpus"
    made = compare("base", "layers=2", task=cloze, corpus=corpus, seeds=2, settings=without(settings), runs=runs)
    again = load_result(made.id, runs)
    assert not isinstance(again, Run)
    assert again.to_dict() == made.to_dict()
    assert task_of(cloze).metric().name == made.metric.name == "pseudo-perplexity"


def without(settings: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in settings.items() if name != "layers"}
