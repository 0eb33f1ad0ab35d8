"""What a calibration shows: rates beside what was promised, with the error of the simulation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from oratory.tables import Table, Tabled, number, percent

Outcome = Literal["kept", "not refuted", "broken"]
KEPT: Outcome = "kept"
OPEN: Outcome = "not refuted"
BROKEN: Outcome = "broken"


@dataclass(frozen=True)
class Rate:
    """How often something happened, beside the promise, where there is one."""

    count: int
    trials: int
    at_most: float | None = None
    at_least: float | None = None

    @property
    def value(self) -> float | None:
        return self.count / self.trials if self.trials else None

    @property
    def interval(self) -> tuple[float, float]:
        """Of 95%, exact for a binomial count (Clopper and Pearson, Biometrika 26, 1934)."""
        from scipy.stats import binomtest

        if not self.trials:
            return 0.0, 1.0
        found = binomtest(self.count, self.trials).proportion_ci(method="exact")
        return float(found.low), float(found.high)

    @property
    def outcome(self) -> Outcome | None:
        """Whether the promise is kept: the interval is wholly on its right side, on both, or on the wrong one."""
        low, high = self.interval
        if self.at_most is not None:
            return KEPT if high <= self.at_most else BROKEN if low > self.at_most else OPEN
        if self.at_least is not None:
            return KEPT if low >= self.at_least else BROKEN if high < self.at_least else OPEN
        return None

    @property
    def promise(self) -> str:
        """What was promised, for the head of a column."""
        if self.at_most is not None:
            return f" (≤ {percent(self.at_most)})"
        return f" (≥ {percent(self.at_least)})" if self.at_least is not None else ""

    def __str__(self) -> str:
        if not self.promise:
            return percent(self.value)
        low, high = self.interval
        return f"{percent(self.value)} ({percent(low)}–{percent(high)}){' *' if self.outcome == BROKEN else ''}"

    def to_dict(self) -> dict[str, Any]:
        facts = {"rate": self.value, "interval": list(self.interval), "trials": self.trials}
        promise = {"at_most": self.at_most, "at_least": self.at_least}
        return facts | {name: value for name, value in promise.items() if value is not None} | {"promise": self.outcome}


@dataclass(frozen=True)
class Row:
    """What was measured on one kind of scores."""

    scores: str
    seeds: int
    items: int
    rates: Mapping[str, Rate]

    @property
    def outcome(self) -> Outcome:
        """Of all promises together."""
        found = {rate.outcome for rate in self.rates.values()}
        return BROKEN if BROKEN in found else OPEN if OPEN in found else KEPT

    def to_dict(self) -> dict[str, Any]:
        rates = {name: rate.to_dict() for name, rate in self.rates.items()}
        about = {"scores": self.scores, "seeds": self.seeds, "items": self.items}
        return {**about, "rates": rates, "promise": self.outcome}


@dataclass(frozen=True)
class Calibration(Tabled):
    """Rates beside their promises; `to_dict` is what `--json` prints."""

    title: str
    rows: tuple[Row, ...]
    seed: int
    note: str

    def to_dict(self) -> dict[str, Any]:
        return {"title": self.title, "seed": self.seed, "rows": [row.to_dict() for row in self.rows], "note": self.note}

    def tables(self) -> list[Table]:
        heads = {name: f"{name}{rate.promise}" for row in self.rows for name, rate in row.rates.items()}
        columns = ("scores", "seeds", "items", *heads.values(), "promise")
        rows = []
        for row in self.rows:
            about = row.scores, number(row.seeds), number(row.items)
            rates = (str(row.rates[name]) if name in row.rates else "–" for name in heads)
            rows.append((*about, *rates, row.outcome))
        return [Table(self.title, columns, tuple(rows), note=self.note)]
