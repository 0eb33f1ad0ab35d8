"""Colours for weights: from paper to ink on a straight line through CIELAB.

On such a line equal steps look equally large, and lightness only falls (or, on dark paper, only rises). So nobody needs
to tell hues apart, and a copy in grey keeps the order.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEPS = 256
LIGHT = ((98.5, 0.0, 0.0), (18.0, 22.0, -46.0))
"""From white paper to dark blue: lightness, green to red, blue to yellow."""
DARK = ((12.0, 0.0, -3.0), (94.0, -4.0, 28.0))
"""From dark paper to a light yellow."""
_WHITE = np.array([0.95047, 1.0, 1.08883])
_TO_RGB = np.array([[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]])


@cache
def ramp(dark_paper: bool = False) -> tuple[str, ...]:
    """So many colours, as #rrggbb, from no weight to all of it."""
    first, last = (np.array(end) for end in (DARK if dark_paper else LIGHT))
    share = np.linspace(0, 1, STEPS)[:, None]
    colours = np.round(255 * _rgb(first + share * (last - first))).astype(int)
    return tuple("#" + "".join(f"{part:02x}" for part in colour) for colour in colours)


def _rgb(lab: Array) -> Array:
    """CIELAB (D65) to sRGB, each 0 to 1."""
    middle = (lab[:, 0] + 16) / 116
    bent = np.stack([middle + lab[:, 1] / 500, middle, middle - lab[:, 2] / 200], axis=1)
    xyz = np.where(bent > 6 / 29, bent**3, 3 * (6 / 29) ** 2 * (bent - 4 / 29)) * _WHITE
    linear = np.clip(xyz @ _TO_RGB.T, 0, 1)
    made: Array = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return made
