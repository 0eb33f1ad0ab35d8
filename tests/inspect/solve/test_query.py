"""Queries against linear programming and brute force."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from oratory.inspect import solve
from tests.inspect.solve.keys import KEYS, SQUARE, Array, check, on_sphere, separable, small_keys


def test_the_margin_is_the_largest_there_is() -> None:
    directions = np.random.default_rng(0).normal(size=(200_000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    scores = directions @ np.array(KEYS).T
    best = (scores[:, 0] - scores[:, 1:].max(1)).max()
    margin = solve(KEYS, select=0).margin
    assert margin is not None
    assert best <= margin <= best + 2e-3
    assert solve(KEYS, select=0, scale=True).margin == pytest.approx(margin / np.sqrt(3))


def test_any_weights_that_are_possible() -> None:
    wanted = [0.06, 0.24, 0.14, 0.56]
    assert np.abs(np.array(solve(SQUARE, weights=wanted).weights[0]) - wanted).max() < 1e-12
    corner = solve(SQUARE, weights=[0.9, 0.1, 0, 0])
    assert corner.exact
    assert corner.margin == pytest.approx(2)
    refused = solve(SQUARE, weights=[0.4, 0.2, 0.2, 0.2])
    assert refused.certificate is not None
    assert refused.certificate.kind == "dependency"
    assert refused.certificate.value == pytest.approx(np.log(2), rel=1e-9)


def test_a_key_inside_the_hull_comes_with_its_combination() -> None:
    found = solve([[0, 0], [1, 0], [-1, 0], [0, 3]], select=0)
    assert found.certificate is not None
    assert found.certificate.kind == "hull"
    assert found.certificate.right == pytest.approx({1: 0.5, 2: 0.5})
    assert "0.5 key 1 + 0.5 key 2" in found.sentences()[0]
    # What comes nearest: nothing can lift the key above one third.
    assert found.weights[0][0] == pytest.approx(1 / 3, abs=1e-6)
    diagonal = solve(SQUARE, average=[0, 3])
    assert diagonal.certificate is not None
    assert diagonal.certificate.left == pytest.approx({0: 0.5, 3: 0.5})
    assert diagonal.certificate.right == pytest.approx({1: 0.5, 2: 0.5})


def test_the_affine_hull_counts_and_not_the_convex_one() -> None:
    # Key 2 lies beyond the wanted two on their line: alike scores for them are alike for it.
    found = solve([[0, 0], [1, 0], [3, 0]], average=[0, 1])
    assert found.certificate is not None
    assert found.certificate.left == pytest.approx({0: -2, 1: 3})


@pytest.mark.parametrize(
    ("keys", "wish", "possible"),
    [
        ([[2.0]], {"select": 0}, True),
        ([[0.0, 0.0]], {"identity": True}, True),
        ([[1, 2], [1, 2]], {"select": 0}, False),
        ([[1, 2], [1, 2]], {"average": [0, 1]}, True),
        ([[1, 2], [1, 2]], {"weights": [0.3, 0.7]}, False),
        ([[0, 0], [0, 0], [0, 0]], {"average": [0, 1]}, False),
        ([[0, 0], [0, 0], [0, 0]], {"average": [0, 1, 2]}, True),
        ([[0], [1], [2]], {"select": 1}, False),
        ([[0], [1], [2]], {"select": 2}, True),
        ([[0, 0], [1, 1], [2, 2]], {"average": [0, 2]}, False),
        ([[1e-90, 0], [0, 1e-90]], {"identity": True}, True),
        ([[1e90, 0], [0, 1e90]], {"identity": True}, True),
        (np.eye(40).tolist(), {"identity": True}, True),
        ([[1, 0, 0], [0, 1, 0]], {"weights": [0.999999, 0.000001]}, True),
    ],
)
def test_odd_keys(keys: list[list[float]], wish: dict[str, Any], possible: bool) -> None:
    found = solve(keys, **wish)
    assert found.possible == possible
    assert found.exact == possible
    json.dumps(found.to_dict(), allow_nan=False)
    assert "<table>" in found._repr_html_()


@settings(max_examples=150, deadline=None)
@given(small_keys(1), st.data())
def test_averages_hold_or_are_certified(keys: Array, data: st.DataObject) -> None:
    chosen = sorted(data.draw(st.sets(st.integers(0, len(keys) - 1), min_size=1)))
    wanted = np.zeros(len(keys))
    wanted[chosen] = 1 / len(chosen)
    found = solve(keys, average=chosen)
    check(found, keys, wanted)
    if (wanted == 0).any():
        assert found.possible == separable(keys, wanted > 0)


@settings(max_examples=150, deadline=None)
@given(small_keys(2), st.data())
def test_weights_hold_or_are_certified(keys: Array, data: st.DataObject) -> None:
    if data.draw(st.booleans()):
        query = data.draw(st.lists(st.integers(-3, 3), min_size=keys.shape[1], max_size=keys.shape[1]))
        wanted = softmax(keys @ np.array(query, dtype=float))
        assert solve(keys, weights=wanted.tolist()).exact
        return
    parts = np.array(data.draw(st.lists(st.integers(0, 5), min_size=len(keys), max_size=len(keys))))
    assume(parts.sum() > 0)
    wanted = parts / parts.sum()
    check(solve(keys, weights=wanted.tolist()), keys, wanted)


@pytest.mark.parametrize("length", [0.3, 2.0, 8.0])
def test_the_best_query_of_a_length(length: float) -> None:
    found = solve(KEYS, select=1, length=length)
    assert np.linalg.norm(found.query) == pytest.approx(length)
    best = softmax(on_sphere(3, length, 200_000) @ np.array(KEYS).T, axis=1)[:, 1].max()
    assert best - 1e-9 <= found.weights[0][1] <= best + 1e-3
    needed = found.answers[0].times_needed
    if needed is not None:
        assert softmax(needed * np.array(found.answers[0].scores))[1] == pytest.approx(1 - 1e-6, abs=1e-9)
    assert (needed is None) == found.exact


def test_the_best_average_of_a_length_stays_an_average() -> None:
    keys, length = np.array(KEYS), 2.0
    found = solve(KEYS, average=[0, 1], length=length)
    # Queries that score keys 0 and 1 alike are a plane; walk around its circle.
    plane = np.linalg.svd((keys[0] - keys[1])[None])[2][1:]
    turns = np.linspace(0, 2 * np.pi, 100_000)
    circle = length * np.stack([np.cos(turns), np.sin(turns)], axis=1) @ plane
    best = softmax(circle @ keys.T, axis=1)[:, :2].sum(1).max()
    assert abs(found.weights[0][0] - found.weights[0][1]) <= 1e-9
    assert sum(found.weights[0][:2]) == pytest.approx(best, abs=1e-8)


def test_the_nearest_weights_where_none_fit() -> None:
    wanted = np.array([0.4, 0.2, 0.2, 0.2])
    for length in (None, 0.1):
        found = solve(SQUARE, weights=wanted, length=length)
        spread = np.linspace(-1, 1, 401) * (length or 1.0)
        grid = np.stack(np.meshgrid(spread, spread), axis=-1).reshape(-1, 2)
        grid = grid[np.linalg.norm(grid, axis=1) <= (length or np.inf)]
        best = (np.log(softmax(grid @ np.array(SQUARE).T, axis=1)) @ wanted).max()
        reached = float(np.log(found.weights[0]) @ wanted)
        assert best - 1e-12 <= reached <= best + 1e-4
        assert np.linalg.norm(found.query) <= (length or np.inf) * (1 + 1e-12)
