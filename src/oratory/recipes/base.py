"""What every recipe has, whether it trains models or not."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oratory.comparisons.make import Listener
    from oratory.execution.jobs import Executor
    from oratory.recipes.by_hand import HandResult
    from oratory.recipes.estimate import PlannedRun
    from oratory.recipes.reproduction import Reproduction
    from oratory.runs import Store
    from oratory.text import Corpus


class AnyRecipe(ABC):
    """A named experiment. One that trains nothing keeps what is said here."""

    name: str
    title: str
    about: str

    @property
    def known(self) -> Sequence[str]:
        """The names of the settings that it may have."""
        return ()

    def changed(self, changes: Mapping[str, str]) -> "AnyRecipe":
        """The recipe with other settings."""
        return self

    def facts(self) -> dict[str, Any]:
        """What the list of recipes says of it."""
        return {"name": self.name, "title": self.title, "about": self.about}

    @property
    def size(self) -> tuple[str, str]:
        """Its data, and how many variants and seeds it has."""
        return "–", "–"

    @property
    def trains(self) -> bool:
        """Whether it takes time."""
        return False

    def usual_runs(self) -> "list[PlannedRun]":
        """The runs that it needs with its own seeds on its own corpus."""
        return []

    def check(self, data: str | None) -> None:  # noqa: B027 - nothing to refuse, unless something is trained
        """Refuse settings, a corpus or a model that cannot be used, before any corpus is read."""

    @abstractmethod
    def plan(self, seeds: Sequence[int] | None, data: str | None) -> "AnyPlan":
        """The recipe with its corpus and its seeds."""

    @abstractmethod
    def load(self, store: "Store") -> "Reproduction | HandResult":
        """What it showed when it was last run into a store."""


class AnyPlan(ABC):
    """A recipe that is ready to be run."""

    recipe: AnyRecipe

    @property
    def corpora(self) -> "list[Corpus]":
        """What its runs are trained on."""
        return []

    def runs(self) -> "list[PlannedRun]":
        """Every run that it needs."""
        return []

    @abstractmethod
    def run(
        self, store: "Store", executor: "Executor", listen: "Listener | None" = None
    ) -> "Reproduction | HandResult":
        """Do it: train the runs that the store does not have. The same call again continues."""
