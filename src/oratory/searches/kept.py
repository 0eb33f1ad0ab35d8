"""What the store keeps of a search: its design, from which it can be made again, and how its trials ended."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class KeptSearch:
    """The design of a search as it is written down. Its id follows from these values."""

    task: str
    fingerprint: str
    """Of the corpus."""
    space: Mapping[str, str]
    method: str
    trials: int | None
    seeds: tuple[int, ...]
    settings: Mapping[str, str]
    source: str | None
    """The text that loads the corpus again; None for one that was made by hand."""
    plugins: tuple[str, ...] = ()
    """Where the files of mechanisms were."""
    search_seed: int
    at_once: int
    prune: bool
    better: str
    """Whether the metric is better higher or lower."""


@dataclass(frozen=True)
class KeptTrial:
    """How a trial ended, as it is written down."""

    trial: int
    state: str
    settings: Mapping[str, str]
    dev: float | None
    interval: tuple[float, ...] | None
    values: tuple[float, ...]
    runs: tuple[str, ...]
    problem: str
