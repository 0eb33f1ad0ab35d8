"""The commands that reports print: the program takes each of them."""

import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

import oratory.recipes.make  # noqa: F401 - who can make a reproduction knows its command
from oratory.cli import build
from oratory.comparisons import Comparison
from oratory.execution.train import train
from oratory.recipes import HandResult, Reproduction
from oratory.reports.command import best_command, command_of
from oratory.runs import Run
from oratory.searches.result import Search
from oratory.training.tasks import task_of
from tests.execution.training import TASKS, write_corpus

TORCHRUN = ["torchrun", "--nproc-per-node", "2", "-m"]
REMARK = "  # The corpus was made in Python, and no command loads it."


def accepted(command: str) -> dict[str, Any]:
    """What the program reads from the words of a command; an error where it has no such option."""
    program, name, *words = shlex.split(command, comments=True)
    assert program == "oratory"
    group: Any = typer.main.get_command(build())
    found: dict[str, Any] = group.commands[name].make_context(name, list(words)).params
    return found


def search(**changes: Any) -> Any:
    facts: dict[str, Any] = {
        "task": task_of("classifier"),
        "space": {"train.lr": "1e-4,1e-3"},
        "method": "grid",
        "trials": (),
        "seeds": (0, 1),
        "search_seed": 0,
        "at_once": 4,
        "prune": False,
        "settings": {},
        "best": SimpleNamespace(settings={"train.lr": "1e-3"}),
        "source": "sotu",
        "plugins": ("/a/decay.py",),
    }
    return SimpleNamespace(**facts | changes)


def test_a_run(tmp_path: Path) -> None:
    run = train("lm", write_corpus(tmp_path / "corpus"), TASKS["lm"], 3, runs=tmp_path / "runs")
    assert accepted(command_of(run))["seed"] == 3
    several = Run(run.folder, run.record.changed(machine=replace(run.record.machine, processes=2)))
    words = shlex.split(command_of(several))
    assert words[:4] == TORCHRUN
    assert shlex.join(words[4:]) == command_of(run)


def test_a_comparison() -> None:
    variants = [SimpleNamespace(name="base", settings={}), SimpleNamespace(name="mine", settings={"layers": "2"})]
    made = SimpleNamespace(
        task=task_of("mlm"),
        variants=variants,
        seeds=(0, 1),
        settings={"width": "8"},
        metric=task_of("mlm").metric(),
        named_metric=True,
        source=None,
        plugins=("/a/decay.py",),
    )
    command = command_of.dispatch(Comparison)(made)
    found = accepted(command)
    assert command.endswith(REMARK)
    assert (found["variants"], found["task"], found["settings"]) == (["base", "mine: layers=2"], "mlm", ["width=8"])


def test_a_search_and_its_best_settings() -> None:
    assert accepted(command_of.dispatch(Search)(search()))["plugin"] == [Path("/a/decay.py")]
    assert accepted(best_command(search()))["plugin"] == [Path("/a/decay.py")]
    tuned = search(settings={"model": "minilm"})
    assert accepted(command_of.dispatch(Search)(tuned))["model"] == "minilm"
    found = accepted(best_command(tuned))  # Published models are not made of mechanisms.
    assert (found["model"], found["settings"]) == ("minilm", ["train.lr=1e-3"])


@pytest.mark.parametrize("source", ["sotu", None])
def test_a_recipe(source: str | None) -> None:
    recipe = SimpleNamespace(name="r2-window", changes={"layers": "1"})
    command = command_of.dispatch(Reproduction)(SimpleNamespace(recipe=recipe, seeds=(0, 1), source=source))
    found = accepted(command)
    assert (found["names"], found["data"], found["settings"]) == (["r2-window"], source, ["layers=1"])
    assert command.endswith(REMARK) == (source is None)
    by_hand = SimpleNamespace(recipe=SimpleNamespace(name="r3-by-hand"))
    assert accepted(command_of.dispatch(HandResult)(by_hand))["names"] == ["r3-by-hand"]


def test_what_is_not_an_option_is_refused() -> None:
    with pytest.raises(Exception, match="No such option: --layers"):
        accepted("oratory finetune minilm --layers 2")
