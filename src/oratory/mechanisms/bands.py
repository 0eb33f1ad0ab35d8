"""Bands of a vocabulary, from frequent to rare tokens: rare ones get fewer numbers.

Our tokenizers number tokens from the most frequent on, so a band is a range of ids.
"""

from itertools import pairwise

from oratory.errors import InputError

LEAST = 8
"""Width of a band, at the least."""


def bands(vocabulary: int, width: int, shares: tuple[float, float], factor: int) -> list[tuple[int, int, int]]:
    """Of each band: the first id, one after the last, and its width. A band without any token is left out."""
    ends = [round(share * vocabulary) for share in shares]
    edges = sorted({0, *(max(1, end) for end in ends), vocabulary})
    return [
        (first, end, max(min(LEAST, width), width // factor**number))
        for number, (first, end) in enumerate(pairwise(edges))
    ]


def check_bands(frequent: float, common: float, factor: int) -> None:
    """Refuse shares that do not rise between 0 and 1, and a factor below 1."""
    if not 0 < frequent < common < 1:
        raise InputError(
            f"frequent={frequent} and common={common}: they must rise between 0 and 1, such as 0.1 and 0.4."
        )
    if factor < 1:
        raise InputError(f"factor={factor}: it must be at least 1.")
