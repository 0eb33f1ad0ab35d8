import pytest

from oratory.pictures import Confusion, Reliability
from oratory.reports import draw
from oratory.reports.ramp import shade
from tests.reports.drawers.looking import words
from tests.reports.samples import HOSTILE


def test_a_confusion_matrix_has_its_counts() -> None:
    svg = draw(Confusion([[1200, 3, 0], [2, 40, 1], [0, 0, 0]], ["a", HOSTILE, "_c"]))
    shown = words(svg)
    assert {"1,200", "3", "40", "a", "_c", "predicted", "true"} <= set(shown)
    assert shade(1200 / 1203)[0] in svg


@pytest.mark.parametrize("size", [0, 1, 2, 25])
def test_a_confusion_matrix_of_any_size(size: int) -> None:
    shown = words(draw(Confusion([[0.5] * size for _ in range(size)], [f"label {at}" for at in range(size)])))
    assert shown.count("0.50") == size * size


def test_a_reliability_diagram_leaves_empty_bins_out() -> None:
    full = draw(Reliability([(0.3, 10, 40), (0.9, 80, 100)]))
    assert {"confidence", "accuracy", "underconfident", "overconfident"} <= set(words(full))
    assert draw(Reliability([(0.3, 10, 40), (0.5, 0, 0), (0.9, 80, 100)])) == full
    assert words(draw(Reliability([])))
