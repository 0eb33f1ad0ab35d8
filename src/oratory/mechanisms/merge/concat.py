"""Heads side by side."""

from dataclasses import dataclass

from oratory.mechanisms.kinds import Merge


@dataclass(frozen=True, kw_only=True)
class Concat(Merge):
    """The heads side by side, in their order."""

    paper = "Vaswani et al., 2017 (arXiv:1706.03762)"
