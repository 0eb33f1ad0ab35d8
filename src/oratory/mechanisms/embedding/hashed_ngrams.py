"""Vectors of n-grams beside those of tokens."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.embedding.tokens import TokenTable
from oratory.mechanisms.hashing import ngram_rows
from oratory.mechanisms.kinds import Embedding, Shape


@dataclass(frozen=True, kw_only=True)
class HashedNgrams(Embedding):
    """x_t = E[w_t] + sum over n = 2..longest of G[hash(w_{t-n+1} ... w_t)]: each token with those just before it.

    G starts at zero, so that the model starts as one without it. It looks back only, and so keeps causality.
    """

    paper = "Joulin et al., 2017 (arXiv:1607.01759)"

    longest: int = 2
    """Tokens of the longest n-gram."""
    rows: int = 16384
    """Rows of the table that all n-grams share."""

    @property
    def reach(self) -> int:
        return self.longest - 1

    def check(self, shape: Shape) -> None:
        if self.longest < 2 or self.rows < 1:
            raise InputError(
                f"Hashed n-grams need longest of at least 2 and rows of at least 1, not {self.longest} and {self.rows}."
            )

    def build(self, shape: Shape) -> "NgramTable":
        return NgramTable(shape, self.longest, self.rows)


class NgramTable(TokenTable):
    """The table of tokens, and one of n-grams."""

    def __init__(self, shape: Shape, longest: int, rows: int) -> None:
        super().__init__(shape.vocabulary, shape.width)
        self.longest = longest
        self.ngrams = nn.Parameter(torch.zeros(rows, shape.width))

    def vectors(self, ids: Tensor) -> Tensor:
        x: Tensor = self(ids)
        for n in range(2, self.longest + 1):
            x = x + self.ngrams[ngram_rows(ids, n, len(self.ngrams))]
        return x
