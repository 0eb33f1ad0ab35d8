"""Events of a run while it is trained, for listeners."""

from collections.abc import Callable
from dataclasses import dataclass

from oratory.errors import Failed
from oratory.runs.run import Run
from oratory.training.events import Measured, Stepped


@dataclass(frozen=True)
class Started:
    """A run begins, or continues."""

    run: Run
    step: int
    """Updates that were made before."""
    steps: int
    remarks: tuple[str, ...] = ()
    eval_every: int = 0
    """Updates from one evaluation to the next."""


@dataclass(frozen=True)
class Ended:
    """A run is finished; `again` if it was finished before and nothing had to be done."""

    run: Run
    again: bool = False


Event = Started | Stepped | Measured | Ended
RunListener = Callable[[Event], None]


class Interrupted(Failed):
    """The user asked the run to stop. It was saved, and can continue."""

    exit_code = 130


class RunDiverged(Failed):
    """Training diverged. It would diverge again."""


def ignore(event: Event) -> None:
    """Listen to nothing."""


def together(*listeners: RunListener) -> RunListener:
    """One listener that passes every event on to several."""

    def tell(event: Event) -> None:
        for listener in listeners:
            listener(event)

    return tell
