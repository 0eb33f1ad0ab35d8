"""The peers, one file each."""

from functools import cache

from oratory.bench.peer import Peer
from oratory.discovery import classes_in


@cache
def peers() -> list[Peer]:
    """All of them, installed or not."""
    return [cls() for cls in classes_in(__name__, Peer)]
