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
UNMET = 0.3
"""What naive Bayes adds to every count, so that an n-gram which a class does not have is not impossible there."""


@dataclass(frozen=True, kw_only=True)
class HybridNgrams(Head):
    """The logits of the pooled vector, plus strength * G v: v is the hashed, L2-normalised TF-IDF of a text's n-grams.

    N-grams are of tokens, and by option of the characters within a token. G starts at zero. TF-IDF is sublinear, as
    that of the baseline: (1 + ln tf) (1 + ln((1 + texts) / (1 + texts that have it))).

    With bayes=B, the logits of a text that is measured also get B times those of complement naive Bayes: for a class,
    -sum over n-grams of ln p(n-gram | other classes), less its mean over classes. Training does without them, because
    the counts have seen its labels.
    """

    paper = "Joulin et al., 2017 (arXiv:1607.01759); bayes: Rennie et al., 2003"
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
    bayes: float = 0.0
    """What the logits of naive Bayes are multiplied with; 0 for none."""

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
        if not self.bayes >= 0:
            raise InputError(f"bayes={self.bayes}: it must be 0 or more.")

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
        if chosen.bayes:  # An empty table would change the checksum of a model without it.
            self.register_buffer("evidence", torch.zeros(chosen.rows, shape.classes))
        self.rarity: Tensor
        self.pieces: Tensor
        self.evidence: Tensor

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
        if self.chosen.bayes:
            self._weigh(text)

    def _weigh(self, text: TrainingText) -> None:
        """What each n-gram says for each class: how rare it is in the texts of the others."""
        counts = torch.zeros_like(self.evidence)  # R, C
        for ids, label in zip(text.texts, text.labels, strict=True):
            rows = self._rows(ids[None].to(counts.device))
            found = rows[rows >= 0]
            counts[:, label].index_add_(0, found, counts.new_ones(len(found)))
        met = (counts.sum(dim=1, keepdim=True) > 0).float()  # R, 1
        others = (counts.sum(dim=1, keepdim=True) - counts + UNMET) * met
        told = -(others / others.sum(dim=0)).log() * met  # -ln p, and nothing of an n-gram that train does not have.
        told = told.nan_to_num(posinf=0.0)
        self.evidence.copy_(told - told.mean(dim=1, keepdim=True))

    def logits(self, x: Tensor, reading: Reading) -> Tensor:
        logits: Tensor = self(x)
        rows = self._rows(reading.ids, reading.mask)  # B, F
        owners = torch.arange(len(rows), device=rows.device)[:, None].expand_as(rows)[rows >= 0]
        if self.chosen.bayes and not self.training:
            told = self.chosen.bayes * self.evidence[rows[rows >= 0]]
            logits = logits.index_add(0, owners, told.to(logits.dtype))
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
