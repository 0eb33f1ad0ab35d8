"""How long recipes will take: from runs of the store, from runs like them, and from a short training."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from oratory.execution.local import cores
from oratory.execution.train import train
from oratory.recipes import Recipe, list_recipes, load_recipe, plan
from oratory.recipes.estimate import PlannedRun, estimate, planned_runs
from oratory.recipes.planning import time_of
from oratory.recipes.recipe import FINGERPRINT
from oratory.recipes.timing import time_short_training
from oratory.runs import Store
from oratory.runs.entry import Entry
from oratory.tables import duration
from oratory.text import load_corpus
from tests.execution.training import CLASSIFIER, LM, write_corpus

SECONDS = 60.0


def never(run: PlannedRun) -> float:
    """A timer for estimates that need none."""
    raise AssertionError(f"there is no need to time {run}")


class Recorded(Store):
    """A store with runs that took a minute each."""

    def __init__(self, folder: Path, *recipes: Recipe, fingerprint: str = FINGERPRINT) -> None:
        super().__init__(folder)
        self.recipes, self.fingerprint = recipes, fingerprint

    def entries(self) -> list[Entry]:
        return list(self._entries())

    def _entries(self) -> Iterator[Entry]:
        for recipe in self.recipes:
            for variant in recipe.variants:
                settings = {**recipe.completed(variant).settings, "vocabulary": 9, "train.threads": 2}
                facts = {"task": recipe.task.name, "fingerprint": self.fingerprint, "settings": settings}
                yield Entry(variant.name, status="finished", seed=7, seconds=SECONDS, **facts)  # type: ignore[arg-type]


def test_runs_with_other_seeds_take_as_long(tmp_path: Path) -> None:
    recipe = load_recipe("r2-window")
    found = estimate(planned_runs(recipe, FINGERPRINT, range(3)), Recorded(tmp_path, recipe), never, workers=2)
    assert found.seconds == 2 * 3 * SECONDS / 2
    assert (found.runs, found.had, found.recorded) == (6, 0, 6)
    had = estimate(planned_runs(recipe, FINGERPRINT, [7]), Recorded(tmp_path, recipe), never)
    assert (had.runs, had.had) == (0, 2)


@pytest.mark.parametrize(
    ("changes", "factor"),
    [
        ({"train.lr": "0.5", "dropout": "0.1"}, 1.0),
        ({"layers": "8"}, 2.0),
        ({"width": "32", "heads": "4"}, 0.5),
        ({"train.iterations": "250"}, 0.5),
        ({"train.batch": "24", "context": "48"}, 2.25),
    ],
)
def test_runs_with_other_numbers_are_scaled(tmp_path: Path, changes: dict[str, str], factor: float) -> None:
    recipe = load_recipe("r4-lm")
    runs = planned_runs(recipe.changed(changes), FINGERPRINT, range(2))
    found = estimate(runs, Recorded(tmp_path, recipe), never, workers=1)
    assert found.seconds == pytest.approx(2 * factor * SECONDS)
    assert (found.recorded, found.scaled, found.timed) == (0, 2, 0)
    assert found.sentence().endswith("The estimate rests on recorded runs with other numbers, scaled (2).")


def test_an_epoch_takes_as_long_with_any_batch(tmp_path: Path) -> None:
    recipe = load_recipe("r3-grid")
    short, long = (run.work for run in planned_runs(recipe, "", [0])[:2])
    assert long == pytest.approx(short * 5 / 2)
    batches = planned_runs(recipe.changed({"train.lr": "1", "train.epochs": "1"}), "", [0])
    assert len({run.work for run in batches}) == 1


def test_the_nearest_run_is_scaled(tmp_path: Path) -> None:
    recipe = load_recipe("r4-lm")
    store = Recorded(tmp_path, recipe.changed({"train.iterations": "100"}), recipe)
    found = estimate(planned_runs(recipe.changed({"train.iterations": "450"}), FINGERPRINT, [0]), store, never, 1)
    assert found.seconds == pytest.approx(0.9 * SECONDS)


def test_what_is_not_like_anything_is_timed_once(tmp_path: Path) -> None:
    timed = []

    def time(run: PlannedRun) -> float:
        timed.append(run)
        return 10.0

    grid = planned_runs(load_recipe("r3-grid"), "", range(2))
    found = estimate(grid, Store(tmp_path / "none"), time, workers=1)
    assert len(timed) == 1, "the variants of the grid differ in numbers only"
    assert (found.runs, found.timed) == (36, 36)
    assert found.seconds == pytest.approx(2 * 9 * (10.0 + 25.0))
    timed.clear()
    recipe = load_recipe("r4-lm")
    found = estimate(planned_runs(recipe.changed({"width": "16"}), "", [0]), Recorded(tmp_path, recipe), time)
    assert (found.scaled, found.timed) == (0, 1), "a run of four times the width is too far from it"
    timed.clear()
    recipe = load_recipe("r2-window")
    store = Recorded(tmp_path, recipe, fingerprint="of another corpus")
    found = estimate(planned_runs(recipe, FINGERPRINT, range(5)), store, time, workers=1)
    assert [run.given for run in timed] == [recipe.of(variant) for variant in recipe.variants]
    assert found.sentence() == (
        "About 2 min of training: 10 runs to train, 0 in the store. The estimate rests on short trainings that were "
        "timed now (10)."
    )
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("task", "settings", "evaluations", "updates"),
    [
        ("lm", LM | {"train.iterations": "5", "train.eval_every": "2"}, 1 + 3, 5),
        ("lm", LM | {"train.iterations": "40", "train.eval_every": "20"}, 1 + 2, 40),
        ("classifier", CLASSIFIER, 1 + 3 + 1, 3 * 4),
    ],
)
def test_a_short_training_counts_for_the_whole(
    task: str, settings: dict[str, str], evaluations: int, updates: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a clock that moves on by one second whenever it is read, everything takes one second."""
    corpus = load_corpus(write_corpus(tmp_path / "corpus"))
    clock = count()
    with monkeypatch.context() as patched:
        patched.setattr("oratory.execution.timing.perf_counter", lambda: float(next(clock)))
        assert time_short_training(task, corpus, settings) == evaluations + updates
    run = train(task, corpus, settings, runs=tmp_path / "runs")
    best = (
        settings.get("train.keep") == "best"
    )  # The evaluation after the best weights are restored is not one of these.
    assert len(run.history()) == evaluations - best
    assert run.step == updates


