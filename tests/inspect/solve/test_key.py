"""New keys against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from oratory.inspect import solve
from tests.inspect.solve.keys import KEYS, Array, on_sphere, small_keys


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
