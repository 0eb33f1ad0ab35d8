"""Blocks of running text: neighbouring lines of one text with at least `BLOCK` bytes between them.

A block is the same stretch of text for every variant, whatever its tokens are.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oratory.statistics import Array
from oratory.training.tasks.lm.metric import LanguageMetric

if TYPE_CHECKING:
    import pyarrow

BLOCK = 512


class Blocks:
    """The blocks of some texts. Where there are several texts, each is a part."""

    def __init__(self, texts: Mapping[str, Sequence[str]]) -> None:
        self.of_line: dict[str, NDArray[np.int64]] = {}
        owners: list[int] = []
        sizes: list[int] = []
        for index, (name, lines) in enumerate(texts.items()):
            found, filled = [], BLOCK
            for line in lines:
                if filled >= BLOCK:
                    owners.append(index)
                    sizes.append(0)
                    filled = 0
                filled += len(line.encode()) + 1
                sizes[-1] = filled
                found.append(len(owners) - 1)
            self.of_line[name] = np.array(found)
        owner = np.array(owners)
        self.bytes = np.array(sizes, np.float64)
        self.parts: dict[str, NDArray[np.bool_]] = {"all": np.ones(len(owner), bool)}
        self.parts |= {name: owner == index for index, name in enumerate(texts) if name != "dev"}

    def values(self, table: "pyarrow.Table", metric: LanguageMetric) -> tuple[Array, Array]:
        """The value of each block, from the per-token results of a run, and its weight."""
        texts, lines = np.array(table["text"].combine_chunks().to_pylist()), np.array(table["line"])
        nats = np.array(table["nats"]).astype(np.float64)
        total, tokens = np.zeros(len(self.bytes)), np.zeros(len(self.bytes))
        for name, of_line in self.of_line.items():
            mask = texts == name
            where = of_line[lines[mask]]
            total += np.bincount(where, weights=nats[mask], minlength=len(self.bytes))
            tokens += np.bincount(where, minlength=len(self.bytes))
        return metric.per_block(total, tokens, self.bytes)
