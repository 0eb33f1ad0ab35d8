"""Attention maps as bytes that a browser draws.

A weight w is kept as round(65,535 sqrt(w)) in 16 bits, as in the pages of reports: small weights, which are the most
frequent, are kept most exactly.
"""

import struct

import numpy as np
from numpy.typing import NDArray

from oratory.reports.maps import reduced

Codes = NDArray[np.uint16]
STEPS = 65_535
MAGIC = b"OMAP"
BLOCK = 1 << 18
"""Weights that are coded at once: they stay near the processor."""


def coded(weights: NDArray[np.float32]) -> Codes:
    """Weights as whole numbers, in an array of the same shape."""
    made = np.empty(weights.shape, np.uint16)
    rows, wide = weights.reshape(-1, weights.shape[-1]), made.reshape(-1, weights.shape[-1])
    step = max(1, BLOCK // weights.shape[-1])
    for first in range(0, len(rows), step):
        part = np.clip(rows[first : first + step], 0, 1)
        np.sqrt(part, out=part)
        part *= STEPS
        wide[first : first + step] = np.rint(part, out=part)
    return made


def decoded(codes: Codes) -> NDArray[np.float32]:
    """Whole numbers as weights, exact to 1.6e-5."""
    shares = codes.astype(np.float32) / np.float32(STEPS)
    return np.asarray(shares * shares, np.float32)


def pooled(codes: Codes, square: int, mean: bool = False) -> Codes:
    """Codes in squares. The code of the largest weight is the largest code."""
    if square == 1:
        return codes
    if mean:
        return coded(reduced(decoded(codes), square, largest=False))
    return reduced(codes, square)


def packed(maps: Codes) -> bytes:
    """A header (OMAP; maps, rows, columns in 32 bits each), and the codes; the least significant byte first."""
    return struct.pack("<4sIII", MAGIC, *maps.shape) + np.ascontiguousarray(maps, "<u2").tobytes()
