"""A recipe: an experiment with its settings and variants, and the figures that were published for it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from oratory.comparisons import Variant
from oratory.comparisons.design import BASE
from oratory.errors import InputError, unknown
from oratory.recipes.base import AnyRecipe
from oratory.recipes.claims import Claim
from oratory.recipes.quantity import Quantity
from oratory.training.config import PREFIX
from oratory.training.origins import Completed, Origin, origin_of
from oratory.training.tasks import Task

if TYPE_CHECKING:
    from oratory.recipes.estimate import PlannedRun
    from oratory.recipes.planning import PlannedRecipe
    from oratory.recipes.reproduction import Reproduction
    from oratory.runs import Store

SPEECHES = "speeches"
VARIABLE = "ORATORY_SPEECHES"
"""The environment variable for the folder of the reference speeches."""
FINGERPRINT = "0b8221a0855b8332"
"""The fingerprint of the reference speeches. Published figures cannot be compared with runs on another corpus."""

BEST = "best on dev"
"""The name in a reference for the variant of a grid that does best on dev."""

_LENGTHS = {"train.epochs", "train.iterations"}
"""Two ways to say how long training is; changing one drops the other."""


@dataclass(frozen=True)
class Reference:
    """What a report gives for one figure of one variant: at the end of training, or at several places along it."""

    source: str
    variant: str
    quantity: Quantity
    values: tuple[float, ...]
    at: tuple[float, ...] = ()
    """The epoch or update of each value; empty for the end of training."""
    reason: str = ""
    """Why it cannot be compared with ours, if it cannot."""


@dataclass(frozen=True)
class Recipe(AnyRecipe):
    """An experiment: variants of one model, the settings they share, and the published figures."""

    name: str
    title: str
    about: str
    task: Task
    data: str
    """`sotu`, or `speeches` for the reference speeches, which users have to supply."""
    seeds: int
    settings: Mapping[str, str]
    variants: tuple[Variant, ...]
    grid: Mapping[str, tuple[str, ...]] | None = None
    """The values of each setting, if the variants are all their combinations. The best one is chosen on dev."""
    references: tuple[Reference, ...] = ()
    claims: tuple[Claim, ...] = ()
    """What reports say of its variants."""
    study: str = ""
    """What is done with the trained models besides (`oratory.recipes.studies`)."""
    changes: Mapping[str, str] | None = None
    """Settings that differ from the recipe's file."""

    @property
    def origin(self) -> Origin:
        """Where its models come from."""
        return origin_of(self.settings)

    @property
    def known(self) -> list[str]:
        """The names of the settings that it may have."""
        return list(self.origin.known())

    @property
    def is_compared(self) -> bool:
        """Whether its variants get verdicts: there must be several, and not a grid to choose from."""
        return self.grid is None and len(self.variants) > 1

    def changed(self, changes: Mapping[str, str]) -> "Recipe":
        """The recipe with other settings for all of its variants. A setting of its grid is no longer varied then."""
        if not changes:
            return self
        wrong = next((name for name in changes if name not in self.known), None)
        if wrong is not None:
            raise unknown("setting", wrong, self.known)
        together = self.origin.given({**self.settings, **changes})
        given = {name: together[name] for name in changes}
        dropped = _LENGTHS if _LENGTHS & set(given) else set()
        kept = {name: value for name, value in self.settings.items() if name not in dropped}
        made = replace(self, settings=kept | given, changes=given)
        if self.grid is None:
            return made
        grid = {name: values for name, values in self.grid.items() if name not in dropped | set(given)}
        return replace(made, variants=combinations(grid), grid=grid)

    def facts(self) -> dict[str, Any]:
        return {
            **super().facts(),
            "task": self.task.name,
            "data": self.data,
            "variants": [variant.name for variant in self.variants],
            "seeds": self.seeds,
            "references": sum(len(reference.values) for reference in self.references),
        }

    @property
    def size(self) -> tuple[str, str]:
        return self.data, f"{len(self.variants)} x {self.seeds}"

    @property
    def trains(self) -> bool:
        return True

    def usual_runs(self) -> "list[PlannedRun]":
        from oratory.recipes.estimate import planned_runs
        from oratory.recipes.planning import corpus_of

        fingerprint = FINGERPRINT if self.data == SPEECHES else corpus_of(self.data).fingerprint
        return planned_runs(self, fingerprint, range(self.seeds))

    def check(self, data: str | None) -> None:
        for variant in self.variants:
            self.completed(variant)
        self.source(data)
        try:
            self.origin.ready(self.settings)
        except InputError as error:
            raise InputError(f"The recipe {self.name} fine-tunes a published model. {error}") from None

    def source(self, given: str | None = None) -> str:
        """Where its corpus comes from: the given source, sotu, or the folder that the environment names."""
        if given is not None or self.data != SPEECHES:
            return given or self.data
        folder = os.environ.get(VARIABLE)
        if not folder:
            raise InputError(
                f"The recipe {self.name} needs the reference speeches: set {VARIABLE} to their folder, or say --data "
                "FOLDER; with --data sotu it runs too, but its reference figures are then not comparable."
            )
        return folder

    def plan(self, seeds: Sequence[int] | None, data: str | None) -> "PlannedRecipe":
        from oratory.recipes.planning import PlannedRecipe, corpus_of

        return PlannedRecipe(self, corpus_of(self.source(data)), tuple(range(self.seeds) if seeds is None else seeds))

    def load(self, store: "Store") -> "Reproduction":
        from oratory.recipes.make import loaded

        return loaded(self, store)

    def of(self, variant: Variant) -> dict[str, str]:
        """All settings of a variant's runs."""
        return {**self.settings, **variant.settings}

    def completed(self, variant: Variant) -> Completed:
        """The same with the defaults filled in, or an InputError if they make no sense together."""
        return self.origin.complete(self.task, self.of(variant))

    def not_comparable(self, fingerprint: str, corpus: str) -> str:
        """Why no published figure can be compared with runs on this corpus; empty if some can."""
        if self.data == SPEECHES and fingerprint != FINGERPRINT:
            return f"other data ({corpus})"
        if self.changes:
            return "other settings (" + ", ".join(f"{name}={value}" for name, value in self.changes.items()) + ")"
        return ""


def combinations(grid: Mapping[str, tuple[str, ...]]) -> tuple[Variant, ...]:
    """A variant for every combination of the values, named after them; the last setting changes fastest."""
    made = []
    for values in product(*grid.values()):
        settings = dict(zip(grid, values, strict=True))
        name = " ".join(f"{setting.removeprefix(PREFIX)}={value}" for setting, value in settings.items())
        made.append(Variant(name or BASE, settings))
    return tuple(made)
