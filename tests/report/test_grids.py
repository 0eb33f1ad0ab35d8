from itertools import pairwise

import pytest

from oratory.report.grids import calibration, confusion, shade
from tests.report.samples import HOSTILE
from tests.report.test_plots import words


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [part / 255 for part in bytes.fromhex(colour[1:])]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_scale_only_darkens_and_can_be_read_on() -> None:
    papers = [luminance(shade(at / 200)[0]) for at in range(201)]
    assert all(one >= two for one, two in pairwise(papers))
    assert papers[0] > 0.8
    assert papers[-1] < 0.05
    for at in range(201):
        paper, ink = map(luminance, shade(at / 200))
        light, dark = max(paper, ink), min(paper, ink)
        assert (light + 0.05) / (dark + 0.05) > 4


def test_the_scale_has_ends() -> None:
    assert shade(-1) == shade(0)
    assert shade(float("inf")) == shade(1) == shade(2)


def test_a_confusion_matrix_has_its_counts() -> None:
    svg = confusion([[1200, 3, 0], [2, 40, 1], [0, 0, 0]], ["a", HOSTILE, "_c"])
    shown = words(svg)
    assert {"1,200", "3", "40", "a", "_c", "predicted", "true"} <= set(shown)
    assert shade(1200 / 1203)[0] in svg


@pytest.mark.parametrize("size", [0, 1, 2, 25])
def test_a_confusion_matrix_of_any_size(size: int) -> None:
    shown = words(confusion([[0.5] * size for _ in range(size)], [f"label {at}" for at in range(size)]))
    assert shown.count("0.50") == size * size


def test_a_reliability_diagram_leaves_empty_bins_out() -> None:
    full = calibration([(0.3, 10, 40), (0.9, 80, 100)])
    assert {"confidence", "accuracy"} <= set(words(full))
    assert calibration([(0.3, 10, 40), (0.5, 0, 0), (0.9, 80, 100)]) == full
    assert words(calibration([]))
