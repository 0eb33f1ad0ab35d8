"""Attention by hand against the reference figures, linear programming and brute force."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.special import softmax

from oratory.errors import InputError
from oratory.inspect import Certificate, Solution, solve
from oratory.report.keys import picture, write_picture

Array = NDArray[np.float64]

KEYS = [[0.47, 0.65, 0.60], [0.64, 0.50, -0.59], [-0.03, -0.48, -0.88], [0.43, -0.83, 0.35]]
SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


def test_least_squares_gives_the_reference_figures() -> None:
    rows = [
        (44.6093, 28.4705, 31.0986),
        (74.2993, 24.4711, -43.9832),
        (9.9978, -24.5389, -51.8660),
        (73.9117, -69.2530, 27.8533),
    ]
    assert np.round(solve(KEYS, identity=True, method="lstsq").queries, 4).tolist() == [list(row) for row in rows]
    assert np.round(solve(KEYS, select=0, method="lstsq").query, 4).tolist() == list(rows[0])
    pair = solve(KEYS, average=[0, 1], method="lstsq")
    assert np.round(pair.weights[0], 3).tolist() == [0.549, 0.446, 0.004, 0.001]
    assert not pair.exact
    assert pair.possible
    assert solve(KEYS, average=[0, 1], method="lstsq", targets=[3, 3, -2, -3]).query == pair.query
    assert solve(KEYS, average=range(4), method="lstsq").query == (0, 0, 0)


@pytest.mark.parametrize("scale", [False, True])
def test_the_six_tasks_exactly(scale: bool) -> None:
    assert solve(KEYS, select=0, scale=scale).exact
    assert solve(KEYS, identity=True, scale=scale).exact
    assert solve(KEYS, average=range(4), scale=scale).query == (0, 0, 0)
    pair = solve(KEYS, average=[0, 1], scale=scale)
    assert pair.exact
    assert abs(pair.weights[0][0] - pair.weights[0][1]) <= 1e-9
    three = solve(KEYS, query=pair.query, replace_key=2, average=[0, 1, 2], scale=scale)
    assert three.exact
    assert np.ptp(three.weights[0][:3]) <= 1e-9
    alone = solve(KEYS, query=pair.query, replace_key=2, select=2, length=1, scale=scale)
    assert alone.exact
    assert alone.key is not None
    assert np.linalg.norm(alone.key) == pytest.approx(1, abs=1e-12)
    for found, wanted in ((pair, [0.5, 0.5, 0, 0]), (three, [1 / 3, 1 / 3, 1 / 3, 0]), (alone, [0, 0, 1, 0])):
        scores = np.array(found.keys) @ np.array(found.query) / (np.sqrt(3) if scale else 1)
        assert np.abs(softmax(scores) - wanted).max() <= 1e-6


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


def small_keys(least: int) -> st.SearchStrategy[Array]:
    """A few keys of tenths, so that hulls often touch."""

    def of(shape: tuple[int, int]) -> st.SearchStrategy[Array]:
        rows = st.lists(st.integers(-10, 10), min_size=shape[1], max_size=shape[1])
        return st.lists(rows, min_size=shape[0], max_size=shape[0]).map(lambda keys: np.array(keys) / 10)

    return st.tuples(st.integers(least, 6), st.integers(1, 4)).flatmap(of)


def separable(keys: Array, inside: NDArray[np.bool_]) -> bool:
    """By linear programming: whether a direction scores the wanted keys alike and all others lower."""
    first, others = keys[inside][0], keys[~inside]
    same = keys[inside][1:] - first
    lower = np.hstack([others - first, np.ones((len(others), 1))])
    found = linprog(
        [0.0] * keys.shape[1] + [-1.0],
        A_ub=lower,
        b_ub=np.zeros(len(others)),
        A_eq=np.hstack([same, np.zeros((len(same), 1))]) if len(same) else None,
        b_eq=np.zeros(len(same)) if len(same) else None,
        bounds=[(-1, 1)] * keys.shape[1] + [(None, 1)],
        method="highs",
    )
    return bool(-found.fun > 1e-7)


def check_certificate(why: Certificate, keys: Array, wanted: Array) -> None:
    """From the keys alone, nothing taken on trust."""
    left = np.array([why.left.get(index, 0.0) for index in range(len(keys))])
    right = np.array([why.right.get(index, 0.0) for index in range(len(keys))])
    if why.kind == "dependency":
        assert not left[wanted == 0].any()
        assert abs(left.sum()) <= 1e-9
        assert np.abs(left @ keys).max() <= 1e-9
        assert abs(left[wanted > 0] @ np.log(wanted[wanted > 0])) > 1e-9
        return
    assert why.kind == "hull"
    assert not left[wanted == 0].any()
    assert not right[wanted > 0].any()
    assert right.min() >= 0
    assert left.sum() == pytest.approx(1, abs=1e-9)
    assert right.sum() == pytest.approx(1, abs=1e-9)
    assert np.abs(left @ keys - right @ keys).max() <= 1e-8


def check(found: Solution, keys: Array, wanted: Array) -> None:
    """Possible: the weights hold. Impossible: the certificate does."""
    if found.certificate is None:
        weights = softmax(keys @ np.array(found.query))
        assert found.exact
        assert np.abs(weights - wanted).max() <= 1e-6
        for value in set(wanted[wanted > 0]):
            assert np.ptp(weights[wanted == value]) <= 1e-9
    else:
        assert not found.exact
        check_certificate(found.certificate, keys, wanted)


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


def on_sphere(size: int, length: float, count: int) -> Array:
    points = np.random.default_rng(1).normal(size=(count, size))
    return np.asarray(points * length / np.linalg.norm(points, axis=1, keepdims=True))


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


def test_a_tie_is_a_tie_in_spite_of_rounding() -> None:
    # 0.8 - 0.6 and 0.2 differ in the last bit.
    found = solve([[0.6, -0.8], [0, 0], [0, 0], [0, -0.2]], query=[-1, -1], replace_key=1, select=0)
    assert found.certificate is not None
    assert found.certificate.kind == "ratio"


@settings(max_examples=100, deadline=None)
@given(small_keys(2), st.data())
def test_a_new_key_holds_or_none_does(keys: Array, data: st.DataObject) -> None:
    size = keys.shape[1]
    query = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=size, max_size=size)), dtype=float)
    place = data.draw(st.integers(0, len(keys) - 1))
    chosen = sorted(data.draw(st.sets(st.integers(0, len(keys) - 1), min_size=1)))
    length = data.draw(st.sampled_from([None, 0.5, 1.0]))
    found = solve(keys, query=query, replace_key=place, average=chosen, length=length)
    assert found.key is not None
    if length is not None:
        assert np.linalg.norm(found.key) == pytest.approx(length)
    wanted = np.array(found.answers[0].wanted)
    keys[place] = found.key
    scores = keys @ query
    assert softmax(scores) == pytest.approx(np.array(found.weights[0]))
    if found.possible:
        # A longer query brings what this one does not.
        times = found.answers[0].times_needed or 1.0
        assert np.abs(softmax(times * scores) - wanted).max() <= 1.01e-6
    # No other key does better than nearly as well in log likelihood, unless equal weights were kept for it.
    if length is not None and not found.exact and chosen == [place]:
        others = np.repeat(keys[None], 2000, axis=0)
        others[:, place] = on_sphere(size, length, 2000)
        assert softmax(others @ query, axis=1)[:, place].max() <= found.weights[0][place] + 1e-12
    why = found.certificate
    if why is not None and why.kind == "ratio":
        (first,), (second,) = why.left, why.right
        assert place not in (first, second)
        assert why.value == pytest.approx(scores[first] - scores[second])
        assert wanted[second] > 0
        if wanted[first] > 0:
            assert abs(scores[first] - scores[second] - np.log(wanted[first] / wanted[second])) > 1e-9
        else:
            assert scores[first] >= scores[second] - 1e-9
    elif why is not None:
        assert why.kind == "reach"
        assert why.value is not None
        assert why.needed is not None
        bound = np.linalg.norm(query) * (length or 0)
        assert abs(why.value) == pytest.approx(bound)
        assert abs(why.needed) >= bound - 1e-9 or size == 1 or not query.any() or wanted[place] in (0, 1)


def test_new_keys_beside_queries_that_do_not_help() -> None:
    none = solve(KEYS, query=[0, 0, 0], replace_key=0, select=0)
    assert none.certificate is not None
    assert "query of zero" in none.certificate.says
    assert solve(KEYS, query=[0, 0, 0], replace_key=0, average=range(4), length=2).exact
    # A key of length 1 scores 3 at the most, and key 1 scores 6.
    far = solve([[0, 0], [2, 0]], query=[3, 0], replace_key=0, select=0, length=1)
    assert far.certificate is not None
    assert far.certificate.kind == "reach"
    assert far.certificate.value == pytest.approx(3)
    assert solve([[0, 0], [2, 0]], query=[3, 0], replace_key=0, weights=[0.25, 0.75]).exact
    assert solve([[0.0]], query=[3], replace_key=0, select=0, length=1).exact
    # Least squares stretches the key along the query.
    stretched = solve(KEYS, query=[0, 0, 5], replace_key=1, select=1, length=2, method="lstsq")
    assert stretched.key == pytest.approx((0, 0, 2))


def test_values_give_the_output() -> None:
    values = [[1, 0], [3, 4], [9, 9], [9, 9]]
    assert solve(KEYS, average=[0, 1], values=values).answers[0].output == pytest.approx((2, 2))


BAD: list[tuple[dict[str, Any], str]] = [
    ({"keys": 3, "select": 0}, "The keys must be a matrix such as"),
    ({"keys": [], "select": 0}, "The keys must be a matrix such as"),
    ({"keys": [1, 2], "select": 0}, "row 0 is no row of numbers"),
    ({"keys": [[[1]]], "select": 0}, "row 0 is no row of numbers"),
    ({"keys": [[1, 2], []], "select": 0}, "row 1 is no row of numbers"),
    ({"keys": [[1, 2], [3]], "select": 0}, "row 1 has 1 numbers, row 0 has 2"),
    ({"keys": [[1, float("nan")]], "select": 0}, "not nan"),
    ({"keys": [[1, float("inf")]], "select": 0}, "not inf"),
    ({"keys": [[1, "2"]], "select": 0}, "not '2'"),
    ({"keys": [[1, None]], "select": 0}, "not None"),
    ({"keys": [[10**400]], "select": 0}, "must be a number between"),
    ({"keys": [[1e-200, 0]], "select": 0}, "The keys are all smaller"),
    ({"select": 4}, "There is no key 4; there are 4, from 0 to 3."),
    ({"select": -1}, "There is no key -1"),
    ({"average": [0, 9]}, "There is no key 9"),
    ({"average": [0.5]}, "named by a whole number"),
    ({"average": [1, 1]}, "Key 1 is named twice"),
    ({"average": []}, "at least one key"),
    ({}, "exactly one of select, average, weights and identity; given: none"),
    ({"select": 0, "average": [0]}, "given: select and average"),
    ({"weights": [0.5, 0.5]}, "4 numbers, not 2"),
    ({"weights": [0.5, 0.4, 0, 0]}, "they sum to 0.9"),
    ({"weights": [1.5, -0.5, 0, 0]}, "cannot be negative; that of key 1 is -0.5"),
    ({"select": 0, "length": 0}, "The length must be above 0"),
    ({"select": 0, "length": -1}, "The length must be above 0"),
    ({"select": 0, "length": float("nan")}, "not nan"),
    ({"select": 0, "replace_key": 1}, "give the query that stays too"),
    ({"select": 0, "query": [1, 1, 1]}, "say which key to replace"),
    ({"select": 0, "query": [1, 1], "replace_key": 1}, "The query must be as long as a key: 3 numbers, not 2."),
    ({"select": 0, "query": [1, 1, 1], "replace_key": 7}, "There is no key 7"),
    ({"identity": True, "query": [1, 1, 1], "replace_key": 1}, "cannot make the identity"),
    ({"select": 0, "method": "exat"}, "Did you mean 'exact'?"),
    ({"select": 0, "values": [[1]]}, "There are 4 keys and 1 values"),
    ({"select": 0, "targets": [1, 0, 0, 0]}, "with the method lstsq"),
    ({"select": 0, "targets": [1], "method": "lstsq"}, "4 numbers, not 1"),
    ({"identity": True, "targets": [1, 0, 0, 0], "method": "lstsq"}, "Targets are for one query"),
]


@pytest.mark.parametrize(("wish", "message"), BAD, ids=lambda value: str(value)[:40])
def test_bad_input(wish: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        solve(**{"keys": KEYS, **wish})
    assert message in str(refused.value)


def test_arrays_are_keys_too() -> None:
    import torch

    assert solve(torch.tensor(KEYS, dtype=torch.float64), select=0).query == solve(np.array(KEYS), select=0).query


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_pictures(tmp_path: Path, suffix: str, start: bytes) -> None:
    cases = (
        ("pair", solve(KEYS, average=[0, 1])),
        ("all", solve(KEYS, identity=True)),
        ("key", solve(KEYS, query=[1, 2, 3], replace_key=2, select=2)),
        ("many", solve(np.eye(40), select=3)),
        ("line", solve([[0], [1]], select=1)),
        ("none", solve(np.zeros((3, 2)), average=range(3))),
    )
    for name, found in cases if suffix == ".svg" else cases[-1:]:
        path = tmp_path / f"{name}{suffix}"
        write_picture(found, path)
        assert path.read_bytes().startswith(start)
    # The name of a clip path in an SVG follows from a place in memory.
    names = re.compile(rb"p[0-9a-f]{10}" if suffix == ".svg" else b"$^")
    assert names.sub(b"", path.read_bytes()) == names.sub(b"", picture(found, suffix))
    with pytest.raises(InputError, match=r"must end in \.svg, \.png or \.pdf"):
        write_picture(solve(KEYS, select=0), tmp_path / "keys.bmp")
