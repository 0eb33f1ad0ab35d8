"""The six tasks of the reference, and what all tasks share."""

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import softmax

import oratory
from oratory.errors import InputError
from oratory.inspect import solve
from oratory.reports.keys import picture, write_picture
from tests.inspect.solve.keys import KEYS


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


def test_where_nothing_is_exact_the_measure_is_named() -> None:
    square = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    found = solve(square, weights=[0.4, 0.2, 0.2, 0.2])
    verdict, measure = found.sentences()
    assert verdict.startswith("Impossible. ")
    (answer,) = found.answers
    assert answer.divergence is not None
    assert measure == (
        "The weights shown have the smallest Kullback-Leibler divergence from the wanted ones, "
        f"{answer.divergence:.4g} nats; they differ by at most {answer.error:.4g}."
    )
    assert found.to_dict()["divergence"] == answer.divergence
    # It is the smallest: no query nearby has a smaller one.
    wanted, keys = np.array(answer.wanted), np.array(square)

    def divergence(query: NDArray[np.float64]) -> float:
        return float(wanted @ (np.log(wanted) - np.log(softmax(keys @ query))))

    best = np.array(found.query)
    assert answer.divergence == pytest.approx(divergence(best))
    for step in np.random.default_rng(0).normal(0, 0.05, (200, 2)):
        assert divergence(best + step) >= answer.divergence - 1e-12
    # Least squares minimises something else.
    least = solve(square, weights=[0.4, 0.2, 0.2, 0.2], method="lstsq")
    assert "the least squared distance from their targets; they differ" in least.sentences()[1]
    assert solve(square, select=0).answers[0].divergence == pytest.approx(0, abs=1e-6)


def test_a_new_key_has_the_smallest_divergence_too() -> None:
    # One dimension: the new key is 1 or -1, and scores 3 or -3.
    found = solve([[1], [0], [0.5]], query=[3], replace_key=0, weights=[0.3, 0.3, 0.4], length=1)
    (answer,) = found.answers
    wanted, divergences = np.array(answer.wanted), {}
    for key in (1.0, -1.0):
        weights = softmax(3 * np.array([key, 0, 0.5]))
        divergences[key] = float(wanted @ (np.log(wanted) - np.log(weights)))
    assert found.key == (min(divergences, key=divergences.__getitem__),)
    assert answer.divergence == pytest.approx(min(divergences.values()))


def test_the_name_is_that_of_the_function() -> None:
    import_module("oratory.inspect.solve.query")
    assert oratory.inspect.solve is oratory.solve is solve


def test_values_give_the_output() -> None:
    values = [[1, 0], [3, 4], [9, 9], [9, 9]]
    assert solve(KEYS, average=[0, 1], values=values).answers[0].output == pytest.approx((2, 2))


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
