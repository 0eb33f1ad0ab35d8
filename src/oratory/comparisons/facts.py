"""What every result of several runs says of itself, and how its figures become plain values."""

from dataclasses import dataclass
from typing import Any

from oratory.runs import Run
from oratory.statistics import Difference, Estimate, ratio
from oratory.tables import Tabled
from oratory.training.tasks import Task
from oratory.training.tasks.metric import Metric


@dataclass(frozen=True, kw_only=True)
class ResultFacts(Tabled):
    """What was trained on what, and by which metric it is judged."""

    id: str
    task: Task
    corpus: str
    fingerprint: str
    source: str | None = None
    """The text that loads the corpus."""
    metric: Metric
    seeds: tuple[int, ...]
    warnings: tuple[str, ...] = ()
    """What a reader must know before believing the result, a sentence each."""
    plugins: tuple[str, ...] = ()
    """Files of mechanisms."""

    def head(self, kind: str) -> dict[str, Any]:
        """The first entries of what `--json` prints."""
        return {
            kind: self.id,
            "task": self.task.name,
            "corpus": {"name": self.corpus, "fingerprint": self.fingerprint},
            "metric": self.metric.name,
            "better": self.metric.better,
        }

    def all_runs(self) -> list[Run]:
        """The finished runs that a report looks into, if it looks into any."""
        return []


def estimate_figures(metric: Metric, found: Estimate) -> dict[str, Any]:
    """What a model scores."""
    interval = [metric.value(end) for end in found.interval] if found.interval else None
    return {"mean": metric.value(found.mean), "interval": interval}


def ratio_figures(metric: Metric, found: Difference) -> dict[str, Any]:
    """A difference as a ratio, for metrics that are compared by ratios."""
    if not metric.logarithmic:
        return {}
    of = ratio(found)
    return {"ratio": of.value, "ratio_interval": list(of.interval) if of.interval else None}


def p_text(p: float | None) -> str:
    """A p, or a share of false discoveries, as tables show it."""
    return "–" if p is None else f"{p:.3f}" if p >= 0.001 else "<0.001"
