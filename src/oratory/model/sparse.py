"""Computing only the blocks of scores that a pattern allows.

A pattern says which keys a query may see, and nothing else. From that follows, for each run of queries, the list of
keys that at least one of them sees; scores are made between the run and its list only. This works for every pattern, a
user's own too, and the time and memory follow the pattern: linear in the length for a window.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from oratory.mechanisms import Pattern

SHORTEST = 512
"""Texts below this are quickest with a mask over all pairs."""
RUNS = (16, 32, 64, 128, 256)
"""Lengths of a run of queries that are tried."""
GATHER = 24
"""The cost of gathering a key for a run, in units of computing a score."""


@dataclass(frozen=True)
class Plan:
    """Which keys each run of queries meets. N runs of C queries, each with up to U keys; T tokens."""

    queries: Tensor  # N, C: positions; those of the last run may lie beyond the text
    keys: Tensor  # N, U: positions; a shorter list is filled up with keys that are not allowed
    allowed: Tensor  # N, C, U
    blind: Tensor | None  # N, 1, C, 1: queries that may see nothing; these are allowed everything, and then set to zero
    wide: Tensor  # positions of queries that see most of the text, and are computed in full
    places: Tensor  # T: the place of each token among the queries of all runs, followed by the wide ones

    def to(self, device: torch.device) -> "Plan":
        """The plan where the tokens are."""
        if self.keys.device == device:
            return self
        moved: dict[str, Any] = {name: part.to(device) for name, part in vars(self).items() if isinstance(part, Tensor)}
        return replace(self, **moved)


@lru_cache(maxsize=32)
def plan(pattern: Pattern, causal: bool, length: int) -> Plan | None:
    """The cheapest plan for a text of this length, or None where a mask over all pairs is as good."""
    if length < SHORTEST or not hasattr(pattern, "allow"):
        return None
    finest = _met(pattern, causal, length)
    met = {run: _joined(finest, run // RUNS[0]) for run in RUNS}
    costs = {run: int(found.sum()) * (run + GATHER) for run, found in met.items()}
    run = min(costs, key=costs.__getitem__)
    if costs[run] > length * length / 2:
        return None
    counts = met[run].sum(1)
    narrow = (counts <= length // 2).nonzero().squeeze(1)
    wide = (counts > length // 2).nonzero().squeeze(1)
    # The keys of a run in their order, then others that fill the list up and are not allowed.
    keys = met[run][narrow].int().argsort(dim=1, descending=True, stable=True)[:, : int(counts[narrow].max())]
    there = torch.arange(keys.shape[1]) < counts[narrow][:, None]
    queries = narrow[:, None] * run + torch.arange(run)  # N, C
    allowed = allow(pattern, causal, queries[:, :, None], keys[:, None, :]) & there[:, None, :]
    blind = ~allowed.any(-1, keepdim=True)  # N, C, 1
    in_full = (wide[:, None] * run + torch.arange(run)).flatten()
    in_full = in_full[in_full < length]
    computed = torch.cat([queries.flatten(), in_full])
    return Plan(
        queries=queries,
        keys=keys,
        allowed=allowed | blind,
        blind=blind[:, None] if blind.any() else None,
        wide=in_full,
        places=computed.argsort()[:length],
    )


def allow(pattern: Pattern, causal: bool, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """What a pattern and the task allow together; the positions broadcast, and so does what is found."""
    found = getattr(pattern, "allow", None)
    if found is None:
        return k_positions <= q_positions if causal else torch.ones_like(k_positions, dtype=torch.bool)
    chosen: Tensor = found(q_positions, k_positions)
    return chosen & (k_positions <= q_positions) if causal else chosen


def _met(pattern: Pattern, causal: bool, length: int) -> Tensor:
    """For each of the shortest runs of queries, which keys at least one of them sees: (runs, T)."""
    positions = torch.arange(length, dtype=torch.int32)
    found = []
    for start in range(0, length, 8 * RUNS[0]):
        rows = positions[start : start + 8 * RUNS[0], None]
        found.append(_joined(allow(pattern, causal, rows, positions[None, :]), RUNS[0]))
    return torch.cat(found)


def _joined(rows: Tensor, count: int) -> Tensor:
    """Rows in groups of this size: true where one of the group is."""
    padded = torch.nn.functional.pad(rows, (0, 0, 0, -len(rows) % count))
    return padded.view(-1, count, rows.shape[1]).any(1)
