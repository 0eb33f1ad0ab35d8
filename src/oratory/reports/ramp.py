"""The one colour scale of the project: from paper to ink on a straight line through CIELAB.

On such a line equal steps look equally large, and lightness only falls (on dark paper it only rises). So nobody needs
to tell hues apart, and a copy in grey keeps the order.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEPS = 256
LIGHT = ((98.5, 0.0, 0.0), (18.0, 22.0, -46.0))
"""From white paper to dark blue: lightness, green to red, blue to yellow."""
DARK = ((12.0, 0.0, -3.0), (94.0, -4.0, 28.0))
"""From dark paper to light yellow."""
WHITE_FROM = 0.59
"""From this share on, white letters have more contrast than black ones."""
_WHITE = np.array([0.95047, 1.0, 1.08883])
_TO_RGB = np.array([[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]])


@cache
def ramp(dark_paper: bool = False) -> tuple[str, ...]:
    """The colours of the scale as #rrggbb, from a share of 0 to a share of 1."""
    first, last = (np.array(end) for end in (DARK if dark_paper else LIGHT))
    share = np.linspace(0, 1, STEPS)[:, None]
    return _written(first + share * (last - first))


@cache
def diverging(dark_paper: bool = False) -> tuple[str, ...]:
    """The colours of differences from -1 to 1: from orange over paper, where there is none, to blue."""
    paper = np.array((DARK if dark_paper else LIGHT)[0])
    ends = ((82.0, 22.0, 58.0), (78.0, -12.0, -38.0)) if dark_paper else ((45.0, 48.0, 58.0), (32.0, 12.0, -52.0))
    less, more = (np.array(end) for end in ends)
    share = np.linspace(-1, 1, STEPS - 1)[:, None]  # An odd number, so that one of them is paper itself.
    colours = paper + np.abs(share) * (np.where(share < 0, less, more) - paper)
    return _written(colours)


def shade(share: float) -> tuple[str, str]:
    """The colour of a share from 0 to 1, and a colour for letters that can be read on it; NaN counts as 0."""
    inside = min(1.0, max(0.0, share))
    return ramp()[round(inside * (STEPS - 1))], "#ffffff" if inside >= WHITE_FROM else "#10131a"


def colormap() -> Any:
    """The scale for images drawn by matplotlib."""
    from matplotlib.colors import ListedColormap

    return ListedColormap(ramp())


def _written(lab: Array) -> tuple[str, ...]:
    colours = np.round(255 * _rgb(lab)).astype(int)
    return tuple("#" + "".join(f"{part:02x}" for part in colour) for colour in colours)


def _rgb(lab: Array) -> Array:
    """CIELAB (D65) to sRGB, each from 0 to 1."""
    middle = (lab[:, 0] + 16) / 116
    bent = np.stack([middle + lab[:, 1] / 500, middle, middle - lab[:, 2] / 200], axis=1)
    xyz = np.where(bent > 6 / 29, bent**3, 3 * (6 / 29) ** 2 * (bent - 4 / 29)) * _WHITE
    linear = np.clip(xyz @ _TO_RGB.T, 0, 1)
    made: Array = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return made
