"""The verdict view in the API: the very numbers of the comparison, and of its first seeds."""

import numpy as np
import pytest
from fastapi.testclient import TestClient

from oratory import api
from oratory.comparisons import Comparison
from oratory.comparisons.pairs import pair_of, pairs_of
from oratory.runs import Store
from oratory.seeds import derive
from oratory.statistics import paired
from oratory.statistics.simulated import Simulated
from tests.web.conftest import Kept


def test_all_seeds_give_what_the_comparison_says(client: TestClient, kept: Kept) -> None:
    comparison = api.load_result(kept.comparison, kept.runs)
    assert isinstance(comparison, Comparison)
    found = client.get(f"/api/verdict/of/{kept.comparison}").json()
    variant = comparison.variants[1]
    difference = variant.whole.difference
    assert difference is not None
    last = found["curve"][-1]
    assert (found["variant"], found["seeds"], found["of_seeds"]) == (variant.name, 3, 3)
    assert last["seed_differences"] == pytest.approx(difference.seed_differences)
    assert (last["mean"], last["wins"]) == (pytest.approx(difference.mean), difference.wins)
    assert (last["verdict"], last["p"]) == (variant.verdict, pytest.approx(difference.p))
    assert (found["unit"], found["factor"], found["items"]) == ("points", 100, 2)


def test_fewer_seeds_are_the_first_ones(client: TestClient, kept: Kept) -> None:
    pair = pair_of(pairs_of(kept.comparison, Store(kept.runs)), "two")
    found = client.get(f"/api/verdict/of/{kept.comparison}", params={"seeds": 2, "variant": "two"}).json()
    variant, baseline = pair.scores
    alone = paired(variant[:2], baseline[:2], pair.weights, strata=pair.strata)
    assert found["seeds"] == 2
    assert found["curve"][1]["mean"] == pytest.approx(alone.mean)
    assert (found["curve"][1]["verdict"], found["curve"][1]["undecided"]) == ("no verdict", alone.undecided)


def test_a_simulated_comparison_is_judged_as_every_other(client: TestClient) -> None:
    asked = {"effect": 3, "seed_noise": 1, "item_noise": 10, "rest": 20, "seeds": 8, "items": 300, "draw": 7}
    found = client.get("/api/verdict/simulated", params={**asked, "chosen": 6}).json()
    world = Simulated(3.0, 1.0, 10.0, 20.0, 8, 300)
    scores = world.draw(np.random.default_rng(derive(7, "verdict view")))[:6]
    alone = paired(scores, np.zeros_like(scores))
    assert alone.interval is not None
    at = found["curve"][5]
    assert at["interval"] == pytest.approx(list(alone.interval))
    assert (at["p"], at["detectable"]) == (pytest.approx(alone.p), pytest.approx(alone.detectable))
    assert {each["seeds"]: each["detectable"] for each in found["planned"]}[6] == pytest.approx(alone.detectable)
    # Columns of two items each, so that every seed has its own mean in the picture too.
    assert np.shape(found["matrix"]) == (8, 150)
    np.testing.assert_allclose(np.mean(found["matrix"][:6], axis=1), scores.mean(axis=1))
    again = client.get("/api/verdict/simulated", params={**asked, "chosen": 6}).json()
    assert again == found


def test_no_noise_is_no_verdict(client: TestClient) -> None:
    found = client.get("/api/verdict/simulated", params={"seed_noise": 0, "item_noise": 0, "rest": 0}).json()
    assert {each["verdict"] for each in found["curve"]} == {"no verdict"}
    assert found["planned"] == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/verdict/of/compare-nothing", 400),
        ("/api/verdict/of/..%2F..", 404),
        ("/api/verdict/of/{}?variant=x", 400),
        ("/api/verdict/of/{}?seeds=4", 400),
        ("/api/verdict/of/{}?seeds=-1", 422),
        ("/api/verdict/simulated?items=1", 422),
        ("/api/verdict/simulated?effect=nan", 422),
        ("/api/verdict/simulated?seeds=31", 422),
    ],
)
def test_bad_input_is_a_sentence(client: TestClient, kept: Kept, path: str, status: int) -> None:
    answer = client.get(path.format(kept.comparison))
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]
