"""What a search tells while it runs."""

from collections.abc import Callable
from dataclasses import dataclass

from oratory.execution.jobs import Outcome, Step
from oratory.searches.design import SearchDesign
from oratory.searches.result import TrialFacts


@dataclass(frozen=True)
class SearchBegun:
    """A search begins; `variant` names what it is for, in a comparison."""

    design: SearchDesign
    variant: str = ""


@dataclass(frozen=True)
class TrialEnded:
    """A trial has ended."""

    trial: TrialFacts
    best: TrialFacts | None
    """So far."""


SearchListener = Callable[[SearchBegun | Step | Outcome | TrialEnded], None]
