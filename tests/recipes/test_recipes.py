"""The recipes that ship: every one parses, is complete, and has settings that make sense."""

from collections import Counter
from pathlib import Path

import pytest

from oratory.comparisons import Design
from oratory.errors import InputError
from oratory.recipes import Recipe, load_recipe, recipe_names
from oratory.recipes.estimate import planned_runs
from oratory.recipes.read import read_recipe
from oratory.recipes.recipe import FINGERPRINT
from oratory.text import Corpus
from oratory.training.origins import prepare

TABLES = {
    "r0-classifier": 2 * 3 * 4 + 3,  # Two tables of loss, train and test: four epochs, and five.
    "r0-lm": 2 * 4 + 2 * 6,
    "r1-classifier": 4,
    "r1-lm": 4 * 4,
    "r2-classifier": 1 + 4 * 5 + 1,
    "r2-window": 1 + 2 * 4 + 2 * 4 * 6,
    "r3-gpt": 5 * 5,
    "r3-grid": 3,
    "r3-optimizers": 1,  # R3 shows curves, and says in words what they show.
    "r3-reweight": 5,
    "r4-classifier": 3 + 4,
    "r4-lm": 4,
}
"""How many figures each published table has."""

OWN = {"blockwise", "longformer", "cls", "bpe", "bpe-classifier", "best-classifier", "best-lm"}
"""Experiments that no report has: those that the assignment names, and our best small models."""
BY_HAND = {"r3-by-hand"}
TRAINED = sorted(set(recipe_names()) - BY_HAND)


def test_all_are_found() -> None:
    assert set(recipe_names()) == set(TABLES) | OWN | BY_HAND
    assert len(recipe_names()) == 20


@pytest.mark.parametrize("name", TRAINED)
def test_the_tables_are_complete(name: str) -> None:
    recipe = load_recipe(name)
    assert sum(len(reference.values) for reference in recipe.references) == TABLES.get(name, 0)
    given = [
        (reference.source, reference.variant, reference.quantity, at)
        for reference in recipe.references
        for at in reference.at or (None,)
    ]
    assert max(Counter(given).values(), default=1) == 1, "a figure is given twice"
    assert recipe.title
    assert recipe.about.endswith(".")


@pytest.mark.parametrize("name", TRAINED)
def test_settings_make_sense(name: str, sotu: Corpus) -> None:
    recipe = load_recipe(name)
    if len(recipe.variants) > 1:
        Design(recipe.task, sotu, recipe.variants, (0,), recipe.settings)
    configured: list[object] = [run.settings for run in planned_runs(recipe, sotu.fingerprint, (0,))]
    if recipe.origin.claims({}):
        configured = [prepare(recipe.task.name, sotu, recipe.of(variant)).settings for variant in recipe.variants]
    assert all(one != other for at, one in enumerate(configured) for other in configured[:at])


def test_some_published_figures() -> None:
    def value(name: str, variant: str, figure: str, at: float | None) -> float:
        [found] = [
            found
            for reference in load_recipe(name).references
            if (reference.variant, str(reference.quantity)) == (variant, figure)
            for place, found in zip(reference.at or (None,), reference.values, strict=True)
            if place == at
        ]
        return found

    assert value("r2-classifier", "base", "test accuracy", 14) == 87.60
    assert value("r2-window", "window 8", "perplexity: hbush", None) == 402.49
    assert value("r2-window", "base", "perplexity: wbush", 300) == 543.28
    assert value("r0-classifier", "ALiBi + RoPE", "test accuracy", 11) == 84.67
    assert value("r1-lm", "ALiBi", "perplexity: train", None) == 112.86
    assert value("r3-gpt", "reweight", "line perplexity: weird", None) == 2550125904.81


def test_the_end_of_a_series_is_the_end() -> None:
    """Where a report has a figure at the end and along training, the last of the series is the same figure."""
    for name in ("r0-lm", "r2-window"):
        found = load_recipe(name).references
        ends = {(r.source, r.variant, r.quantity): r.values[0] for r in found if not r.at}
        last = {(r.source, r.variant, r.quantity): r.values[-1] for r in found if r.at and r.at[-1] == 500}
        assert last
        assert all(ends[key] == pytest.approx(value, abs=0.01) for key, value in last.items())


def test_parameters_of_the_base_models(speeches: Corpus) -> None:
    assert speeches.fingerprint == FINGERPRINT
    for name in ("r2-classifier", "r2-window"):
        recipe = load_recipe(name)
        [counted] = [r.values[0] for r in recipe.references if str(r.quantity) == "parameters"]
        assert prepare(recipe.task.name, speeches, recipe.of(recipe.variants[0])).parameters.total == counted


def test_what_can_be_compared() -> None:
    recipe = load_recipe("r2-window")
    assert recipe.not_comparable(FINGERPRINT, "speeches") == ""
    assert recipe.not_comparable("another", "sotu") == "other data (sotu)"
    assert recipe.changed({"layers": "1"}).not_comparable(FINGERPRINT, "speeches") == "other settings (layers=1)"


