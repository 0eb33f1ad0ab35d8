"""Attention maps that stay in memory while somebody looks at them.

What is known of all maps of a text is worked out once, a layer at a time, with every head as a small picture. The
weights themselves are kept by layer, as long as there is room for them; a layer that had to go is computed again when
somebody looks at it. So a long text needs the memory of a layer, not of all maps.

Shapes: H heads, T tokens or words.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.inspect import Maps, Subject, attend
from oratory.inspect.checks import table as table_of_checks
from oratory.inspect.maps_facts import heads_table
from oratory.inspect.watch import weights_of
from oratory.inspect.words import Words, words_of
from oratory.reports.maps import scale_end, thinned
from oratory.web.codes import Codes, coded, decoded, packed, pooled
from oratory.web.work import Work

TILE = 512
"""Cells along one side of what is sent at once."""
THUMB = 48
"""The most cells along one side of a small map."""
CELLS = 1_000_000_000
"""Weights of one text that the page works out; more would take minutes."""
MOST = 600_000_000
"""Bytes of maps that are kept; what was not looked at for longest goes first."""
NUMBER = 2_000
"""The most maps of layers, and facts of texts, that are kept: of short texts, many have room in these bytes."""


class Seen:
    """What was looked at lately. Many who look at the same at once wait for the first of them."""

    def __init__(self, work: Work, most: int = MOST) -> None:
        self._work = work
        self._most = most
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._size = 0
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
                made = self._work.do(make)
                self.put(key, made)
                return made
        finally:
            with self._lock:
                self._making.pop(key, None)

    def put(self, key: tuple[Any, ...], made: Any) -> None:
        """Keep what was made on the way to something else."""
        with self._lock:
            if key in self._kept:
                self._size -= _size(self._kept.pop(key))
            self._kept[key] = made
            self._size += _size(made)
            while len(self._kept) > 1 and (self._size > self._most or len(self._kept) > NUMBER):
                self._size -= _size(self._kept.popitem(last=False)[1])


def _size(made: Any) -> int:
    """Bytes, about."""
    return made.nbytes if isinstance(made, np.ndarray | Looked) else 10_000


@dataclass(frozen=True, eq=False)
class Looked:
    """What is known of all maps of one text, every map small, and the words of the text."""

    facts: dict[str, Any]
    small: bytes
    words: Words | None
    """None where every word is a token."""

    @property
    def nbytes(self) -> int:
        """Bytes, about: a token is a string or two."""
        return 20_000 + len(self.small) + 150 * len(self.facts["tokens"])


class Text:
    """The maps of one text under one model. `key` says of which; it is what they are kept by."""

    def __init__(self, seen: Seen, key: tuple[Any, ...], trained: Subject, step: int | None, text: str) -> None:
        self._seen = seen
        self._key = key
        self._trained = trained
        self._step = step
        self._text = text

    @property
    def _subject(self) -> Subject:
        """The model as it was at the step; made only when something is computed with it."""
        return self._trained.at_step(self._step)

    @property
    def looked(self) -> Looked:
        """Recomputed on the open path, and checked against the fast one."""
        found: Looked = self._seen.get(self._key, self._look)
        return found

    def grid(self, words: bool) -> bytes:
        """Every map, small."""
        looked = self.looked
        if not words or looked.words is None:
            return looked.small
        layers = [self._layer(layer, words) for layer in range(looked.facts["layers"])]
        return packed(np.concatenate([_small(layer) for layer in layers]))

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
        facts = self.looked.facts
        if layer >= facts["layers"] or head >= facts["heads"]:
            raise InputError(f"There is no layer {layer} with a head {head} in this model.")
        found: Codes = self._layer(layer, words)[head]
        return found

    def _layer(self, layer: int, words: bool) -> Codes:
        """The maps (H, T, T) of a layer."""
        looked = self.looked
        tokens: Codes = self._seen.get((*self._key, layer), lambda: self._again(layer))
        if not words or looked.words is None:
            return tokens
        by = looked.words
        found: Codes = self._seen.get(
            (*self._key, layer, "words"), lambda: np.stack([coded(by.of_map(decoded(head))) for head in tokens])
        )
        return found

    def _again(self, layer: int) -> Codes:
        subject = self._subject
        ids = torch.tensor([subject.encode(self._text)[0]], device=subject.model.device)
        return coded(weights_of(subject.model, ids, layer)[0].float().cpu().numpy())

    def _look(self) -> Looked:
        subject = self._subject
        ids = subject.encode(self._text)[0]
        cells = subject.config.layers * subject.config.heads * len(ids) ** 2
        if cells > CELLS:
            raise InputError(
                f"All heads of {len(ids):,} tokens have {cells:,} weights, and this page works out {CELLS:,}: shorten "
                "the text, or look at one head with oratory attend --layer --head."
            )
        peaks, some, small = list[list[float]](), list[NDArray[np.float32]](), list[Codes]()

        def visit(layer: int, weights: NDArray[np.float32]) -> None:
            codes = coded(weights)
            self._seen.put((*self._key, layer), codes)
            small.append(_small(codes))
            peaks.append(weights.max((1, 2)).tolist())
            some.extend(thinned(head).copy() for head in weights)

        maps = attend(subject, self._text, visit=visit)
        words = words_of(subject, self._text, ids)
        kept = None if len(words) == len(ids) else words
        return Looked(_facts(maps, subject, kept, peaks, some), packed(np.concatenate(small)), kept)


def _small(codes: Codes) -> Codes:
    """The maps (H, T, T) of a layer as small ones."""
    square = -(-codes.shape[-1] // THUMB)
    return np.stack([pooled(head, square) for head in codes])


def _facts(
    maps: Maps, subject: Subject, words: Words | None, peaks: list[list[float]], some: list[NDArray[np.float32]]
) -> dict[str, Any]:
    """What the page says beside the maps."""
    most, run = max(map(max, peaks)), subject.run
    at_once = "" if run is None else run.at_once(maps.text)
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
        "sentences": [*([at_once] if at_once else []), *maps.sentences()],
        "end": scale_end(maps, some, most),
        "most": most,
        "peaks": peaks,
        "passed": maps.passed,
        "checks": asdict(table_of_checks(maps.after.checks, "Sanity checks")),
        "measures": asdict(heads_table(maps.after.summary, "What each head does in this text")),
    }
