"""What a search found: facts, and their tables."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from oratory.comparisons.facts import ResultFacts
from oratory.comparisons.standing import Standing
from oratory.statistics import Better
from oratory.tables import Table, counted, percent

COMPLETE, PRUNED, FAILED = "complete", "pruned", "failed"
BEST = "best settings"


@dataclass(frozen=True)
class TrialFacts:
    """One point of the space, trained with some seeds or all of them."""

    number: int
    state: str
    settings: Mapping[str, str]
    """Those that were searched."""
    values: tuple[float, ...]
    """The figure on dev, by seed."""
    interval: tuple[float, float] | None
    """Of the mean, 95%, over seeds and items."""
    runs: tuple[str, ...]
    problem: str = ""
    diverged: bool = False
    """Whether a run diverged, so that trying again is of no use."""

    @property
    def mean(self) -> float | None:
        """What trials are ranked by; of the first seed alone where the trial was pruned, and none where it failed."""
        return math.fsum(self.values) / len(self.values) if self.values and self.state != FAILED else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "trial": self.number,
            "state": self.state,
            "settings": dict(self.settings),
            "dev": self.mean,
            "interval": list(self.interval) if self.interval else None,
            "values": list(self.values),
            "runs": list(self.runs),
            "problem": self.problem,
        }


@dataclass(frozen=True, kw_only=True)
class Search(ResultFacts):
    """Trials, the best of them, and what they say about the settings; `to_dict` is what `--json` prints."""

    carving: tuple[str, ...]
    """How dev was carved from train; nothing for a corpus that brings its own."""
    method: str
    space: Mapping[str, str]
    settings: Mapping[str, str]
    """What all trials share."""
    search_seed: int
    at_once: int
    prune: bool
    trials: tuple[TrialFacts, ...]
    best: TrialFacts
    test: Standing | None
    """What the best settings score on test, measured when they had been chosen, beside the baselines."""
    importance: Mapping[str, float] | None

    def _test_facts(self) -> dict[str, Any] | None:
        if self.test is None:
            return None
        facts = self.test.to_dict()
        return {**facts.pop("variants")[BEST], **facts}

    def test_tables(self) -> list[Table]:
        """The best settings and the baselines on every part of test, where there is a test."""
        if self.test is None:
            return []
        table = self.test.table(self.test.parts)
        note = f"Measured after the settings had been chosen; nothing was chosen by it. {table.note}"
        return [replace(table, title="The best settings on test", note=note)]

    @property
    def budget(self) -> list[tuple[int, float, float]]:
        """For each number of trials: the best that is expected, and the best that there was."""
        sign = 1.0 if self.metric.better == "higher" else -1.0
        # A point that broke is no better than the worst one that did not.
        worst = min(sign * trial.mean for trial in self.trials if trial.mean is not None)
        values = [worst if trial.mean is None else sign * trial.mean for trial in self.trials]
        expected = expected_best(values)
        # The first seed of a pruned point can be lucky, and cannot be chosen.
        whole = [v if trial.state == COMPLETE else worst for v, trial in zip(values, self.trials, strict=True)]
        so_far = np.maximum.accumulate(whole)
        return [(n + 1, sign * expected[n], sign * float(so_far[n])) for n in range(len(values))]

    def count(self, state: str) -> int:
        """How many trials ended in this state."""
        return sum(trial.state == state for trial in self.trials)

    @property
    def ranked(self) -> list[TrialFacts]:
        """The trials, the best first; those without a figure over all seeds at the end."""
        order = {COMPLETE: 0, PRUNED: 1, FAILED: 2}
        sign = -1.0 if self.metric.better == "higher" else 1.0
        return sorted(self.trials, key=lambda t: (order[t.state], sign * (t.mean or 0.0), t.number))

    @property
    def unit(self) -> str:
        """The metric on dev, for the head of a column."""
        name, comma, unit = self.metric.column.partition(",")
        return f"{name} on dev{comma}{unit}"

    def to_dict(self) -> dict[str, Any]:
        best = self.best.to_dict()
        best |= {"seeds": list(self.seeds), "test": self._test_facts()}
        return {
            "search": self.id,
            "task": self.task.name,
            "method": self.method,
            "corpus": {
                "name": self.corpus,
                "fingerprint": self.fingerprint,
                "dev": "carved from train" if self.carving else "its own",
                "carving": list(self.carving),
            },
            "metric": self.metric.name,
            "better": self.metric.better,
            "space": dict(self.space),
            "settings": dict(self.settings),
            "seeds": list(self.seeds),
            "search_seed": self.search_seed,
            "at_once": self.at_once,
            "prune": self.prune,
            "counts": {state: self.count(state) for state in (COMPLETE, PRUNED, FAILED)},
            "best": best,
            "trials": [trial.to_dict() for trial in self.trials],
            "importance": dict(self.importance) if self.importance is not None else None,
            "budget": [{"trials": n, "expected_best": mean, "best_so_far": best} for n, mean, best in self.budget],
            "warnings": list(self.warnings),
        }

    def tables(self) -> list[Table]:
        found = [self.trial_table()]
        if self.importance is not None:
            found.append(self.importance_table())
        return [*found, *self.test_tables()]

    def trial_table(self) -> Table:
        """Every trial, the best first."""
        columns = ("trial", *self.space, self.unit, "95% interval", "by seed", "state")
        rows = []
        for trial in self.ranked:
            by_seed = " ".join(map(self.metric.show, trial.values))
            figures = (self.metric.show(trial.mean), self.metric.show_interval(trial.interval), by_seed, trial.state)
            rows.append((str(trial.number), *(trial.settings[name] for name in self.space), *figures))
        title = f"{self.task} on {self.corpus}: {len(self.trials)} trials by {self.method}, the best first"
        return Table(title, columns, tuple(rows), words=1 + len(self.space), note=self._note())

    def _note(self) -> str:
        note = f"{counted(len(self.seeds), 'seed')} to a trial, chosen by their mean on dev"
        note = " ".join([f"{note}.", *self.carving])
        if self.count(PRUNED):
            note += (
                f" {self.count(PRUNED)} pruned: with the first seed worse than the median, so the others were left out."
            )
        for trial in self.trials:
            if trial.state == FAILED:
                note += f" Trial {trial.number} failed: {trial.problem}"
        return " ".join([note, *self.warnings])

    def importance_table(self) -> Table:
        """The share of the variance of dev that each setting explains."""
        rows = tuple((name, percent(share)) for name, share in (self.importance or {}).items())
        return Table("What mattered", ("setting", "share of variance, %"), rows)

    def budget_table(self) -> Table:
        """The expected best at some numbers of trials."""
        found = self.budget
        kept = [row for row in found if row[0] == len(found) or (row[0] & (row[0] - 1)) == 0]
        show = self.metric.show
        rows = tuple((str(n), show(expected), show(best)) for n, expected, best in kept)
        return Table("Expected best by budget", ("trials", "expected best", "best so far"), rows)


def expected_best(values: Sequence[float]) -> list[float]:
    """The expected maximum of n values drawn with replacement, for n from 1 to all of them.

    E[max] = sum of v * (P(V <= v)^n - P(V < v)^n) (Dodge et al., 2019, arXiv:1909.03004).
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    size = len(ordered)
    budgets = np.arange(1, size + 1)[:, None]
    upto, below = np.arange(1, size + 1) / size, np.arange(size) / size
    return [float(value) for value in (upto**budgets - below**budgets) @ ordered]


def choose_best(trials: Sequence[TrialFacts], better: Better) -> TrialFacts | None:
    """The trial with the best mean over all seeds; of several, the one that came first."""
    done = [trial for trial in trials if trial.state == COMPLETE]
    sign = 1.0 if better == "higher" else -1.0
    return max(done, key=lambda trial: (sign * (trial.mean or 0.0), -trial.number), default=None)
