"""The usual residual."""

from dataclasses import dataclass

from oratory.mechanisms.kinds import Residual


@dataclass(frozen=True, kw_only=True)
class Add(Residual):
    """Each part is added to what came in: x + f(norm(x)), or norm(x + f(x)) if the norm comes after."""

    paper = "He et al., 2015 (arXiv:1512.03385)"
