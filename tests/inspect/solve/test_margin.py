"""Keys that are nearly degenerate: tiny margins, near duplicates, very different scales."""

from collections.abc import Callable

import numpy as np
import pytest

from oratory.inspect import solve
from oratory.inspect.solve.margin import largest_margin
from tests.inspect.solve.keys import Array, check

Random = np.random.Generator


def near_hull(random: Random, wanted: int, margin: float) -> tuple[Array, float]:
    """Keys whose first `wanted` ones can be averaged with a given margin, and this margin relative to their size.

    The wanted keys lie at the height `margin`, and the other keys at 0 or below. Those at 0 surround the wanted ones in
    every direction along which the wanted keys do not differ.
    """
    size = int(random.integers(wanted, 9))
    others = random.normal(size=(int(random.integers(size, size + 8)) + 1, size))
    others[:, -1] = -np.abs(others[:, -1])
    around = slice(wanted - 1, size - 1)
    level = size - wanted + 1 + int(random.integers(0, 2))
    others[:level, -1] = 0
    others[:level, around] -= random.dirichlet(np.ones(len(others[:level]))) @ others[:level, around]
    members = np.zeros((wanted, size))
    members[:, : wanted - 1] = 2 * np.eye(wanted)[:, : wanted - 1]
    members[:, -1] = margin
    keys = np.vstack([members, others]) @ np.linalg.qr(random.normal(size=(size, size)))[0]
    keys += random.normal(size=size) * random.integers(0, 2)
    return keys, margin / float(np.linalg.norm(keys - keys.mean(0), axis=1).max())


@pytest.mark.parametrize("power", range(-12, -5))
@pytest.mark.parametrize("count", [1, 2, 3])
def test_tiny_margins_are_answered(count: int, power: int) -> None:
    random = np.random.default_rng([count, -power])
    for _ in range(25):
        margin = 10 ** random.uniform(power, power + 1)
        keys, relative = near_hull(random, count, margin)
        wanted = np.repeat([1 / count, 0.0], [count, len(keys) - count])
        found = solve(keys, average=range(count))
        check(found, keys, wanted)
        # One key can be selected whatever rounding does. Equal weights need scores that are exact to 1e-9.
        assert found.exact or (count > 1 and relative < 3e-5)
        if found.certificate is None:
            assert found.margin == pytest.approx(margin, rel=2e-3)
        else:
            assert found.certificate.kind == "length"
            assert found.certificate.value == pytest.approx(margin, rel=2e-3)
            assert found.sentences()[0].startswith("Not reached in floating point. ")


@pytest.mark.parametrize("height", [1e-6, 1e-8, 1e-10, 1e-14, 1e-30])
def test_heights_without_rounding(height: float) -> None:
    keys = np.array([[1, 0], [-1, 0], [0, height]])
    found = solve(keys, select=2)
    check(found, keys, np.array([0, 0, 1.0]))
    assert found.margin == pytest.approx(height)
    pair = np.array([[1, height], [-1, height], [1, 0], [-1, 0]])
    check(solve(pair, average=[0, 1]), pair, np.array([0.5, 0.5, 0, 0]))
    assert solve(pair, average=[0, 1]).exact


def test_differences_that_do_not_show_in_the_weights() -> None:
    # The third key is off the line of the first two by so little that their weights stay equal to 1e-9.
    keys = np.array([[0, 0], [1, 0], [2, 1e-11], [0, -1]])
    assert solve(keys, average=[0, 1, 2]).exact
    keys[2, 1] = 1e-6
    found = solve(keys, average=[0, 1, 2])
    assert found.certificate is not None
    assert found.certificate.kind == "hull"


def test_proportions_of_keys_that_are_nearly_one() -> None:
    random = np.random.default_rng(0)
    for _ in range(30):
        keys = random.normal(size=(4, 3))
        apart = 10 ** random.uniform(-13, -6)
        keys[1] = keys[0] + apart * random.normal(size=3)
        found = solve(keys, weights=[0.1, 0.4, 0.3, 0.2])
        check(found, keys, np.array([0.1, 0.4, 0.3, 0.2]))
        assert found.exact or (found.certificate is not None and found.certificate.kind == "length")
        assert found.exact == (apart > 1e-10) or 1e-12 < apart < 1e-9


def test_others_that_lose_enough_weight_and_not_all() -> None:
    # Key 2 lies on the line of keys 0 and 1, which fixes its weight.
    found = solve([[0.0], [1.0], [3.0]], weights=[0.999, 0.001, 0])
    assert found.exact
    assert found.weights[0][2] == pytest.approx(0.999 * (0.001 / 0.999) ** 3, rel=1e-2)
    assert not solve([[0.0], [1.0], [3.0]], weights=[0.9, 0.1, 0]).possible


def test_a_length_beside_a_tiny_margin() -> None:
    keys = [[1, 0], [-1, 0], [0, 1e-8]]
    short = solve(keys, select=2, length=1e6)
    assert short.possible
    assert not short.exact
    assert np.linalg.norm(short.query) <= 1e6 * (1 + 1e-12)
    needed = short.answers[0].times_needed
    assert needed is not None
    assert solve(keys, select=2, length=1e6 * needed * 7).exact


def scales(random: Random) -> Array:
    return np.asarray(random.normal(size=(6, 3)) * 10 ** random.uniform(-10, 0, size=3))


def duplicates(random: Random) -> Array:
    rows = random.normal(size=(6, 3))
    rows[:, 0] = np.abs(rows[:, 0])
    rows[0] = np.abs(rows[0]) * 10 ** random.uniform(-12, -5)
    return rows


def wedge(random: Random) -> Array:
    rows = random.normal(size=(6, 3))
    rows[:, 0] = 10 ** random.uniform(-10, -2, size=6) * random.choice([-1, 1, 1, 1], size=6)
    return rows


@pytest.mark.parametrize("family", [scales, duplicates, wedge])
def test_the_margin_meets_the_distance(family: Callable[[Random], Array]) -> None:
    random = np.random.default_rng(0)
    for _ in range(60):
        rows = family(random) @ np.linalg.qr(random.normal(size=(3, 3)))[0]
        rows /= np.linalg.norm(rows, axis=1).max()
        found = largest_margin(rows)
        assert found.share.min() >= 0
        assert found.share.sum() == pytest.approx(1)
        assert found.distance == pytest.approx(np.linalg.norm(found.share @ rows))
        if found.distance > 1e-13:
            assert (rows @ found.direction).min() == pytest.approx(found.distance, rel=1e-2)
        else:
            assert found.margin <= 1e-13


def test_no_convergence_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("Maximum number of iterations reached.")

    monkeypatch.setattr("scipy.optimize.nnls", fails)
    assert solve([[1, 0], [-1, 0], [0, 1e-3]], select=2).exact
