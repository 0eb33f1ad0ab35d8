"""Blocks of running text: lines of one text and one group that follow each other, of about `BLOCK` bytes together.

A block is the same stretch of text for every variant, whatever its tokens are. Blocks are long because neighbouring
lines are alike: the standard error of a difference grows with the length of the blocks until they are kilobytes long.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oratory.statistics import Array
from oratory.statistics.clustered import ENOUGH
from oratory.text import Corpus, LanguageData
from oratory.tokens.scoring import count_words
from oratory.training.running_text.metric import BlockSums, LanguageMetric
from oratory.training.tasks.units import Groups, Units

if TYPE_CHECKING:
    import pyarrow

BLOCK = 8192
"""Bytes of a block, where there is enough text for several."""
SHORTEST = 512


class Blocks(Units):
    """The blocks of test or dev. The lines that train has too are a part of test, and so is every text.

    A block is two items where train has some of its lines and others not.
    """

    def __init__(self, corpus: Corpus, split: str = "test") -> None:
        data = corpus.need_lm()
        texts = data.tests if split == "test" else {"dev": data.dev or ()}
        self.texts = texts
        sizes = {name: np.array([len(line.encode()) + 1 for line in lines]) for name, lines in texts.items()}
        wanted = min(BLOCK, max(SHORTEST, sum(int(of.sum()) for of in sizes.values()) / ENOUGH))
        self.of_line = {name: np.zeros(len(of), np.int64) for name, of in sizes.items()}
        owners: list[int] = []
        groups: list[str] = []
        for index, name in enumerate(texts):
            for group, lines in _together(len(texts[name]), data.groups.get(name, ())):
                blocks = _blocks(sizes[name][lines], wanted)
                self.of_line[name][lines] = blocks + len(owners)
                count = int(blocks.max()) + 1
                owners += [index] * count
                groups += [group] * count
        seen, block = self._split(data, split == "test")
        owner, self.together = np.array(owners)[block], block
        self.sizes = np.zeros(len(owner))
        for name, of_lines in sizes.items():
            self.sizes += np.bincount(self.of_line[name], of_lines, minlength=len(owner))
        self.item = _noun(self.sizes.sum() / max(1, len(owners)))
        self.source = f" of {'this text' if len(texts) == 1 else f'these {len(texts)} texts'}"
        self.groups = (
            Groups(corpus.group, [groups[at] for at in block], data.groups.get("train", ()))
            if corpus.group and all(groups)
            else None
        )
        self.stratum, self.stratum_of_item = "text", owner
        self.parts = {"all": np.ones(len(owner), bool)}
        self.parts |= {"seen lines": seen, "unseen lines": ~seen} if seen.any() else {}
        self.parts |= {name: owner == index for index, name in enumerate(texts) if name != "dev"}

    def _split(self, data: LanguageData, test: bool) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Divide blocks into the lines that train has and the others; for each item, which it is, and its block."""
        codes = []
        for name, blocks in self.of_line.items():
            seen = np.array(data.seen(name), np.int64) if test else np.zeros(len(blocks), np.int64)
            codes.append(2 * blocks + seen)
        found, items = np.unique(np.concatenate(codes), return_inverse=True)
        ends = np.cumsum([len(each) for each in codes])[:-1]
        self.of_line = dict(zip(self.of_line, np.split(items, ends), strict=True))
        return found % 2 == 1, found // 2

    def values(self, table: "pyarrow.Table", metric: LanguageMetric) -> tuple[Array, Array]:
        """The value of each item, from the per-token results of a run, and its weight."""
        texts, lines = np.array(table["text"].combine_chunks().to_pylist()), np.array(table["line"])
        nats = np.array(table["nats"]).astype(np.float64)
        # Older results do not say what the tokens leave open.
        has_spelling = "spelling" in table.column_names
        open_nats = np.array(table["spelling"]).astype(np.float64) if has_spelling else np.full(len(nats), np.nan)
        total, spelling, tokens = (np.zeros(len(self.sizes)) for _ in range(3))
        for name, of_line in self.of_line.items():
            mask = texts == name
            where = of_line[lines[mask]]
            total += np.bincount(where, weights=nats[mask], minlength=len(self.sizes))
            spelling += np.bincount(where, weights=open_nats[mask], minlength=len(self.sizes))
            tokens += np.bincount(where, minlength=len(self.sizes))
        return metric.per_block(BlockSums(total, spelling, tokens, self.words, self.sizes))

    @cached_property
    def words(self) -> Array:
        """The words of each item."""
        found = np.zeros(len(self.sizes))
        for name, lines in self.texts.items():
            np.add.at(found, self.of_line[name], [count_words([line]) for line in lines])
        return found


def _together(count: int, groups: Sequence[str]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """The lines of one text, by their groups; all lines where there are none."""
    if not groups:
        groups = [""] * count
    of_line = np.array(groups)
    for group in dict.fromkeys(groups):
        yield group, np.flatnonzero(of_line == group)


def _blocks(sizes: NDArray[np.int64], wanted: float) -> NDArray[np.int64]:
    """The block of each line: as many blocks as fit best, all of about the same length."""
    count = max(1, round(float(sizes.sum()) / wanted))
    middles = np.cumsum(sizes) - sizes / 2
    _, block = np.unique((middles * count / sizes.sum()).astype(np.int64), return_inverse=True)
    return block.astype(np.int64)


def _noun(mean: float) -> str:
    """What a block is called, by its length."""
    return f"block of {mean / 1024:.0f} KB" if mean >= 1024 else f"block of {mean:.0f} bytes"
