"""The loss alone."""

from dataclasses import dataclass
from typing import ClassVar

from oratory.mechanisms.kinds import Objective


@dataclass(frozen=True, kw_only=True)
class Plain(Objective):
    """The cross-entropy of the next token, with nothing added."""

    name: ClassVar[str] = "none"
    paper = "Vaswani et al., 2017 (arXiv:1706.03762)"