def test_changes_replace_how_long() -> None:
    recipe = load_recipe("r3-gpt")
    assert recipe.changed({}) is recipe
    changed = recipe.changed({"train.iterations": "2"})
    assert "train.epochs" not in changed.settings
    assert changed.settings["train.iterations"] == "2"
    with pytest.raises(InputError, match="Did you mean 'layers'"):
        recipe.changed({"layer": "2"})


def test_a_grid_is_every_combination() -> None:
    recipe = load_recipe("r3-grid")
    names = [variant.name for variant in recipe.variants]
    assert len(names) == len(set(names)) == 3 * 3 * 2
    assert names[:3] == ["batch=64 lr=1e-4 epochs=2", "batch=64 lr=1e-4 epochs=5", "batch=64 lr=5e-5 epochs=2"]
    assert recipe.variants[-1].settings == {"train.batch": "256", "train.lr": "1e-5", "train.epochs": "5"}


def test_a_change_takes_a_side_of_the_grid() -> None:
    recipe = load_recipe("r3-grid")
    shorter = recipe.changed({"train.iterations": "2", "train.lr": "1e-3"})
    assert [variant.name for variant in shorter.variants] == ["batch=64", "batch=128", "batch=256"]
    assert shorter.of(shorter.variants[0])["train.lr"] == "1e-3"
    [only] = shorter.changed({"train.batch": "8"}).variants
    assert (only.name, only.settings) == ("base", {})


def test_settings_are_those_of_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bert").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load_recipe("r3-grid").changed({"model": "bert"}).settings["model"] == str(tmp_path / "bert")
    with pytest.raises(InputError, match="There is no setting 'layers'"):
        load_recipe("r3-grid").changed({"layers": "2"})
    with pytest.raises(InputError, match="There is no setting 'model'"):
        load_recipe("cls").changed({"model": "minilm"})


GOOD = """
title = "A title"
about = "About it."
task = "lm"
data = "sotu"
seeds = 2
[variants.base]
[variants.rope]
position = "rope"
[[reference]]
source = "R9"
variant = "rope"
figure = "perplexity: train"
value = 100
"""


def written(tmp_path: Path, text: str) -> Recipe:
    path = tmp_path / "one.toml"
    path.write_text(text)
    recipe = read_recipe(path)
    assert isinstance(recipe, Recipe)
    return recipe


def test_a_file(tmp_path: Path) -> None:
    recipe = written(tmp_path, GOOD)
    assert recipe.name == "one"
    assert [variant.name for variant in recipe.variants] == ["base", "rope"]
    assert recipe.of(recipe.variants[1]) == {"position": "rope"}


VARIANTS = '[variants.base]\n[variants.rope]\nposition = "rope"'


def test_a_file_with_a_grid(tmp_path: Path) -> None:
    grid = GOOD.replace(VARIANTS, '[grid]\nposition = ["rope", "none"]\n"train.batch" = [4, 8]')
    recipe = written(tmp_path, grid.replace('variant = "rope"', 'variant = "best on dev"'))
    names = [variant.name for variant in recipe.variants]
    assert names == [f"position={position} batch={batch}" for position in ("rope", "none") for batch in (4, 8)]
    with pytest.raises(InputError, match="There is no variant 'rope'"):
        written(tmp_path, grid)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("title =", "titel =", "There is no key 'titel'. Did you mean 'title'?"),
        ("seeds = 2", "seeds = 2\nwork = 1", "There is no key 'work'."),
        ("seeds = 2", 'seeds = 2\nstudy = "reweigh"', "There is no study 'reweigh'. Did you mean 'reweight'?"),
        ('title = "A title"\n', "", "lacks title"),
        ('"lm"', '"lmm"', "There is no task 'lmm'"),
        ("position =", "positon =", "Did you mean 'position'?"),
        ('variant = "rope"', 'variant = "roper"', "There is no variant 'roper'. Did you mean 'rope'?"),
        ("perplexity: train", "perplexities: train", "There is no figure 'perplexities'"),
        ("perplexity: train", "perplexity", "needs a text"),
        ("value = 100", "value = [1, 2]\nat = [1]", "2 values and 1 places"),
        ("value = 100", "value = 100\nwhy = 1", "There is no key 'why'"),
        ("seeds = 2", "seeds = ", "is not TOML"),
        (VARIANTS, "", "needs variants or a grid: one of them, and not both"),
        (VARIANTS, f"{VARIANTS}\n[grid]\nlayers = [1, 2]", "needs variants or a grid: one of them, and not both"),
        (VARIANTS, "[grid]\nlayer = [1, 2]", "Did you mean 'layers'?"),
        (VARIANTS, "[grid]\nlayers = [1, 1]", "the grid needs a list of different values for layers"),
        (VARIANTS, "[grid]\nlayers = 2", "the grid needs a list of different values for layers"),
        ('variant = "rope"', 'variant = "best on dev"', "There is no variant 'best on dev'"),
        (VARIANTS, f'[settings]\nmodel = "minilm"\n{VARIANTS}', "There is no setting 'position'"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in GOOD
    with pytest.raises(InputError, match=r"one\.toml|There is no|needs a text") as found:
        written(tmp_path, GOOD.replace(old, new, 1))
    assert sentence in str(found.value)
