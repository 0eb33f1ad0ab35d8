"""Numbers of parameters."""

from collections.abc import Mapping
from typing import Any

from oratory.recipes.quantity import Quantity
from oratory.runs import Run

ENCODER = "encoder"
"""Everything but the head."""


class ComponentParameters(Quantity):
    """The parameters of the whole model, of one component (`parameters: attention`), or of all but the head."""

    names = ("parameters",)
    exact = True
    digits = 0

    def at_evaluation(self, entry: Mapping[str, Any]) -> float | None:
        return None

    def at_end(self, run: Run) -> float | None:
        counted = run.record.parameters
        if self.of == ENCODER:
            return float(counted.total - counted.components.get("head", 0))
        found = counted.components.get(self.of) if self.of else counted.total
        return None if found is None else float(found)
