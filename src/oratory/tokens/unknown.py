"""Text that is not in the vocabulary: how it is shown, and how much of it there is."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, pairwise

import numpy as np

from oratory.tables import percent
from oratory.tokens.encoded import Encoded
from oratory.tokens.tokenizer import Tokenizer

MUCH = 0.05
"""The share of unknown tokens in a test text from which on it is said before training."""


def unknown_words(tokenizer: Tokenizer, text: str) -> list[str]:
    """What each unknown token of a text stands for, in order."""
    ids, sizes = tokenizer.measure(text)
    data = text.encode()
    covered = pairwise(accumulate(sizes, initial=0))
    return [
        data[start:end].decode(errors="replace").strip()
        for index, (start, end) in zip(ids, covered, strict=True)
        if index == tokenizer.unk_id
    ]


def named(tokenizer: Tokenizer, ids: Iterable[int], text: str) -> tuple[str, ...]:
    """The tokens of a text as they are shown. An unknown one has its word in it: `<unk:word>`."""
    words = iter(unknown_words(tokenizer, text))
    return tuple(_name(tokenizer, int(index), words) for index in ids)


def _name(tokenizer: Tokenizer, index: int, words: Iterator[str]) -> str:
    word = next(words, "") if index == tokenizer.unk_id else ""
    token = tokenizer.token(index)
    return f"{token.removesuffix('>')}:{word}>" if word else token


def unknown_note(words: list[str]) -> str:
    """A sentence on the unknown words of a text; empty where there are none."""
    if not words:
        return ""
    some = ", ".join(dict.fromkeys(words))
    return f"Not in the vocabulary: {some}." if len(words) < 6 else f"{len(words)} words are not in the vocabulary."


def unknown_remarks(encoded: Mapping[str, Encoded], tokenizer: Tokenizer) -> tuple[str, ...]:
    """A sentence for each held-out text of which the vocabulary lacks much."""
    held_out = {name: part for name, part in encoded.items() if name != "train" and len(part.ids)}
    shares = {name: float(np.mean(part.ids == tokenizer.unk_id)) for name, part in held_out.items()}
    return tuple(
        f"{percent(share)}% of the tokens of {name} are unknown text: train does not have them."
        for name, share in shares.items()
        if tokenizer.unk_id is not None and share >= MUCH
    )
