"""Keys for tests of `solve`, and checks that take nothing on trust."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.special import softmax

from oratory.inspect import Certificate, Solution

Array = NDArray[np.float64]

KEYS = [[0.47, 0.65, 0.60], [0.64, 0.50, -0.59], [-0.03, -0.48, -0.88], [0.43, -0.83, 0.35]]
SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


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


def exact_weights(keys: Array, query: Array) -> Array:
    """The weights without rounding in the scores."""
    numbers = [Fraction(value) for value in query.tolist()]
    scores = [sum(Fraction(a) * b for a, b in zip(key, numbers, strict=True)) for key in keys.tolist()]
    return np.asarray(softmax([float(score - scores[0]) for score in scores]))


def distance(keys: Array, coefficients: Array) -> float:
    """The length of a combination of keys, without rounding in its sums."""
    columns = zip(*(tuple(map(Fraction, key)) for key in keys.tolist()), strict=True)
    exact = [Fraction(value) for value in coefficients.tolist()]
    return float(np.linalg.norm([float(sum(a * b for a, b in zip(exact, column, strict=True))) for column in columns]))


def check_certificate(why: Certificate, keys: Array, wanted: Array) -> None:
    """The claims of a certificate, from the keys alone; rounding is measured against the largest number of the sums."""
    left = np.array([why.left.get(index, 0.0) for index in range(len(keys))])
    right = np.array([why.right.get(index, 0.0) for index in range(len(keys))])
    logs = np.log(np.where(wanted > 0, wanted, 1.0))
    terms = np.abs(left).sum() + right.sum()
    noise = 1e-14 * terms * np.abs(keys).max(initial=1e-300)
    assert not left[wanted == 0].any()
    assert not right[wanted > 0].any()
    assert right.min() >= 0
    assert left.sum() == pytest.approx(right.sum(), abs=1e-14 * terms)
    assert right.sum() == pytest.approx(0.0 if not why.right else 1.0, abs=1e-14)
    apart = distance(keys, left - right)
    if why.kind == "length":
        assert why.value == pytest.approx(apart, rel=0.02, abs=noise)
        needed = left @ logs - (np.log(1e-6) if why.right else 0.0)
        assert needed > 0
        assert why.value is not None
        assert why.needed == pytest.approx(needed / why.value, rel=1e-6)
        # Rounding at this length is more than the weights allow: 1e-9 between equal ones, else 1e-6 (of at most 1/4).
        rounding = np.finfo(float).eps * (keys.shape[1] + 2) * np.linalg.norm(keys, axis=1).max() * why.needed
        assert rounding > (1 if why.right and (wanted > 0).sum() == 1 else 1e-9)
        return
    assert apart <= noise
    if why.kind == "dependency":
        assert not why.right
        assert abs(left @ logs) > 1e-9
    else:
        assert why.kind == "hull"


def check(found: Solution, keys: Array, wanted: Array) -> None:
    """Possible: the weights hold, with rounding and without. Impossible: the certificate does."""
    if found.certificate is not None:
        assert not found.exact
        check_certificate(found.certificate, keys, wanted)
        return
    assert found.exact
    query = np.array(found.query)
    for weights in (softmax(keys @ query), exact_weights(keys, query)):
        assert np.abs(weights - wanted).max() <= 1e-6
        for value in set(wanted[wanted > 0]):
            assert np.ptp(weights[wanted == value]) <= 1e-9


def on_sphere(size: int, length: float, count: int) -> Array:
    points = np.random.default_rng(1).normal(size=(count, size))
    return np.asarray(points * length / np.linalg.norm(points, axis=1, keepdims=True))
