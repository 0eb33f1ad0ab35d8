"""Linear biases and rotation together."""

from dataclasses import dataclass

from oratory.mechanisms.position.alibi import Alibi
from oratory.mechanisms.position.rope import Rope


@dataclass(frozen=True, kw_only=True)
class AlibiRope(Rope, Alibi):
    """Both: queries and keys are turned as by rope, and scores fall with the distance as by alibi."""

    paper = "Su et al., 2021 (arXiv:2104.09864) and Press et al., 2021 (arXiv:2108.12409)"
