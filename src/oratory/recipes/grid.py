"""Which variant of a grid is the best: by the mean over seeds on dev. Test is looked at for that one alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from oratory.comparison.matrices import ACCURACY
from oratory.comparison.search_scores import NATS, dev_score
from oratory.recipes.recipe import Recipe
from oratory.runs import Run
from oratory.tables import Table, number, percent


@dataclass(frozen=True)
class Tried:
    """A variant of a grid, and its figures on dev."""

    variant: str
    settings: Mapping[str, str]
    values: tuple[float, ...]
    """By seed: accuracy, or nats per token."""

    @property
    def mean(self) -> float:
        return fmean(self.values)


@dataclass(frozen=True)
class Grid:
    """All variants of a grid that were measured on dev with every seed, the best first."""

    task: str
    seeds: int
    tried: tuple[Tried, ...]

    @property
    def best(self) -> Tried | None:
        """None where nothing was measured on dev."""
        return self.tried[0] if self.tried else None

    def to_dict(self) -> dict[str, Any]:
        tried = [
            {"variant": one.variant, "settings": dict(one.settings), "dev": one.mean, "values": list(one.values)}
            for one in self.tried
        ]
        return {"best": self.best.variant if self.best else None, "variants": tried}

    def sentence(self) -> str:
        """The choice in words."""
        if self.best is None:
            return "No variant was measured on dev with every seed, so none is chosen."
        seeds = "one seed" if self.seeds == 1 else f"the mean of {self.seeds} seeds"
        return f"Best on dev of {len(self.tried)}: {self.best.variant}, {self._show(self.best.mean)} ({seeds})."

    def table(self) -> Table:
        """What was tried."""
        names = list(self.best.settings) if self.best else []
        figure = "accuracy on dev, %" if self.task == "classifier" else "nats per token of dev"
        rows = tuple((*one.settings.values(), self._figure(one.mean)) for one in self.tried)
        note = "The best first. Test is looked at for the first one alone, which was chosen for its figure on dev."
        return Table("The grid", (*names, figure), rows, words=len(names), note=note)

    def _figure(self, value: float) -> str:
        return percent(value) if self.task == "classifier" else number(value, 3)

    def _show(self, value: float) -> str:
        return f"{self._figure(value)}%" if self.task == "classifier" else f"{self._figure(value)} nats per token"


def choose(recipe: Recipe, runs: Mapping[str, Sequence[Run | None]]) -> Grid:
    """The variants by their figures on dev; of those that are equal, the earlier one in the grid comes first."""
    metric = ACCURACY if recipe.task == "classifier" else NATS
    tried = []
    for variant in recipe.variants:
        found = [run for run in runs[variant.name] if run is not None and "dev" in run.result]
        if len(found) == len(runs[variant.name]):
            values = tuple(dev_score(run, metric) for run in found)
            tried.append(Tried(variant.name, variant.settings, values))
    tried.sort(key=lambda one: one.mean, reverse=metric.better == "higher")
    return Grid(recipe.task, max(map(len, runs.values())), tuple(tried))
