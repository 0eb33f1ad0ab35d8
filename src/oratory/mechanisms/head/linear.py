"""The usual output layer."""

from dataclasses import dataclass

from torch import nn

from oratory.mechanisms.kinds import Head, Shape


@dataclass(frozen=True, kw_only=True)
class Linear(Head):
    """W x + b for tokens; for classes W2 max(0, W1 x), or W x without a hidden layer (head_hidden=none)."""

    paper = "Bengio et al., 2003"

    def serves(self, output: str, causal: bool) -> bool:
        return True

    def build(self, shape: Shape) -> nn.Module:
        if shape.output == "tokens":
            return nn.Linear(shape.width, shape.vocabulary, bias=shape.head_bias)
        parts = class_maps(shape)
        return parts[0] if len(parts) == 1 else nn.Sequential(*parts)


def class_maps(shape: Shape) -> list[nn.Module]:
    """The maps from a pooled vector to the logits of classes."""
    if shape.head_hidden is None:
        return [nn.Linear(shape.width, shape.classes)]
    return [nn.Linear(shape.width, shape.head_hidden), nn.ReLU(), nn.Linear(shape.head_hidden, shape.classes)]
