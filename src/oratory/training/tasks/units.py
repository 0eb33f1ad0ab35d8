"""What the statistics of a comparison count as one: an item, or all items of a group.

Items of one group, such as the sentences of one address, are alike. Where there are enough groups each counts as one,
and a verdict holds for new groups; where there are not, it holds for new items of these groups.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oratory.statistics import Array, Strata
from oratory.statistics.clustered import ENOUGH, enough_groups, summed
from oratory.tables import plural, series

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class Groups:
    """Which items of a split belong together."""

    noun: str
    """What a group is called."""
    of_item: Sequence[str]
    """The group of each item."""
    learned: Collection[str] = ()
    """The groups that train has too."""

    @property
    def count(self) -> int:
        return len(set(self.of_item))


@dataclass(frozen=True, eq=False)
class Counted:
    """The items of one part of a split, and what counts as one among them."""

    unit: str
    items: NDArray[np.int64]
    owners: NDArray[np.int64]
    """The unit of each of these items."""
    strata: Strata | None = None
    """The stratum of each unit, if a new sample would have as many units of each."""

    def means(self, values: Array, weights: Array) -> tuple[Array, Array]:
        """The mean of each unit and its weight, from the values and weights of all items."""
        return summed(values[self.items], weights[self.items], self.owners)


class Units(ABC):
    """The items of one split, their groups, and the parts that figures are given for."""

    item: str
    """What an item is called."""
    sizes: Array
    """How much each item counts when groups are weighed."""
    groups: Groups | None
    """None where the corpus does not say them."""
    parts: dict[str, NDArray[np.bool_]]
    """Which items belong to each part; the first part is `all`."""
    together: NDArray[np.int64] | None = None
    """The unit of each item, where several items make one even without groups; else each item is one."""
    stratum: str = ""
    """What divides groups into strata, such as their label."""
    stratum_of_item: NDArray[np.int64] | None = None
    source: str = ""
    """Where the items come from, where the corpus does not say their groups: as in `of these 3 texts`."""

    @abstractmethod
    def values(self, table: "pyarrow.Table", metric: Any) -> tuple[Array, Array]:
        """The value of each item, from the per-item results of a run, and its weight."""

    def counted(self, part: str = "all") -> Counted:
        """What counts as one in a part: a group where the part and the whole have enough of them, else an item."""
        items = np.flatnonzero(self.parts[part])
        if self._enough(part) and self._enough("all"):
            return self._by_group(part)
        if self.together is None:
            return Counted(self.item, items, np.arange(len(items)))
        return Counted(self.item, items, np.unique(self.together[items], return_inverse=True)[1])

    def _by_group(self, part: str) -> Counted:
        """A part with each group as one: in strata, if each group is in one of them and they are enough."""
        assert self.groups is not None
        items = np.flatnonzero(self.parts[part])
        _, first, owners = np.unique(np.array(self.groups.of_item)[items], return_index=True, return_inverse=True)
        found = Counted(self.groups.noun, items, owners)
        if self.stratum_of_item is None or not len(items):
            return found
        of_item = self.stratum_of_item[items]
        _, strata = np.unique(of_item[first], return_inverse=True)
        unfit = strata.max() == 0 or (of_item != of_item[first][owners]).any()
        return found if unfit or not enough_groups(self._weights(found), strata) else replace(found, strata=strata)

    def _enough(self, part: str) -> bool:
        """Whether a part has enough groups to count each as one."""
        return self.groups is not None and enough_groups(self._weights(self._by_group(part)))

    def _weights(self, counted: Counted) -> Array:
        """How much each group counts."""
        return np.bincount(counted.owners, self.sizes[counted.items]).astype(np.float64)

    @property
    def no_verdict(self) -> str:
        """Why these items can give no verdict, if they cannot."""
        if self.groups is None or self.groups.count > 1:
            return ""
        return f"all of test is one {self.groups.noun}, which says nothing of others"

    @property
    def new_items(self) -> str:
        """What a verdict means by new items, in a sentence."""
        groups, items = self.groups, plural(self.item)
        if groups is None:
            return f"New items are new {items}{self.source}; the corpus does not say which of them belong together."
        count, noun = groups.count, plural(groups.noun)
        counted = self.counted()
        if counted.unit == groups.noun:
            known = len(set(groups.of_item) & set(groups.learned))
            learned = f", and {known} of them are in train too" if known else ""
            of = "" if counted.strata is None else f" of the same {plural(self.stratum)}"
            return f"New items are new {noun}{of}: each of the {count:,} {noun} counts as one{learned}."
        if count == 1:
            return (
                f"New items are new {items} of this one {groups.noun}: there is no other to tell what new {noun} show."
            )
        why = f"it takes {ENOUGH}" if count < ENOUGH else "one of them has more than half of everything"
        return f"New items are new {items} of these {count:,} {noun}, and not new {noun}: {why}."

    @property
    def finer_parts(self) -> str:
        """Which parts have too few groups to count each as one, in a sentence; empty where none has."""
        usual = self.counted().unit
        finer = [part for part in self.parts if self.parts[part].any() and self.counted(part).unit != usual]
        if not finer or self.groups is None:
            return ""
        few = f"too few {plural(self.groups.noun)} to count each as one"
        return f"{series(finer)}: {few}, so the intervals are for new {plural(self.item)} of these."
