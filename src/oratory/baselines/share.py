"""A share of items."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """A share of items, with an interval of 95%: Wilson's, or one over groups of items."""

    hits: int
    items: int
    over_groups: tuple[float, float] | None = None
    """The interval for new groups, if items come in groups and these are enough."""

    @property
    def value(self) -> float | None:
        return self.hits / self.items if self.items else None

    @property
    def interval(self) -> tuple[float, float] | None:
        from scipy.stats import binomtest

        if not self.items or self.over_groups is not None:
            return self.over_groups
        found = binomtest(self.hits, self.items).proportion_ci(method="wilson")
        return float(found.low), float(found.high)
