"""Recipes that fine-tune, on a model that is small enough: the grid's choice, the estimate, and what they refuse."""

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean

import pytest

from oratory.api import report, reproduce
from oratory.errors import InputError
from oratory.recipes import Recipe, Reproduction, list_recipes, load_recipe, load_reproduction, plan, run_recipe
from oratory.recipes.document import reproduction_document
from oratory.recipes.estimate import estimate, planned_runs
from oratory.recipes.planning import PlannedRecipe
from oratory.recipes.read import read_recipe
from oratory.reports.output import write_document
from oratory.runs import Store
from oratory.text import Corpus, load_corpus
from oratory.training.origins.published import hf
from tests.execution.workers import here
from tests.recipes.test_estimate import never

SMALL = {"context": "12", "train.threads": "1"}
GRID = """
title = "A grid"
about = "Two learning rates."
task = "classifier"
data = "sotu"
seeds = 2
[settings]
model = "minilm"
pool = "mean"
dropout = 0
"train.iterations" = 15
"train.keep" = "best"
[grid]
"train.lr" = ["1e-5", "5e-3"]
"""
REFERENCE = """
[[reference]]
source = "R9"
variant = "best on dev"
figure = "{split} accuracy"
value = 90
"""
SPLITS = ("train", "dev", "test")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("runs"))


def run(recipe: Recipe, bert: Path, reviews: Path, store: Store, seeds: int = 1, **changes: str) -> Reproduction:
    given = SMALL | {"model": str(bert)} | {key.replace("__", "."): value for key, value in changes.items()}
    planned = PlannedRecipe(recipe.changed(given), load_corpus(reviews), tuple(range(seeds)))
    return run_recipe(planned, store, here)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    path = tmp_path_factory.mktemp("recipe") / "r9-grid.toml"
    path.write_text(GRID + "".join(REFERENCE.format(split=split) for split in SPLITS))
    recipe = read_recipe(path)
    assert isinstance(recipe, Recipe)
    return recipe


@pytest.fixture(scope="module")
def grid(written: Recipe, bert: Path, reviews: Path, store: Store) -> Reproduction:
    return run(written, bert, reviews, store, 2)


def test_dev_chooses(grid: Reproduction, store: Store) -> None:
    assert grid.comparison is None
    assert grid.grid is not None
    dev = {name: fmean(store.open(run).result["dev"]["accuracy"] for run in runs) for name, runs in grid.runs.items()}
    assert len(dev) == 2
    assert dev["lr=5e-3"] > dev["lr=1e-5"]
    assert grid.grid.best is not None
    best = grid.grid.best.name
    assert best == max(dev, key=lambda name: dev[name])  # The first of them, where some are equal.
    assert [each.mean for each in grid.grid.variants] == pytest.approx(sorted(dev.values(), reverse=True))
    rows = {str(row.quantity): row for row in grid.rows}
    for split in SPLITS:
        row = rows[f"{split} accuracy"]
        values = [store.open(run).result[split]["accuracy"] for run in grid.runs[best]]
        assert row.variant == f"best on dev: {best}"
        assert row.reason.startswith("other settings")
        assert row.ours is not None
        assert row.ours.mean == pytest.approx(100 * sum(values) / 2)
    assert list(grid.parameters) == [best]
    facts = grid.to_dict()["grid"]
    assert facts["best"] == best == facts["variants"][0]["variant"]
    assert f"Best on dev of 2: {best}" in grid.sentences()[0]


