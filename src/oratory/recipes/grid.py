"""Choosing the best variant of a grid by its mean over seeds on dev. Test is looked at for that variant only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from oratory.comparisons.dev import dev_mean
from oratory.recipes.recipe import Recipe
from oratory.runs import Run
from oratory.tables import Table
from oratory.training.tasks.metric import Metric


@dataclass(frozen=True)
class GridVariant:
    """A variant of a grid, and what it scores on dev."""

    name: str
    settings: Mapping[str, str]
    values: tuple[float, ...]
    """The metric on dev, by seed."""

    @property
    def mean(self) -> float:
        return fmean(self.values)


@dataclass(frozen=True)
class GridChoice:
    """The variants of a grid that were measured on dev with every seed, the best first."""

    metric: Metric
    seeds: int
    variants: tuple[GridVariant, ...]

    @property
    def best(self) -> GridVariant | None:
        """None if nothing was measured on dev."""
        return self.variants[0] if self.variants else None

    def to_dict(self) -> dict[str, Any]:
        variants = [
            {"variant": each.name, "settings": dict(each.settings), "dev": each.mean, "values": list(each.values)}
            for each in self.variants
        ]
        return {"best": self.best.name if self.best else None, "variants": variants}

    def sentence(self) -> str:
        """The choice in words."""
        if self.best is None:
            return "No variant was measured on dev with every seed, so none is chosen."
        seeds = "one seed" if self.seeds == 1 else f"the mean of {self.seeds} seeds"
        name, _, unit = self.metric.column.partition(", ")
        figure = f"{name} {self.metric.show(self.best.mean)}{unit}"
        return f"Best on dev of {len(self.variants)}: {self.best.name}, {figure} ({seeds})."

    def table(self) -> Table:
        """All variants with their figures on dev."""
        names = list(self.best.settings) if self.best else []
        figure, comma, unit = self.metric.column.partition(",")
        rows = tuple((*each.settings.values(), self.metric.show(each.mean)) for each in self.variants)
        note = "The best first. It was chosen on dev, and test was looked at for this one only."
        return Table("The grid", (*names, f"{figure} on dev{comma}{unit}"), rows, words=len(names), note=note)


def choose(recipe: Recipe, runs: Mapping[str, Sequence[Run | None]]) -> GridChoice:
    """The variants ordered by their figures on dev. Equal ones stay in the order of the grid."""
    metric = recipe.task.metric().chosen_by()
    measured = []
    for variant in recipe.variants:
        found = [run for run in runs[variant.name] if run is not None and "dev" in run.result]
        if len(found) == len(runs[variant.name]):
            values = tuple(dev_mean(run, metric) for run in found)
            measured.append(GridVariant(variant.name, variant.settings, values))
    measured.sort(key=lambda each: each.mean, reverse=metric.better == "higher")
    return GridChoice(metric, max(map(len, runs.values())), tuple(measured))
