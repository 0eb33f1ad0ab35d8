import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from oratory.reports.ramp import colormap, ramp, shade


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [part / 255 for part in bytes.fromhex(colour[1:])]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    """The contrast of two colours as WCAG 2 defines it."""
    dark, light = sorted(map(luminance, (one, two)))
    return (light + 0.05) / (dark + 0.05)


def lab(colour: str) -> Any:
    """CIELAB of #rrggbb."""
    value = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(matrix) @ linear / [0.95047, 1.0, 1.08883]
    bent = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * bent[1] - 16, 500 * (bent[0] - bent[1]), 200 * (bent[1] - bent[2])])


@pytest.mark.parametrize("dark", [False, True])
def test_equal_steps_of_the_scale_look_equal(dark: bool) -> None:
    steps = [lab(colour) for colour in ramp(dark)[::51]]
    apart = [float(np.linalg.norm(b - a)) for a, b in pairwise(steps)]
    assert max(apart) / min(apart) < 1.05
    lightness = [float(step[0]) for step in steps]
    assert lightness == sorted(lightness, reverse=not dark)
    assert abs(lightness[0] - lightness[-1]) > 75


def test_the_scale_only_darkens_and_can_be_read_on() -> None:
    shades = [shade(at / 200) for at in range(201)]
    papers = [luminance(paper) for paper, _ in shades]
    assert all(one >= two for one, two in pairwise(papers))
    assert papers[0] > 0.8
    assert papers[-1] < 0.05
    for paper, ink in shades:
        assert contrast(paper, ink) > 4
        assert contrast(paper, ink) > 0.97 * max(contrast(paper, other) for other in ("#ffffff", "#10131a"))


def test_the_scale_has_ends() -> None:
    assert shade(-1) == shade(0) == shade(math.nan)
    assert shade(math.inf) == shade(1) == shade(2)
    assert [shade(0)[0], shade(1)[0]] == [ramp()[0], ramp()[-1]]


def test_images_have_the_same_scale() -> None:
    from matplotlib.colors import to_hex

    assert [to_hex(colour) for colour in colormap()([0.0, 0.5, 1.0])] == [ramp()[0], ramp()[128], ramp()[-1]]
