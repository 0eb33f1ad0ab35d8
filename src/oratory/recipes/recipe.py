"""A recipe: an experiment with its settings and variants, and the figures that were published for it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

from oratory.comparisons import Variant
from oratory.comparisons.design import BASE
from oratory.errors import unknown
from oratory.recipes.quantity import Quantity
from oratory.training.config import PREFIX
from oratory.training.origins import Completed, Origin, origin_of
from oratory.training.tasks import Task

SPEECHES = "speeches"
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
class Recipe:
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
