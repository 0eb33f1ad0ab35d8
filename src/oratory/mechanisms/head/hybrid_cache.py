"""The words of a text so far, beside the model."""

from dataclasses import dataclass

from oratory.errors import InputError
from oratory.mechanisms.kinds import Head, Shape
from oratory.mechanisms.mixing import MixtureHead


@dataclass(frozen=True, kw_only=True)
class HybridCache(Head):
    """p = (1 - s) softmax(W x + b) + s p_cache: earlier words of the text, those that followed similar vectors most.

    The share s, and how much similarity counts, are chosen on dev. Training is that of head=linear.
    """

    paper = "Grave, Joulin and Usunier, 2017 (arXiv:1612.04426)"
    hybrid = "a cache of the text so far"
    needs_dev = True

    size: int = 2000
    """Earlier tokens of the text that it holds."""

    @property
    def reach(self) -> int:
        return self.size

    def serves(self, output: str, causal: bool) -> bool:
        return output == "tokens" and causal

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if self.size < 1:
            raise InputError(f"A cache needs a size of at least 1 token, not {self.size}.")

    def build(self, shape: Shape) -> MixtureHead:
        return MixtureHead(shape, None, self.size)
