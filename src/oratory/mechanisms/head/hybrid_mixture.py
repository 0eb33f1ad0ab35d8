"""A network, n-grams and a cache, mixed."""

from dataclasses import dataclass

from oratory.errors import InputError
from oratory.mechanisms.kinds import Head, Shape
from oratory.mechanisms.mixing import MixtureHead


@dataclass(frozen=True, kw_only=True)
class HybridMixture(Head):
    """p = s1 softmax(W x + b) + s2 p_KN + s3 p_cache: modified Kneser-Ney n-grams of train, and the text so far.

    The shares are chosen on dev, which is not counted. Training is that of head=linear.
    """

    paper = "Jelinek and Mercer, 1980; Mikolov et al., 2011"
    hybrid = "Kneser-Ney n-grams of train and a cache of the text so far"
    needs_dev = True

    order: int = 4
    """Tokens of the longest n-gram."""
    cache: int = 2000
    """Earlier tokens of the text that the cache holds; 0 for no cache."""

    @property
    def reach(self) -> int:
        return max(self.order - 2, self.cache)

    def serves(self, output: str, causal: bool) -> bool:
        return output == "tokens" and causal

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if self.order < 1 or self.cache < 0:
            raise InputError(
                f"A mixture needs an order of at least 1 and a cache of at least 0 tokens, not {self.order} and "
                f"{self.cache}."
            )

    def build(self, shape: Shape) -> MixtureHead:
        return MixtureHead(shape, self.order, self.cache)