def test_the_report_of_a_grid(
    grid: Reproduction, written: Recipe, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [path] = write_document(reproduction_document(grid), tmp_path / "report.html")
    page = path.read_text()
    assert "Best on dev of 2" in page
    assert "accuracy on dev, %" in page
    assert "oratory reproduce r9-grid --seeds 0,1" in page
    monkeypatch.setattr(import_module("oratory.recipes.make"), "load_any_recipe", lambda name: written)
    assert load_reproduction("r9-grid", store).to_dict() == grid.to_dict()


def test_without_dev_nothing_is_chosen(bert: Path, reviews: Path, tmp_path: Path) -> None:
    changes = {"train__batch": "5", "train__lr": "0.1", "train__iterations": "1", "train__keep": "last"}
    made = run(load_recipe("r3-grid"), bert, reviews, Store(tmp_path), 1, **changes)
    assert made.sentences()[0] == "No variant was measured on dev with every seed, so none is chosen."
    assert all(row.ours is None for row in made.rows)
    assert made.to_dict()["grid"] == {"best": None, "variants": []}
    assert reproduction_document(made).sections


def test_optimisers_side_by_side(bert: Path, reviews: Path, store: Store, tmp_path: Path) -> None:
    recipe = load_recipe("r3-optimizers")
    names = [variant.name for variant in recipe.variants]
    assert names == [name + end for end in ("", " at its own rate") for name in ("adamw", "sgd", "adagrad")]
    fewer = replace(recipe, variants=recipe.variants[::4], references=(), claims=())
    made = run(fewer, bert, reviews, store, train__iterations="2")
    assert made.comparison is not None
    assert [variant.name for variant in made.comparison.variants] == ["adamw", "sgd at its own rate"]
    drawn = {figure.name.rsplit("-compare", 1)[0] for figure in reproduction_document(made).figures}
    assert {f"curves-{split}-{what}" for split in ("dev", "train") for what in ("accuracy", "nats")} <= drawn


def test_the_estimate_knows_runs_of_the_store(grid: Reproduction, store: Store) -> None:
    found = estimate(planned_runs(grid.recipe, grid.fingerprint, range(3)), store, never, workers=1)
    assert (found.runs, found.had, found.recorded, found.scaled, found.timed) == (2, 4, 2, 0, 0)
    other = planned_runs(grid.recipe.changed({"dropout": "0.1"}), grid.fingerprint, range(1))
    found = estimate(other, store, never, workers=1)
    assert (found.runs, found.had, found.scaled) == (2, 0, 2)


def test_all_recipes_at_once(bert: Path, reviews: Path, store: Store, sotu: Corpus) -> None:
    """A setting that only some of the recipes have changes those."""
    given = {"model": str(bert), "train.iterations": "2", "layers": "1"}
    planned = plan(["cls", "r3-grid", "r3-optimizers"], settings=given)
    trained = [entry for entry in planned if isinstance(entry, PlannedRecipe)]
    assert [entry.recipe.changes for entry in trained] == [
        {"train.iterations": "2", "layers": "1"},
        *[{"model": str(bert), "train.iterations": "2"}] * 2,
    ]
    assert all(entry.corpus.fingerprint == sotu.fingerprint for entry in trained)
    assert [len(entry.runs()) for entry in planned] == [2 * 5, 9, 6 * 5]
    with pytest.raises(InputError, match="There is no setting 'layer'"):
        plan(["cls", "r3-grid"], settings={"layer": "1"})


def test_they_are_listed(tmp_path: Path) -> None:
    found = {entry["name"]: entry for entry in list_recipes(Store(tmp_path / "none")).to_dict()["recipes"]}
    assert len(found["r3-grid"]["variants"]) == 18
    assert found["r3-grid"]["seconds"] is None


def test_from_python(bert: Path, reviews: Path, tmp_path: Path, in_this_process: None) -> None:
    changes = SMALL | {"model": str(bert), "train.iterations": "1", "train.batch": "5", "train.lr": "0.1"}
    [made] = reproduce("r3-grid", data=reviews, settings=changes, runs=tmp_path)
    assert isinstance(made, Reproduction)
    assert made.grid is not None
    assert [each.name for each in made.grid.variants] == ["base"]
    assert "R3" in report(made, tmp_path / "one.md")[0].read_text()


def test_what_is_not_at_hand(reviews: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"r3-grid fine-tunes a published model. There is no folder no such model"):
        plan(["r3-grid"], data=str(reviews), settings={"model": "no such model"})
    monkeypatch.setattr(hf, "find_spec", lambda name: None if name == "transformers" else find_spec(name))
    with pytest.raises(InputError, match=r"fine-tunes a published model. This needs transformers: pip install 'ora"):
        plan(["r3-optimizers"], data=str(reviews))
    assert list_recipes(Store(reviews / "none")).recipes
