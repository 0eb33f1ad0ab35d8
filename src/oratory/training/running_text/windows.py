"""Windows of the context's length over a text, each moved on by the stride; every token is scored in one of them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

READ = 2048
"""Tokens that the model reads in one call."""


@dataclass(frozen=True)
class Windows(ABC):
    """Windows over one array of ids: where each begins, how long it is, and the first and last token that it scores."""

    begins: Integers
    lengths: Integers
    firsts: Integers
    ends: Integers
    """One after the last."""

    opening: ClassVar[int]
    """Tokens before a text that are given."""

    @staticmethod
    @abstractmethod
    def cuts(offsets: Integers, size: int) -> Integers:
        """Where each window but the last stops to score, given where windows of one text begin."""

    @classmethod
    def over(cls, starts: Integers, context: int, stride: int) -> Self:
        """Windows over texts in one array, one after the other; text i begins at `starts[i]`."""
        found = [np.zeros((4, 0), np.int64)]
        for start, stop in pairwise(starts):
            tokens = int(stop - start) - cls.opening
            if tokens < 1:
                continue
            size = min(context, tokens)
            # The last window ends with the text, and so may overlap the one before it by more than the others do.
            offsets = np.append(np.arange(0, tokens - size, stride), tokens - size)
            ends = np.append(cls.cuts(offsets, size), tokens)
            first = int(start) + cls.opening
            firsts = np.append(0, ends[:-1])
            found.append(np.stack([start + offsets, np.full(len(offsets), size), first + firsts, first + ends]))
        return cls(*np.concatenate(found, axis=1))
