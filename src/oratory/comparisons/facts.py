"""What every result of several runs says of itself, and how its figures become plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oratory.runs import Run
from oratory.statistics import Difference, Estimate, ratio, verdict, verdict_text
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


@dataclass(frozen=True)
class Pairing:
    """A model against something else, on the same items and the same seeds, or groups of seeds."""

    variant: str
    against: str
    parts: Mapping[str, Difference]
    """By part of test; the first one is `all`."""
    p: float | None = None
    """After Holm, over all pairings."""

    @property
    def whole(self) -> Difference:
        return self.parts["all"]

    def verdict_text(self, metric: Metric) -> str:
        """The verdict, and the difference that would have been seen if none was."""
        return verdict_text(self.whole, self.p, lambda value: metric.show_difference(value, "-"))

    def to_dict(self, metric: Metric, each: str) -> dict[str, Any]:
        """Plain values; `each` is what the differences by seed, or by group, are called."""
        return {
            "variant": self.variant,
            "against": self.against,
            "verdict": verdict(self.whole, self.p),
            "verdict_text": self.verdict_text(metric),
            "p": self.p,
            "wins": self.whole.wins,
            "parts": {
                name: {
                    "difference": found.mean,
                    "interval": list(found.interval) if found.interval else None,
                    each: list(found.seed_differences),
                    **ratio_figures(metric, found),
                }
                for name, found in self.parts.items()
            },
        }

    def rows(self, metric: Metric) -> list[tuple[str, ...]]:
        """For a table: who, against whom, verdict, difference, interval, wins and p, part by part."""
        rows: list[tuple[str, ...]] = []
        for part, found in self.parts.items():
            whole = part == "all"
            said = (self.variant, self.against, self.verdict_text(metric)) if whole else (f"  {part}", "", "")
            shown = metric.show_difference(found.mean), metric.show_difference_interval(found.interval)
            rows.append((*said, *shown, f"{found.wins}/{found.seeds}", p_text(self.p) if whole else ""))
        return rows


def p_text(p: float | None) -> str:
    """A p, or a share of false discoveries, as tables show it."""
    return "–" if p is None else f"{p:.3f}" if p >= 0.001 else "<0.001"
