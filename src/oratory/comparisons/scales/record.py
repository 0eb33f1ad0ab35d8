"""What the store keeps of a study of scale: all that is needed to work it out again from its runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from oratory.runs.results import DesignRecord


@dataclass(frozen=True)
class CurveRecord:
    """A variant, and its runs by part and seed; None where a run failed."""

    name: str
    settings: Mapping[str, str]
    runs: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, kw_only=True)
class ScaleRecord(DesignRecord):
    """A study of scale as it is written down."""

    KIND = "scale"
    FOLDER = "scales"
    REMEDY = "Its runs are there all the same: the oratory scale that made it finds them, and writes it again."

    variants: tuple[CurveRecord, ...]
    shares: tuple[float, ...]
    problems: Mapping[str, str] = field(default_factory=dict)

    def fault(self) -> str:
        for curve in self.variants:
            whole = len(curve.runs) == len(self.shares) and all(len(runs) == len(self.seeds) for runs in curve.runs)
            if not whole or not all(any(runs) for runs in curve.runs):
                return f"{curve.name!r} lacks runs of a part or a seed"
        return super().fault()

    def described(self) -> tuple[str, int]:
        names = ", ".join(curve.name for curve in self.variants)
        return f"{self.task} on {self.corpus.name}: {names}", len(self.seeds)
