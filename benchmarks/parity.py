"""Our mechanisms and models beside those of transformers, from the same weights: the largest absolute differences."""

from tests.model.test_parity import PARITY
from tests.model.test_pretrained import largest_differences

from oratory.tables import Table


def measure() -> Table:
    found = {name: compare() for name, compare in PARITY.items()} | largest_differences()
    rows = tuple((name, f"{difference:.1e}") for name, difference in found.items())
    return Table("Parity with transformers", ("module", "largest difference"), rows)
