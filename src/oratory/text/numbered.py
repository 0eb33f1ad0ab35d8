"""Texts as numbers, in the order of a hash: equal texts have the same one, and nothing but the text decides it."""

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from oratory.text.lines import in_parts

PIECES = 4
"""Numbers of 64 bits in a hash."""


def numbered(texts: Iterable[str]) -> NDArray[np.int64]:
    """The place of each text's hash (SHA-256) among all different ones. The texts themselves are not kept."""
    found = [np.frombuffer(b"".join(map(hashed, some)), ">u8").reshape(-1, PIECES) for some in in_parts(texts)]
    hashes = np.concatenate(found).astype(np.uint64) if found else np.zeros((0, PIECES), np.uint64)
    found.clear()
    order = np.lexsort(hashes.T[::-1])
    # One row is compared with the one before it, which may have the same text.
    new = np.zeros(len(order), bool)
    for piece in hashes.T:
        ordered = piece[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(new)
    return numbers


def hashed(text: str) -> bytes:
    """The hash of one text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
