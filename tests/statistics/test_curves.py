"""Lines through curves, and where curves cross: against curves whose answer is known."""

import numpy as np
import pytest

from oratory.statistics.curves import crossing_of, line_of

SIZES = (1000.0, 2000.0, 4000.0, 8000.0, 16000.0)


def curve(start: float, slope: float, seeds: int = 5, noise: float = 0.01, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    mean = start + slope * np.log(np.array(SIZES) / SIZES[0])
    return mean + noise * generator.standard_normal((seeds, len(SIZES)))


def test_a_power_law_is_a_straight_line() -> None:
    found = line_of(SIZES, [3 * size**-0.2 for size in SIZES], logarithmic=True)
    assert found is not None
    assert found.slope == pytest.approx(-0.2)
    assert found.at(500) == pytest.approx(3 * 500**-0.2)


def test_what_is_not_straight_has_no_line() -> None:
    assert line_of(SIZES, [5, 3, 2.9, 2.9, 2.9], logarithmic=True) is None
    assert line_of(SIZES[:3], [3, 2, 1], logarithmic=False) is None
    assert line_of(SIZES, [1.0] * 5, logarithmic=False) is None


def test_a_crossing_is_where_the_means_cross() -> None:
    # 2 - 0.3 x and 1.5 cross at x = 5/3, that is at 1000 exp(5/3).
    found = crossing_of(SIZES, curve(2, -0.3), curve(1.5, 0, noise=0))
    assert found is not None
    assert found.size == pytest.approx(1000 * np.exp(5 / 3), rel=0.05)
    assert found.interval[0] <= found.size <= found.interval[1]
    assert not found.first_above


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (curve(2, -0.3), curve(1, -0.3)),  # They never meet.
        (curve(2, -0.3), curve(0.5, 0)),  # Only beyond what was measured.
        (curve(1.5, -0.01, noise=0.3), curve(1.49, 0, noise=0.3, seed=1)),  # Lost in the noise.
        (curve(2, -0.3, seeds=2), curve(1.5, 0, seeds=2)),  # Too few seeds.
    ],
)
def test_no_crossing_is_named_unless_it_is_certain(first: np.ndarray, second: np.ndarray) -> None:
    assert crossing_of(SIZES, first, second) is None


def test_equal_curves_rarely_seem_to_cross() -> None:
    found = [crossing_of(SIZES, curve(1, 0, 5, 1, s), curve(1, 0, 5, 1, s + 1000)) for s in range(100)]
    assert sum(each is not None for each in found) <= 3


def test_a_seed_that_failed_is_left_out() -> None:
    first = curve(2, -0.3)
    first[0, 2] = np.nan
    assert crossing_of(SIZES, first, curve(1.5, 0, noise=0)) is not None
