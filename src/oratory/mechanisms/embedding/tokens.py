"""One vector for each token of the vocabulary."""

from dataclasses import dataclass

from torch import Tensor, nn

from oratory.mechanisms.kinds import Embedding, Shape


@dataclass(frozen=True, kw_only=True)
class Tokens(Embedding):
    """A table with one learned vector for each token."""

    paper = "Bengio et al., 2003"

    def build(self, shape: Shape) -> "TokenTable":
        return TokenTable(shape.vocabulary, shape.width)


class TokenTable(nn.Embedding):
    """The table."""

    def vectors(self, ids: Tensor) -> Tensor:
        found: Tensor = self(ids)
        return found
