"""One published figure beside ours, and whether the two agree."""

from dataclasses import dataclass
from typing import Any

from oratory.recipes.our_figure import OurFigure
from oratory.recipes.quantity import Quantity
from oratory.tables import Table

INSIDE, BELOW, ABOVE, EQUAL = "inside", "below", "above", "equal"
NOT_COMPARABLE = "not comparable"
UNKNOWN = "–"
ABOUT = (
    "Each reference comes from one seed. The 95% interval of our mean is over seeds and test items; during training, "
    "on train and for single sentences it is over seeds only. One new seed of ours on the same items would be in the "
    "other interval 19 times in 20, so that one is the fair test of a single seed. The spread is the standard "
    "deviation over seeds."
)


def position(value: float, interval: tuple[float, float] | None) -> str:
    """Whether a value is inside an interval, below it or above it."""
    if interval is None:
        return UNKNOWN
    return BELOW if value < interval[0] else ABOVE if value > interval[1] else INSIDE


@dataclass(frozen=True)
class ReferenceRow:
    """One published figure, and ours."""

    source: str
    variant: str
    quantity: Quantity
    at: float | None
    """The epoch or update; None for the end of training."""
    reference: float
    ours: OurFigure | None
    reason: str = ""
    """Why it cannot be compared, if it cannot."""

    @property
    def of_mean(self) -> str:
        """Where the reference is relative to the interval of our mean; for a count, its difference from ours."""
        return self._position(self.ours.interval if self.ours else None)

    @property
    def of_seed(self) -> str:
        """Where the reference is relative to the interval for one new seed; for a count, its difference from ours."""
        return self._position(self.ours.prediction if self.ours else None)

    def _position(self, interval: tuple[float, float] | None) -> str:
        if self.reason:
            return NOT_COMPARABLE
        if self.ours is not None and self.quantity.exact:
            difference = round(self.ours.mean - self.reference)
            return f"ours {difference:+,}" if difference else EQUAL
        return position(self.reference, interval)

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "variant": self.variant,
            "figure": str(self.quantity),
            "at": self.at,
            "reference": self.reference,
            "ours": self.ours.to_dict() if self.ours else None,
            "of_mean": self.of_mean,
            "of_new_seed": self.of_seed,
            "reason": self.reason or None,
        }

    def cells(self, mark: str) -> tuple[str, ...]:
        """The row in a table; `mark` refers to the reason below it, if there is one."""
        return (
            self.variant,
            self.quantity.label,
            *(() if self.at is None else (f"{self.at:g}",)),
            *((UNKNOWN,) * 4 if self.ours is None else self.ours.cells(self.quantity)),
            self.quantity.show(self.reference),
            self.source,
            *((f"{mark} {UNKNOWN}",) * 2 if mark else (self.of_seed, self.of_mean)),
        )


def reference_table(title: str, rows: list[ReferenceRow], place: str = "", about: str = ABOUT) -> Table:
    """Published figures beside ours, at the end of training or, with a name for the places, along it."""
    columns = ("variant", "figure", *((place,) if place else ()))
    columns += ("ours", "95% of our mean", "95% of one new seed", "spread", "reference", "source", "new seed")
    reasons: dict[str, str] = {}
    cells = []
    for row in rows:
        mark = reasons.setdefault(row.reason, f"({len(reasons) + 1})") if row.reason else ""
        cells.append(row.cells(mark))
    notes = [about, *(f"{mark} Not comparable: {reason}." for reason, mark in reasons.items())]
    return Table(title, (*columns, "our mean"), tuple(cells), words=2, note=" ".join(filter(None, notes)))
