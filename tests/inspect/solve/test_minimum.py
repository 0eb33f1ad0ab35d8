"""The constrained minimum satisfies the conditions of Karush, Kuhn and Tucker."""

import numpy as np
import pytest
from scipy.special import softmax

from oratory.inspect.solve.minimum import lowest


@pytest.mark.parametrize("seed", range(40))
def test_the_gradient_vanishes_or_points_into_the_ball(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(int(random.integers(2, 15)), int(random.integers(1, 9))))
    offset, radius = random.normal(size=len(rows)), float(10 ** random.uniform(-2, 2))
    pull = softmax(random.normal(size=len(rows))) @ rows if seed % 2 else np.zeros(rows.shape[1])
    z = lowest(rows, offset, pull, radius)
    gradient = softmax(rows @ z + offset) @ rows - pull
    length = float(np.linalg.norm(z))
    assert length <= radius * (1 + 1e-12)
    if length < radius * (1 - 1e-9):
        assert np.linalg.norm(gradient) <= 1e-7
    else:
        assert gradient @ z <= 0
        across = gradient - (gradient @ z) / length**2 * z
        assert np.linalg.norm(across) <= 1e-6 * max(1.0, float(np.linalg.norm(gradient)))


def test_nothing_to_gain() -> None:
    assert not lowest(np.zeros((3, 2)), np.zeros(3), np.zeros(2), 1.0).any()
