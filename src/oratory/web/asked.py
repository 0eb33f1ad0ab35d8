"""The list of runs that a visitor asks for, in the terms of `oratory runs list`."""

import shlex
from dataclasses import dataclass

from oratory.errors import InputError
from oratory.runs.entry import Entry
from oratory.runs.listing import Grouped, Listing, listed
from oratory.tables import Table

SHOWN = 200
"""Rows of a page."""


@dataclass(frozen=True)
class Asked:
    """Conditions, an order, and groups."""

    where: str = ""
    """Conditions as on the command line, with blanks between."""
    sort: str = ""
    descending: bool = False
    group: str = "seed"
    """`seed` for groups by everything except the seed, `none`, or keys with commas between."""

    @property
    def conditions(self) -> list[str]:
        try:
            return shlex.split(self.where)
        except ValueError as error:
            raise InputError(f"The conditions cannot be read: {error}.") from None

    @property
    def keys(self) -> list[str] | None:
        """The keys to group by; none of them means all but the seed, and None no groups."""
        if self.group in ("none", ""):
            return None
        return [] if self.group == "seed" else [key.strip() for key in self.group.split(",") if key.strip()]

    def found(self, entries: list[Entry], most: int | None = SHOWN) -> Listing | Grouped:
        """The runs, as the command line finds them."""
        order = self.descending if self.sort else None
        return listed(entries, self.conditions, sort=self.sort or None, descending=order, by=self.keys, most=most)

    def words(self) -> list[str]:
        """The command that lists the same."""
        words = ["runs", "list", *self.conditions]
        if self.keys is not None:
            words += ["--group-by", ",".join(self.keys)] if self.keys else ["--group"]
        if self.sort:
            words += ["--sort", self.sort, *(["--descending"] if self.descending else [])]
        return words


def linked(found: Listing | Grouped) -> list[tuple[Table, list[str]]]:
    """The tables of a list, and for every row the page that it leads to."""
    if isinstance(found, Listing):
        return [(table, [f"/runs/{row[0]}" for row in table.rows]) for table in found.tables()]
    links: dict[str, list[str]] = {}
    for group in found.groups:
        key = group.keys.get("group")
        links.setdefault(group.task, []).append(f"/runs/of/{key}" if key else f"/runs/{group.runs[0]}")
    return list(zip(found.tables(), dict(sorted(links.items())).values(), strict=True))
