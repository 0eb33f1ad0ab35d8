"""Claims of reports: what each outcome means, and that every recipe with published variants has its claims."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from oratory.comparisons.measures import Measure
from oratory.errors import InputError
from oratory.recipes.claims import BETTER, SAME, WORSE, Claim, claim_table, judge
from oratory.recipes.names import TABLES, recipe_names
from oratory.recipes.read import load_any_recipe, read_recipe
from oratory.recipes.recipe import Recipe
from oratory.training.tasks import task_of

ACCURACY = task_of("classifier").metric()


def measure(shift: float) -> Measure:
    rng = np.random.default_rng(0)
    base = rng.normal(size=(5, 60))
    return Measure({"a": base, "b": base + shift + 0.1 * rng.normal(size=(5, 60))}, np.ones(60), "text")


def claim(says: str) -> Claim:
    return Claim("R9", "b is what it is", "one seed", "b", "a", says)


@pytest.mark.parametrize(
    ("shift", "says", "outcome"),
    [
        (1.0, BETTER, "holds"),
        (1.0, WORSE, "does not hold: it is better"),
        (1.0, SAME, "does not hold: it is better"),
        (0.0, BETTER, "not shown"),
        (0.0, SAME, "not refuted"),
        (-1.0, BETTER, "does not hold: it is worse"),
    ],
)
def test_outcomes(shift: float, says: str, outcome: str) -> None:
    (judged,) = judge([claim(says)], measure(shift), ACCURACY, {})
    assert judged.outcome == outcome
    assert judged.to_dict()["difference"] == pytest.approx(shift, abs=0.05)


def test_what_cannot_be_judged() -> None:
    (leaking,) = judge([claim(BETTER)], measure(1), ACCURACY, {"b": "not a language model"})
    assert leaking.outcome == "cannot be judged: not a language model"
    few = measure(1)
    few = replace(few, matrices={name: scores[:2] for name, scores in few.matrices.items()})
    (two,) = judge([claim(BETTER)], few, ACCURACY, {})
    assert two.outcome == "cannot be judged: two seeds; at least three are needed"
    table = claim_table([leaking, two])
    assert table.rows[0][2] == "–"
    assert table.rows[1][2].endswith("points")


def test_claims_share_holm() -> None:
    alone = judge([claim(BETTER)], measure(0.03), ACCURACY, {})[0].p
    together = judge([claim(BETTER)] * 3, measure(0.03), ACCURACY, {})[0].p
    assert alone is not None
    assert together == pytest.approx(min(1, 3 * alone))


def test_every_comparison_with_published_figures_has_claims() -> None:
    for name in recipe_names():
        recipe = load_any_recipe(name)
        if isinstance(recipe, Recipe) and recipe.is_compared and recipe.references and name != "r3-reweight":
            assert recipe.claims, name


def test_a_claim_on_something_unknown(tmp_path: Path) -> None:
    text = (TABLES / "r2-window.toml").read_text()
    (tmp_path / "r.toml").write_text(text.replace('says = "better"', 'says = "nicer"'))
    with pytest.raises(InputError, match="says 'nicer'"):
        read_recipe(tmp_path / "r.toml")
    (tmp_path / "r.toml").write_text(text.replace('against = "base"', 'against = "nobody"'))
    with pytest.raises(InputError, match="against 'nobody'"):
        read_recipe(tmp_path / "r.toml")
