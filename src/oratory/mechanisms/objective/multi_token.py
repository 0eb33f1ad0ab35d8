"""More than the next token."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from oratory.errors import InputError
from oratory.mechanisms.kinds import IGNORED, Objective, Shape


@dataclass(frozen=True, kw_only=True)
class MultiToken(Objective):
    """The tokens after the next one are predicted too: for each of them the vector of a token goes through a linear map
    and a norm of its own, x + norm(W x), and then through the output layer. Their losses are added, times a weight.

    The paper gives each of them a whole block. What is added serves training only.
    """

    name: ClassVar[str] = "multi-token"
    paper = "Gloeckle et al., 2024 (arXiv:2404.19737)"

    more: int = 1
    """How many tokens after the next one are predicted."""
    weight: float = 0.3
    """How much of their losses is added."""

    def serves(self, output: str, causal: bool) -> bool:
        return output == "tokens" and causal

    def check(self, shape: Shape) -> None:
        if self.more < 1 or not self.weight > 0:
            raise InputError(f"multi-token needs more=1 at least, and a weight above 0: {self}.")
        if not shape.causal:
            raise InputError("multi-token is for language models that predict what follows; this one sees it already.")

    def build(self, shape: Shape) -> "LaterTokens":
        return LaterTokens(self, shape.width)


class LaterTokens(nn.Module):
    """A map and a norm for each of the later tokens."""

    def __init__(self, settings: MultiToken, width: int) -> None:
        super().__init__()
        self.weight = settings.weight
        self.maps = nn.ModuleList(nn.Linear(width, width) for _ in range(settings.more))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(settings.more))

    def added(self, hidden: Tensor, targets: Tensor, logits: Callable[[Tensor], Tensor], count: int) -> Tensor:
        loss = hidden.new_zeros(())
        for ahead, (turn, norm) in enumerate(zip(self.maps, self.norms, strict=True), 1):
            length = targets.shape[1] - ahead
            if length < 1:
                break
            wanted = targets[:, ahead:]
            kept = (wanted != IGNORED) & (targets[:, :length] != IGNORED)
            x = hidden[:, :length][kept]  # N, D
            loss = loss + cross_entropy(logits(x + norm(turn(x))).float(), wanted[kept], reduction="sum")
        return self.weight * loss / count
