"""Speed beside the peers that are installed: the same work, in turns, in one tree of processes.

A work is a file in `works`, a peer is a file in `peers`; each is found by being there.
"""

from oratory.bench.bench import bench
from oratory.bench.result import Bench, Compared, Measured

__all__ = ["Bench", "Compared", "Measured", "bench"]
