"""A gate on what a head finds."""

from dataclasses import dataclass

from torch import Tensor, nn

from oratory.mechanisms.kinds import Attention, Shape


@dataclass(frozen=True, kw_only=True)
class Gated(Attention):
    """What heads find is multiplied by a gate that follows from the token: softmax(...) V * sigmoid(W x), column by
    column.
    """

    paper = "Qiu et al., 2025 (arXiv:2505.06708)"

    def build(self, shape: Shape) -> "Gate":
        return Gate(shape)


class Gate(nn.Module):
    """The map from a token to its gates."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate = nn.Linear(shape.width, shape.heads * shape.head_size, bias=False)

    def outputs(self, out: Tensor, x: Tensor, v: Tensor) -> Tensor:
        gates: Tensor = self.gate(x).view(*x.shape[:2], out.shape[1], out.shape[3]).transpose(1, 2)  # B, H, T, E
        return out * gates.sigmoid()
