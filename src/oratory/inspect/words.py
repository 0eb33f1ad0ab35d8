"""Maps by words in place of tokens, for tokenizers that split words.

A word looks where its tokens look on average, and is looked at as much as its tokens are together; so the rows of such
a map sum to one as well (Clark et al., 2019, arXiv:1906.04341).

Shapes: T tokens, W words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from oratory.inspect.subject import Subject
from oratory.text.normal import one_line

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Words:
    """Tokens that belong together: the text of each word, and its first token."""

    texts: tuple[str, ...]
    starts: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.starts)

    def of_map(self, weights: Array) -> Array:
        """A map (T, T) as a map of words (W, W)."""
        starts = np.array(self.starts)
        sizes = np.diff(starts, append=len(weights)).astype(np.float32)
        together: Array = np.add.reduceat(weights, starts, axis=1)
        summed: Array = np.add.reduceat(together, starts, axis=0)
        return (summed / sizes[:, None]).astype(np.float32, copy=False)


def words_of(subject: Subject, text: str, ids: Sequence[int]) -> Words:
    """The words of a text that was given to a model as these ids.

    A word begins after white space; a punctuation mark, and a token that is not in the text, is a word of its own.
    """
    assert subject.tokenizer is not None
    line = one_line(text)
    body, sizes = subject.tokenizer.measure(line)
    first = _first_of(body, ids)
    data = line.encode()
    covered = [data[start:end].decode(errors="replace") for start, end in pairwise(accumulate(sizes, initial=0))]
    names = subject.tokens(ids, text)
    texts: list[str] = []
    starts: list[int] = []
    before = ""
    for at, name in enumerate(names):
        inside = 0 <= at - first < len(covered)
        piece = covered[at - first] if inside else ""
        if not inside or not before or piece[:1].isspace() or _is_mark(piece) or _is_mark(before):
            starts.append(at)
            texts.append("")
        unknown = inside and body[at - first] == subject.tokenizer.unk_id
        texts[-1] += piece.strip() if inside and not unknown else name
        before = piece
    return Words(tuple(texts), tuple(starts))


def _first_of(body: Sequence[int], ids: Sequence[int]) -> int:
    """Where the text begins among the ids: tokens of the model's own may come before it."""

    def alike(first: int) -> int:
        return sum(a == b for a, b in zip(body, ids[first:], strict=False))

    return max(range(min(3, len(ids))), key=lambda first: (alike(first), -first))


def _is_mark(piece: str) -> bool:
    return bool(piece.strip()) and not any(map(str.isalnum, piece))
