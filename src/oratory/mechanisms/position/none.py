"""No positions at all."""

from dataclasses import dataclass
from typing import ClassVar

from oratory.mechanisms.kinds import Position


@dataclass(frozen=True, kw_only=True)
class Absent(Position):
    """No positions: an encoder sees a bag of tokens, a decoder only what its causal mask tells."""

    name: ClassVar[str] = "none"
    paper = "Haviv et al., 2022 (arXiv:2203.16634)"