def test_a_training_that_diverges_is_no_error(tmp_path: Path) -> None:
    corpus = load_corpus(write_corpus(tmp_path / "corpus"))
    assert time_short_training("lm", corpus, LM | {"train.lr": "1e30"}) > 0


def test_the_timed_recipe(tmp_path: Path) -> None:
    small = LM | {"train.stride": "8"}
    planned = plan(["r2-window"], seeds=[0], data=str(write_corpus(tmp_path / "corpus")), settings=small)
    said: list[str] = []
    found = time_of(planned, Store(tmp_path / "runs"), say=said.append)
    assert found.timed == len(said) == 2
    assert said[1] == "Timing a few updates of r2-window, window 8 ..."
    assert found.seconds > 0


def test_the_list_uses_the_store_and_times_nothing(tmp_path: Path) -> None:
    found = list_recipes(Recorded(tmp_path, load_recipe("r2-window"))).seconds
    assert found["r2-window"] == pytest.approx(2 * 5 * SECONDS / cores())
    assert found["r4-lm"] == pytest.approx(5 * SECONDS / cores())
    assert found["r1-lm"] is None, "only one of its variants was trained"
    assert found["cls"] is None
    [table] = list_recipes(Store(tmp_path / "none")).tables()
    assert {row[-1] for row in table.rows if row[0] != "r3-by-hand"} == {"unknown until timed"}
    assert not (tmp_path / "none").exists()


def test_durations() -> None:
    assert [duration(seconds) for seconds in (0.2, 42, 600, 9000)] == ["1 s", "42 s", "10 min", "2.5 h"]
