"""A bag of n-grams beside the pooled vector of a text."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.hashing import ngram_rows, text_row
from oratory.mechanisms.head.linear import class_maps
from oratory.mechanisms.kinds import Head, Reading, Shape, TrainingText

SHORTEST = 3
"""Characters of the shortest piece of a word."""


@dataclass(frozen=True, kw_only=True)
class HybridNgrams(Head):
    """The logits of the pooled vector, plus strength * G v: v is the hashed, L2-normalised TF-IDF of a text's n-grams.

    N-grams are of tokens, and by option of the characters within a token. G starts at zero. TF-IDF is sublinear, as
    that of the baseline: (1 + ln tf) (1 + ln((1 + texts) / (1 + texts that have it))).
    """

    paper = "Joulin et al., 2017 (arXiv:1607.01759)"
    hybrid = "a linear model of n-grams"
    table = False

    longest: int = 3
    """Tokens of the longest n-gram."""
    characters: int = 0
    """Characters of the longest piece of a token, from 3 on; 0 for none. Unknown words have no characters."""
    rows: int = 131072
    """Rows of the table that all n-grams share."""
    strength: float = 20.0
    """What the sum over n-grams is multiplied with: the larger, the faster they learn."""

    def serves(self, output: str, causal: bool) -> bool:
        return output == "classes"

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if self.longest < 1 or self.rows < 1:
            raise InputError(f"N-grams need longest and rows of at least 1, not {self.longest} and {self.rows}.")
        if self.characters and self.characters < SHORTEST:
            raise InputError(f"characters={self.characters}: it must be 0, or at least {SHORTEST}.")
        if not self.strength > 0:
            raise InputError(f"strength={self.strength}: it must be above 0.")

    def build(self, shape: Shape) -> "NgramHead":
        return NgramHead(shape, self)


class NgramHead(nn.Sequential):
    """The maps of the pooled vector, and a row of logits for each n-gram.

    Shapes: B texts, T tokens, C classes, M pieces of a token, R rows, F n-grams of all texts.
    """

    def __init__(self, shape: Shape, chosen: HybridNgrams) -> None:
        super().__init__(*class_maps(shape))
        self.chosen, self.vocabulary = chosen, shape.vocabulary
        self.ngrams = nn.Parameter(torch.zeros(chosen.rows, shape.classes))
        self.register_buffer("rarity", torch.ones(chosen.rows))
        most = 0 if not chosen.characters else PIECES
        self.register_buffer("pieces", torch.full((shape.vocabulary, most), -1, dtype=torch.int32))
        self.rarity: Tensor
        self.pieces: Tensor

    def learn_from(self, text: TrainingText) -> None:
        """The pieces of every token, and how many texts have each n-gram."""
        if len(text.tokens) != self.vocabulary:
            raise InputError(
                f"The n-grams of this head are of {self.vocabulary:,} tokens, and the text has {len(text.tokens):,}: "
                "it is of another vocabulary."
            )
        if self.chosen.characters:
            found = [pieces_of(token, self.chosen.characters, self.chosen.rows) for token in text.tokens]
            for row, pieces in enumerate(found):
                self.pieces[row, : len(pieces)] = torch.tensor(pieces, dtype=torch.int32)
        having = torch.zeros_like(self.rarity)
        for ids in text.texts:
            rows = self._rows(ids[None].to(self.rarity.device))
            having[rows[rows >= 0].unique()] += 1  # type: ignore[no-untyped-call]
        self.rarity.copy_(1 + ((1 + len(text.texts)) / (1 + having)).log())

    def logits(self, x: Tensor, reading: Reading) -> Tensor:
        logits: Tensor = self(x)
        rows = self._rows(reading.ids, reading.mask)  # B, F
        owners = torch.arange(len(rows), device=rows.device)[:, None].expand_as(rows)[rows >= 0]
        pairs, times = torch.unique(owners * self.chosen.rows + rows[rows >= 0], return_counts=True)
        owner, row = pairs // self.chosen.rows, pairs % self.chosen.rows
        weight = (1 + times.log()) * self.rarity[row]
        norm = weight.new_zeros(len(rows)).index_add(0, owner, weight**2).sqrt()
        share = self.chosen.strength * weight / norm[owner]
        return logits.index_add(0, owner, (self.ngrams[row] * share[:, None]).to(logits.dtype))

    def _rows(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """The row of every n-gram of each text; -1 for padding, and for n-grams that would begin before the text."""
        places = torch.arange(ids.shape[1], device=ids.device)
        mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        parts = [
            ngram_rows(ids, n, self.chosen.rows).masked_fill(~mask | (places < n - 1), -1)
            for n in range(1, self.chosen.longest + 1)
        ]
        parts.append(self.pieces[ids].long().masked_fill(~mask[..., None], -1).flatten(1))
        return torch.cat(parts, dim=1)


PIECES = 48
"""Pieces of a token, at most: those of long words are cut off."""


def pieces_of(token: str, longest: int, rows: int) -> list[int]:
    """The rows of the pieces of a token, with marks where it begins and ends."""
    marked = f"<{token}>"
    lengths = range(SHORTEST, longest + 1)
    found = [marked[at : at + size] for size in lengths for at in range(len(marked) - size + 1)]
    return [text_row(f"{piece}\n", rows) for piece in found[:PIECES]]
