"""The usual attention."""

from dataclasses import dataclass

from oratory.mechanisms.kinds import Attention


@dataclass(frozen=True, kw_only=True)
class Softmax(Attention):
    """The weights of a query are the softmax of its scores: softmax(q K^T / sqrt(E)) V."""

    paper = "Vaswani et al., 2017 (arXiv:1706.03762)"
