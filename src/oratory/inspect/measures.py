"""What a head does, as numbers: where its weight lies, over the rows of a map.

Shapes: B batch, H heads, T tokens.
"""

from collections.abc import Sequence
from functools import cache

import torch
from torch import Tensor

MEASURES = {
    "entropy": "how evenly a row is spread, in nats; 0 is one key alone",
    "distance": "how far away the weight lies, in tokens",
    "self": "share on the token itself: the diagonal",
    "previous": "share on the token before it",
    "first": "share on the first token",
    "separator": "share on punctuation and special tokens",
    "content": "share on words that are not English function words",
    "stripe": "share on the one column that gets most: a vertical stripe",
}
SHARES = ("self", "previous", "first", "separator", "content", "stripe")
SPECIAL = ("<START>", "<STOP>", "<CLS>", "[CLS]", "[SEP]", "<s>", "</s>", "<|endoftext|>")
_MARKS = "ĠĊ▁"
"""What subword tokenizers write for white space."""
BLOCK = 1 << 20
"""Weights that are measured at once: they stay near the processor, which for long texts is several times faster."""


@torch.no_grad()
def measure(weights: Tensor, separators: Tensor, content: Tensor) -> dict[str, Tensor]:
    """Each measure of maps (B, H, T, T) without padding, as (B, H); which tokens are what comes as (B, T)."""
    batch, heads, length = weights.shape[:3]
    places = torch.arange(length, dtype=torch.float32, device=weights.device)
    entropy, distance = weights.new_zeros(batch, heads), weights.new_zeros(batch, heads)
    columns = weights.new_zeros(batch, heads, length)  # what each key gets, over all queries
    rows = max(1, BLOCK // (batch * heads * length))
    for first in range(0, length, rows):
        part = weights[:, :, first : first + rows]
        away = (places[first : first + rows, None] - places[None, :]).abs_().to(weights.dtype)
        entropy += torch.special.entr(part).sum((2, 3)) / length
        distance += (part * away).sum((2, 3)) / length
        columns += part.sum(2) / length
    previous = weights.diagonal(-1, 2, 3)  # B, H, T - 1
    return {
        "entropy": entropy,
        "distance": distance,
        "self": weights.diagonal(0, 2, 3).mean(-1),
        "previous": previous.mean(-1) if length > 1 else weights.new_zeros(batch, heads),
        "first": columns[..., 0],
        "separator": (columns * separators[:, None]).sum(-1),
        "content": (columns * content[:, None]).sum(-1),
        "stripe": columns.amax(-1),
    }


def change(before: Tensor, after: Tensor) -> Tensor:
    """How much of a row's weight moved: the total variation distance of its weights, 0 to 1, mean over rows (B, H)."""
    return (after - before).abs().sum(-1).mean(-1) / 2


def kinds(tokens: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """For each token whether it is a separator, and whether it is a content word."""
    plain = [token.strip(_MARKS).removeprefix("##").strip() for token in tokens]
    separators = [token in SPECIAL or not any(map(str.isalnum, token)) for token in plain]
    content = [
        not separator and token[:1].isalpha() and token.lower() not in _function_words()
        for token, separator in zip(plain, separators, strict=True)
    ]
    return separators, content


@cache
def _function_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS) | {"'s", "n't", "'re", "'ve", "'ll", "'m", "'d"}
