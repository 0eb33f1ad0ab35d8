"""How many parameters a model has, and where."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from torch import nn

from oratory.tables import Table, Tabled, number, percent

_NAMES = {
    "tokens": "token embedding",
    "types": "token types",
    "position": "positions",
    "embedding_norm": "norms",
    "norm": "norms",
    "pool": "pool",
    "head": "head",
}
_IN_BLOCKS = {"attention": "attention", "feedforward": "feed-forward"}


@dataclass(frozen=True)
class Parameters(Tabled):
    """Parameters by component; those that two components share count once."""

    total: int
    components: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        return {"total": self.total, "components": self.components}

    def tables(self) -> list[Table]:
        rows = [(name, number(count), percent(count / self.total)) for name, count in self.components.items()]
        rows.append(("total", number(self.total), percent(1.0)))
        return [Table("Parameters", ("component", "parameters", "%"), tuple(rows))]


def count_parameters(model: nn.Module) -> Parameters:
    """The parameters of each component, in the order in which a token meets them."""
    counts: dict[str, int] = defaultdict(int)
    for path, parameter in model.named_parameters():
        first, *rest = path.split(".")
        component = _IN_BLOCKS.get(rest[1], "norms") if first == "blocks" else _NAMES[first]
        counts[component] += parameter.numel()
    return Parameters(sum(counts.values()), dict(counts))
