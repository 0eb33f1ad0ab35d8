"""Where words begin, for tokenizers that split words."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oratory.tokens import Encoded


def word_begins(lines: Sequence[str], encoded: Encoded) -> NDArray[np.bool_]:
    """Whether a word begins with each token.

    Two tokens are of one word if there is a letter or a digit on both sides of where they meet.
    """
    joins = np.zeros(len(encoded.ids), bool)
    for index, line in enumerate(lines):
        letters = _letters(line)
        span = slice(encoded.starts[index], encoded.starts[index + 1])
        begins = np.cumsum(encoded.sizes[span]) - encoded.sizes[span]
        joins[span] = letters[begins] & letters[begins - 1] & (begins > 0)
    return ~joins


def _letters(line: str) -> NDArray[np.bool_]:
    """For every byte of a line and its end, whether it is of a letter or a digit."""
    flags = b"".join(bytes([character.isalnum()]) * len(character.encode()) for character in line)
    return np.frombuffer(flags + bytes(2), bool)  # The end of the line, and what begins after it.
