"""The parts of a transformer that can be swapped, one small file each, found by being in their folder."""

from oratory.mechanisms.kinds import Feedforward, Mechanism, Merge, Norm, Pattern, Pool, Position, Scene, Shape
from oratory.mechanisms.registry import REGISTRY, Registry, written_as

__all__ = [
    "REGISTRY",
    "Feedforward",
    "Mechanism",
    "Merge",
    "Norm",
    "Pattern",
    "Pool",
    "Position",
    "Registry",
    "Scene",
    "Shape",
    "written_as",
]
