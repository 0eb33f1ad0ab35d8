"""Every key."""

from dataclasses import dataclass

from oratory.mechanisms.kinds import Pattern


@dataclass(frozen=True, kw_only=True)
class Full(Pattern):
    """Every query sees every key."""

    paper = "Vaswani et al., 2017 (arXiv:1706.03762)"
