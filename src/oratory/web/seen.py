"""Attention maps that stay in memory while somebody looks at them, and the bytes that a browser draws.

A weight w is kept as round(65,535 sqrt(w)) in 16 bits, as in the pages of reports: small weights, which are the most
frequent, are kept most exactly.

Shapes: L layers, H heads, T tokens.
"""

import struct
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.inspect import Maps, Subject, attend
from oratory.inspect.checks import table as table_of_checks
from oratory.inspect.maps_facts import heads_table
from oratory.inspect.words import Words, words_of
from oratory.reports.maps import reduced, scale
from oratory.web.work import Work

Codes = NDArray[np.uint16]
STEPS = 65_535
TILE = 512
"""Cells along one side of what is sent at once."""
THUMB = 48
"""The most cells along one side of a small map."""
CELLS = 150_000_000
"""Weights of one text that the page keeps."""
MOST = 900_000_000
"""Bytes of maps that are kept; what was not looked at for longest goes first."""
MAGIC = b"OMAP"


@dataclass(frozen=True, eq=False)
class SeenMaps:
    """All maps of one text, and what is known of them."""

    codes: Codes  # L, H, T, T
    facts: dict[str, Any]
    words: Words | None
    """None where every word is a token."""

    @property
    def size(self) -> int:
        """Bytes, with those of the maps by words."""
        return int(
            self.codes.nbytes * (1 if self.words is None else 1 + (len(self.words) / len(self.codes[0, 0])) ** 2)
        )

    @cached_property
    def by_word(self) -> Codes:
        """L, H, words, words."""
        if self.words is None:
            return self.codes
        maps = [[coded(self.words.of_map(decoded(head))) for head in layer] for layer in self.codes]
        return np.array(maps, np.uint16)

    def tile(self, layer: int, head: int, words: bool, square: int, row: int, column: int, mean: bool) -> bytes:
        """A part of a map, in squares of several tokens: the largest weight of each, or their mean."""
        codes, side = self._head(layer, head, words), TILE * square
        part = codes[row * side : (row + 1) * side, column * side : (column + 1) * side]
        if not part.size:
            raise InputError("This part of the map is beyond its end.")
        return packed(pooled(part, square, mean)[None])

    def token(self, layer: int, head: int, words: bool, query: int, key: int) -> bytes:
        """The row of a query and the column of a key."""
        codes = self._head(layer, head, words)
        if max(query, key) >= len(codes):
            raise InputError(f"There is no token {max(query, key)}; the text has {len(codes)}, counted from 0.")
        return packed(np.stack([codes[query], codes[:, key]])[:, None])

    def _head(self, layer: int, head: int, words: bool) -> Codes:
        codes = self.by_word if words else self.codes
        if layer not in range(len(codes)) or head not in range(codes.shape[1]):
            raise InputError(f"There is no layer {layer} with a head {head} in this model.")
        found: Codes = codes[layer, head]
        return found

    def grid(self, words: bool) -> bytes:
        """Every map, small."""
        codes = self.by_word if words else self.codes
        square = -(-codes.shape[-1] // THUMB)
        return packed(np.array([pooled(head, square) for layer in codes for head in layer]))


def pooled(codes: Codes, square: int, mean: bool = False) -> Codes:
    """Codes in squares. The code of the largest weight is the largest code."""
    if square == 1:
        return codes
    if mean:
        return coded(_reduced(decoded(codes), square, False))
    return _reduced(codes, square, True).astype(np.uint16, copy=False)


def _reduced(values: NDArray[Any], square: int, largest: bool) -> NDArray[Any]:
    """As `reduced`, of what need not be as high as it is wide."""
    if values.shape[0] == values.shape[1]:
        return reduced(values, square, largest)
    ends = [np.arange(0, size, square) for size in values.shape]
    if largest:
        return np.asarray(np.maximum.reduceat(np.maximum.reduceat(values, ends[0], 0), ends[1], 1))
    counts = [np.diff(starts, append=size) for starts, size in zip(ends, values.shape, strict=True)]
    sums = np.add.reduceat(np.add.reduceat(values, ends[0], 0), ends[1], 1)
    return np.asarray(sums / np.outer(*counts), np.float32)


def coded(weights: NDArray[np.float32]) -> Codes:
    """Weights as whole numbers."""
    return np.round(np.sqrt(np.clip(weights, 0, 1)) * STEPS).astype(np.uint16)


def decoded(codes: Codes) -> NDArray[np.float32]:
    """Whole numbers as weights, exact to 1.6e-5."""
    shares = codes.astype(np.float32) / np.float32(STEPS)
    return np.asarray(shares * shares, np.float32)


def packed(maps: Codes) -> bytes:
    """A header (OMAP; maps, rows, columns in 32 bits each), and the codes; the least significant byte first."""
    return struct.pack("<4sIII", MAGIC, *maps.shape) + np.ascontiguousarray(maps, "<u2").tobytes()


class Seen:
    """What was looked at lately. Many who look at the same at once wait for the first of them."""

    def __init__(self, work: Work, most: int = MOST) -> None:
        self._work = work
        self._most = most
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[tuple[Any, ...], threading.Lock] = {}

    def get(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """What was made for this key before, or is made now in a turn at the processors."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            making = self._making.setdefault(key, threading.Lock())
        try:
            with making:
                with self._lock:
                    if key in self._kept:
                        return self._kept[key]
                with self._work.turn():
                    made = make()
                with self._lock:
                    self._kept[key] = made
                    while len(self._kept) > 1 and sum(map(_size, self._kept.values())) > self._most:
                        self._kept.popitem(last=False)
                return made
        finally:
            with self._lock:
                self._making.pop(key, None)


def _size(made: Any) -> int:
    return made.size if isinstance(made, SeenMaps) else 10_000


def look(subject: Subject, text: str) -> SeenMaps:
    """The maps of a text: recomputed on the open path, and checked against the fast one."""
    config = subject.config
    ids, _ = subject.encode(text)
    if config.layers * config.heads * len(ids) ** 2 > CELLS:
        raise InputError(
            f"All heads of {len(ids):,} tokens have {config.layers * config.heads * len(ids) ** 2:,} weights, and this "
            f"page keeps {CELLS:,}: shorten the text, or look at one head with oratory attend --layer --head."
        )
    maps = attend(subject, text)
    words = words_of(subject, text, ids)
    kept = None if len(words) == len(ids) else words
    return SeenMaps(np.stack([coded(layer) for layer in maps.weights]), _facts(maps, subject, kept), kept)


def _facts(maps: Maps, subject: Subject, words: Words | None) -> dict[str, Any]:
    """What the page says beside the maps."""
    end, most = scale(maps, [head for layer in maps.weights for head in layer])
    run = subject.run
    return {
        "name": maps.name,
        "tokens": list(maps.tokens),
        "words": None if words is None else list(words.texts),
        "starts": None if words is None else list(words.starts),
        "layers": maps.of_layers,
        "heads": maps.of_heads,
        "task": maps.task,
        "seed": None if run is None else run.seed,
        "steps": [] if run is None else [0, *run.snapshots, run.step],
        "causal": maps.rules.causal,
        "about": f"{maps.task}, {maps.position} positions, {maps.rules.pattern} pattern",
        "sentences": maps.sentences(),
        "end": end,
        "most": most,
        "peaks": [[float(head.max()) for head in layer] for layer in maps.weights],
        "passed": maps.passed,
        "checks": asdict(table_of_checks(maps.after.checks, "Sanity checks")),
        "measures": asdict(heads_table(maps.after.summary, "What each head does in this text")),
    }
