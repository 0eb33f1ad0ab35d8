"""What was measured, as facts and as tables."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from oratory.tables import Table, Tabled, finite, number


@dataclass(frozen=True)
class Measured:
    """Seconds of one call, and the memory of the process."""

    best: float
    median: float
    peak: float
    """MiB, of the whole process with its libraries."""


@dataclass(frozen=True)
class Compared:
    """One work, and how long each contender took for it."""

    name: str
    title: str
    base: str
    measured: Mapping[str, Measured]
    missing: Mapping[str, str]
    """Who was left out, and why."""
    calls: int
    """How often each did the work."""

    def ratio(self, name: str) -> float:
        """The median of a contender over that of the base: above 1 it is slower."""
        return self.measured[name].median / self.measured[self.base].median

    def to_dict(self) -> dict[str, Any]:
        rows = {
            name: {**{key: finite(value) for key, value in asdict(found).items()}, "ratio": self.ratio(name)}
            for name, found in self.measured.items()
        }
        return {"title": self.title, "calls": self.calls, "contenders": rows, "missing": dict(self.missing)}

    def table(self) -> Table:
        rows = tuple(
            (
                name,
                number(1e3 * found.best, 1),
                number(1e3 * found.median, 1),
                number(self.ratio(name), 2),
                number(finite(found.peak)),
            )
            for name, found in self.measured.items()
        )
        left_out = " ".join(f"Left out: {name} ({reason})." for name, reason in self.missing.items())
        columns = (f"{self.calls} calls each", "best, ms", "median, ms", f"of {self.base}", "peak, MiB")
        return Table(self.title, columns, rows, note=left_out)


@dataclass(frozen=True)
class Bench(Tabled):
    """Every work that was measured."""

    works: tuple[Compared, ...]
    threads: int
    turns: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "threads": self.threads,
            "turns": self.turns,
            "works": {work.name: work.to_dict() for work in self.works},
        }

    def tables(self) -> list[Table]:
        return [work.table() for work in self.works]


@dataclass(frozen=True)
class Works(Tabled):
    """What can be measured."""

    titles: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        return {"works": dict(self.titles)}

    def tables(self) -> list[Table]:
        return [Table("What can be timed", ("work", "what is done"), tuple(self.titles.items()), words=2)]
