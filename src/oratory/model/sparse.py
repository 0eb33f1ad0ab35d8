"""Computing only the blocks of scores that a pattern allows.

A pattern says which keys a query may see, and nothing else. From that follows, for each run of queries, the list of
keys that at least one of them sees; scores are made between the run and its list only. This works for every pattern, a
user's own too, and the time and memory follow the pattern: linear in the length for a window.
"""

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from oratory.mechanisms import Pattern

SHORTEST = 512
"""Texts below this are quickest with a mask over all pairs."""
RUNS = (16, 32, 64, 128, 256)
"""Lengths of a run of queries that are tried."""
GATHER = 24
"""What it costs to bring a key to a run, counted in scores."""


@dataclass(frozen=True)
class Plan:
    """Which keys each run of queries meets. N runs of C queries, each with up to U keys."""

    run: int
    keys: Tensor  # N, U: positions of keys; where a list is shorter, 0
    allowed: Tensor  # N, C, U
    narrow: Tensor  # N: the numbers of the runs in this plan
    wide: Tensor  # rows: positions of queries that see most of the text, and are computed in full


@lru_cache(maxsize=32)
def plan(pattern: Pattern, causal: bool, length: int) -> Plan | None:
    """The cheapest plan for a text of this length, or None where a mask over all pairs is as good."""
    if length < SHORTEST or not hasattr(pattern, "allow"):
        return None
    lists = {run: _keys(pattern, causal, length, run) for run in RUNS}
    costs = {run: sum(map(len, found)) * (run + GATHER) for run, found in lists.items()}
    run = min(costs, key=costs.__getitem__)
    if costs[run] > length * length / 2:
        return None
    found = lists[run]
    narrow = [number for number, keys in enumerate(found) if len(keys) <= length // 2]
    most = max(len(found[number]) for number in narrow)
    keys = torch.zeros(len(narrow), most, dtype=torch.int64)
    there = torch.zeros(len(narrow), most, dtype=torch.bool)
    for row, number in enumerate(narrow):
        keys[row, : len(found[number])] = found[number]
        there[row, : len(found[number])] = True
    queries = torch.tensor(narrow)[:, None] * run + torch.arange(run)  # N, C
    allowed = allow(pattern, causal, queries[:, :, None], keys[:, None, :]) & there[:, None, :]
    taken = set(narrow)
    wide = [number for number in range(len(found)) if number not in taken]
    rows = [torch.arange(number * run, min((number + 1) * run, length)) for number in wide]
    return Plan(
        run, keys, allowed, torch.tensor(narrow), torch.cat(rows) if rows else torch.zeros(0, dtype=torch.int64)
    )


def allow(pattern: Pattern, causal: bool, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """What a pattern and the task allow together; the positions broadcast."""
    causally = k_positions <= q_positions
    found = getattr(pattern, "allow", None)
    if found is None:
        return causally if causal else torch.ones_like(causally)
    chosen: Tensor = found(q_positions, k_positions)
    return chosen & causally if causal else chosen


def _keys(pattern: Pattern, causal: bool, length: int, run: int) -> list[Tensor]:
    """For each run of queries, the keys that at least one of them sees."""
    positions = torch.arange(length)
    return [
        allow(pattern, causal, positions[start : start + run, None], positions[None, :]).any(0).nonzero().squeeze(-1)
        for start in range(0, length, run)
    ]
