"""What is timed: a piece of work, and the contenders that do it."""

from collections.abc import Callable
from dataclasses import dataclass

OURS = "Oratory"
LIMIT = "limit"
"""The operations of a work at the rate of matrix products that this machine reaches in the same turns."""

Call = Callable[[], object]


@dataclass(frozen=True)
class Contender:
    """Something that does a work, in a process of its own."""

    name: str
    make: Callable[[], Call]
    """Prepares everything in that process, and gives what is timed. It is a function that a process can be sent."""
    needs: str | None = None
    """The package without which it is left out."""
    factor: float = 1.0
    """What its seconds are multiplied by, where it does a part of the work, or more than it."""
    programs: bool = False
    """Whether programs that it starts do the work: then their memory counts, and not that of the process."""


@dataclass(frozen=True)
class Work:
    """The same work, done by several contenders in turns. A file in `works` has some, by the name `WORKS`."""

    name: str
    """As it is written on the command line."""
    title: str
    contenders: Callable[[], list[Contender]]
    """Those who do it, found when it is to be done."""
    calls: int = 5
    """How often a contender does the work in each of its turns."""
    base: str = OURS
    """The contender that ratios are to."""
    warm: int = 3
    """Calls before anything is timed."""
    most: int | None = None
    """The most turns, of a work that takes long."""
