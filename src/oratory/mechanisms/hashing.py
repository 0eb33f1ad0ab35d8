"""N-grams of ids as rows of a table: a hash decides the row, and rare collisions are accepted.

Shapes: B texts, T tokens.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad

FACTOR = 1_000_003
"""A prime that is larger than usual vocabularies; a product of ids and numbers below 2**31 fits into 64 bits."""
PRIME = 2_147_483_647


def ngram_rows(ids: Tensor, n: int, rows: int) -> Tensor:
    """The row of the n-gram that ends at each token (B, T); before a text stands a token that is none."""
    found = torch.zeros_like(ids)
    for back in range(n - 1, -1, -1):
        word = pad(ids + 1, (back, 0))[:, : ids.shape[1]]  # 0 before the text
        found = (found * FACTOR + word) % PRIME
    return (found * FACTOR + n) % PRIME % rows


def text_row(text: str, rows: int) -> int:
    """The row of a piece of text, the same on every machine."""
    found = 0
    for character in text:
        found = (found * FACTOR + ord(character)) % PRIME
    return found % rows
