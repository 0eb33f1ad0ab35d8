"""Attention alone."""

from dataclasses import dataclass
from typing import ClassVar

from oratory.mechanisms.kinds import Mixer


@dataclass(frozen=True, kw_only=True)
class Unmixed(Mixer):
    """Tokens meet in attention only."""

    name: ClassVar[str] = "none"
    paper = "Vaswani et al., 2017 (arXiv:1706.03762)"
