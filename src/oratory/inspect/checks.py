"""Sanity checks of attention maps: what must hold of every row, and where it does not.

Shapes: T tokens, H heads.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.mechanisms import written_as
from oratory.tables import Table

if TYPE_CHECKING:
    from oratory.model import ModelConfig

TOLERANCE = 1e-5
"""For sums of rows, and for the difference between the two paths."""

BLOCK = 1 << 18
"""Weights that are looked at together: they stay near the processor, which for long texts is several times faster."""

ROWS = "rows sum to one"
PADDING = "no weight on padding"
FUTURE = "no weight on the future"
PATTERN = "no weight outside the pattern"
PATHS = "open path equals fast path"
NAMES = (ROWS, PADDING, FUTURE, PATTERN, PATHS)


@dataclass(frozen=True)
class MapCheck:
    """One verdict over all layers, heads and rows that were looked at."""

    name: str
    passed: bool
    worst: float | None
    """The largest deviation of a row; None where a weight is not a number."""
    layer: int | None
    """Where that is; None where all rows are exactly right."""
    head: int | None
    """None also where a check is of all heads together."""
    row: int | None
    tolerance: float
    note: str = ""
    """Why there was nothing to look at, where that is so; or who says that it need not hold."""
    declared: bool = False
    """Whether it does not hold, and the model's attention says so itself."""

    @property
    def verdict(self) -> str:
        """In a word."""
        return "declared" if self.declared else "passed" if self.passed else "FAILED"

    @property
    def where(self) -> str:
        """The place in words."""
        if self.layer is None:
            return "–"
        return f"layer {self.layer}, {'' if self.head is None else f'head {self.head}, '}row {self.row}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Rules:
    """What weights may be, for one text."""

    causal: bool
    pattern: str
    """The pattern as a setting."""
    allowed: NDArray[np.bool_]  # T, T: by the pattern alone
    keep: NDArray[np.bool_]  # T: false for padding
    loose: str = ""
    """Why rows need not be a distribution, where the attention of the model says so."""

    @classmethod
    def of(cls, config: "ModelConfig", keep: NDArray[np.bool_]) -> "Rules":
        """The rules of a model for a text with this padding."""
        import torch

        from oratory.model.sparse import allow

        places = torch.arange(len(keep))
        allowed = allow(config.pattern, False, places[:, None], places[None, :]).expand(len(keep), len(keep))
        loose = f"declared by {written_as(config.attention)}" if config.attention.loose else ""
        return cls(config.causal, written_as(config.pattern), allowed.numpy(), keep, loose)

    @property
    def future(self) -> NDArray[np.bool_]:
        """T, T: keys after their query."""
        return ~np.tri(len(self.keep), dtype=bool)

    def seen(self) -> NDArray[np.bool_]:
        """T, T: what a query may see when all rules are taken together."""
        seen = self.allowed & self.keep
        return seen & ~self.future if self.causal else seen


class Checker:
    """Looks at one layer after the other, and remembers the worst row for each check."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.forbidden = {PADDING: np.broadcast_to(~rules.keep, rules.allowed.shape)}
        self.forbidden |= {FUTURE: rules.future} if rules.causal else {}
        self.forbidden |= {PATTERN: ~rules.allowed}
        self.forbidden = {name: where for name, where in self.forbidden.items() if where.any()}
        self.whole: NDArray[np.float64] = np.asarray(rules.seen().any(-1), np.float64)
        self.worst: dict[str, tuple[float, tuple[int, int | None, int] | None]] = dict.fromkeys(NAMES, (0.0, None))

    def see(self, layer: int, weights: NDArray[np.float32], apart: NDArray[np.float32] | None) -> None:
        """The weights of a layer (H, T, T), and how far each row's output is from that of the fast path (T)."""
        if weights.shape[1:] != self.rules.allowed.shape:
            raise InputError(f"A map of {weights.shape[1:]} does not fit a text of {len(self.rules.keep)} tokens.")
        length = len(self.whole)
        step = max(1, BLOCK // length)
        for head, whole in enumerate(weights):
            for first in range(0, length, step):
                part = slice(first, first + step)
                self._see_rows(layer, head, first, whole[part], self.whole[part])
        if apart is not None:
            self._note(PATHS, apart.astype(np.float64), layer, None)

    def _see_rows(
        self, layer: int, head: int, first: int, rows: NDArray[np.float32], whole: NDArray[np.float64]
    ) -> None:
        """Some rows of a map, and what each should sum to."""
        sizes = np.abs(rows)
        sums, unsigned = rows.sum(-1, dtype=np.float64), sizes.sum(-1, dtype=np.float64)
        # Where a weight is negative, the sum without signs is too large.
        self._note(ROWS, np.maximum(np.abs(sums - whole), unsigned - whole), layer, head, first)
        for name, where in self.forbidden.items():
            hidden = np.where(where[first : first + len(rows)], sizes, 0)
            self._note(name, hidden.sum(-1, dtype=np.float64), layer, head, first)

    def _note(self, name: str, rows: NDArray[np.float64], layer: int, head: int | None, first: int = 0) -> None:
        rows = np.where(np.isfinite(rows), rows, np.inf)
        row = int(rows.argmax())
        if rows[row] > self.worst[name][0]:
            self.worst[name] = (float(rows[row]), (layer, head, first + row))

    def checks(self) -> tuple[MapCheck, ...]:
        """The verdicts."""
        return tuple(self._verdict(name) for name in NAMES)

    def _verdict(self, name: str) -> MapCheck:
        worst, place = self.worst[name]
        layer, head, row = place or (None, None, None)
        # What is masked is exactly zero after the softmax; sums and outputs are rounded.
        tolerance = TOLERANCE if name in (ROWS, PATHS) else 0.0
        note = "" if name in self.forbidden or name in (ROWS, PATHS) else self._why_nothing(name)
        finite = worst if np.isfinite(worst) else None
        if name == ROWS and self.rules.loose and finite is not None and worst > tolerance:
            return MapCheck(name, True, finite, layer, head, row, tolerance, self.rules.loose, declared=True)
        return MapCheck(name, worst <= tolerance, finite, layer, head, row, tolerance, note)

    def _why_nothing(self, name: str) -> str:
        if name == PADDING:
            return "nothing is padded"
        if name == FUTURE and not self.rules.causal:
            return "an encoder sees what follows"
        if name == FUTURE:
            return "there is one token only"
        return f"{self.rules.pattern} allows every pair of these tokens"


def check(weights: NDArray[np.float32], rules: Rules) -> tuple[MapCheck, ...]:
    """The verdicts on maps (layers, H, T, T) that come from anywhere; the two paths cannot be compared in them."""
    checker = Checker(rules)
    for layer, heads in enumerate(weights):
        checker.see(layer, heads, None)
    return tuple(found for found in checker.checks() if found.name != PATHS)


def table(checks: tuple[MapCheck, ...], title: str = "Sanity checks") -> Table:
    """The verdicts as a table."""
    rows = tuple(
        (
            each.name,
            each.verdict,
            each.note or each.where,
            "not a number" if each.worst is None else f"{each.worst:.1e}",
        )
        for each in checks
    )
    note = f"worst: the largest deviation of a row; {TOLERANCE:g} is allowed in sums and outputs, none in weights."
    return Table(title, ("check", "verdict", "where", "worst"), rows, words=3, note=note)
