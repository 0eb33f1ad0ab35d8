"""Lists of runs, one by one or grouped over their seeds: facts, and the tables that they make."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from statistics import stdev
from typing import Any, TypeVar

from oratory.errors import InputError
from oratory.runs.entry import Entry, as_text
from oratory.runs.filters import check_key, keys_of, known_figures, ordered, select, value_of
from oratory.tables import Table, Tabled, shortened
from oratory.training.tasks import task_of
from oratory.training.tasks.results import Results

ABOUT = ("name", "tags", "note")
"""What users write about their runs; a column of its own where a run has some."""
LONGEST_NOTE = 40
"""Characters of a note in a list."""


@dataclass(frozen=True)
class Listing(Tabled):
    """Some runs out of all that were asked for."""

    entries: tuple[Entry, ...]
    total: int
    """Runs that met the conditions, shown or not."""
    sort: str | None = None

    def __len__(self) -> int:
        return len(self.entries)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {"runs": [entry.to_dict() for entry in self.entries], "total": self.total}

    def tables(self) -> list[Table]:
        by_task = _by_task(entry for entry in self.entries if entry.task)
        tables = [self._table(task, entries) for task, entries in by_task.items()]
        broken = tuple((entry.id, entry.status) for entry in self.entries if not entry.task)
        if broken:
            note = "oratory runs show RUN says what is wrong; oratory runs rm RUN removes one."
            tables.append(Table("Runs that cannot be read", ("run", "status"), broken, words=2, note=note))
        return tables

    def _table(self, task: str, entries: list[Entry]) -> Table:
        results = task_of(task).results
        figures = _shown(results, (entry.figures for entry in entries))
        corpora = {entry.corpus for entry in entries}
        # The id comes first: where a table is too wide for the screen, each of its parts begins with it.
        words = ["run", "variant", "status"] if len(corpora) == 1 else ["run", "variant", "corpus", "status"]
        words += [key for key in ABOUT if any(value_of(entry, key) for entry in entries)]
        keys = [*words, "created", "seed"]
        keys += [self.sort] if self.sort and self.sort not in (*keys, *figures, "corpus", "task") else []
        rows = tuple(
            (
                *(_cell(key, value_of(entry, key)) for key in keys),
                *(results.show(name, entry.figures.get(name)) for name in figures),
            )
            for entry in entries
        )
        note = _tokens_note(entry.settings.get("tokenizer") for entry in entries) if results.of_tokens else ""
        return Table(_title(task, corpora), (*keys, *map(results.heading, figures)), rows, words=len(words), note=note)


@dataclass(frozen=True)
class Spread:
    """One figure over the runs of a group."""

    values: tuple[float, ...]

    @cached_property
    def mean(self) -> float:
        return fsum(self.values) / len(self.values)

    @cached_property
    def deviation(self) -> float | None:
        """The standard deviation from run to run; None for a single run."""
        return stdev(self.values) if len(self.values) > 1 else None

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval of the mean, by Student's t; None for a single run."""
        from oratory.statistics import mean_of

        return mean_of(self.values).interval

    def to_dict(self) -> dict[str, Any]:
        return {"mean": self.mean, "deviation": self.deviation, "interval": self.interval, "runs": len(self.values)}


@dataclass(frozen=True)
class Group:
    """Runs that agree in the keys they are grouped by."""

    task: str
    keys: dict[str, Any]
    runs: tuple[str, ...]
    seeds: tuple[int, ...]
    """Of the finished runs."""
    figures: dict[str, Spread]

    def to_dict(self) -> dict[str, Any]:
        figures = {name: spread.to_dict() for name, spread in self.figures.items()}
        return {"task": self.task, **self.keys, "runs": self.runs, "seeds": self.seeds, "figures": figures}

    def value(self, key: str) -> Any:
        """What the group is sorted by."""
        if key in ("runs", "seeds"):
            return len(getattr(self, key))
        return self.figures[key].mean if key in self.figures else self.keys.get(key)


@dataclass(frozen=True)
class Grouped(Tabled):
    """Groups of runs."""

    groups: tuple[Group, ...]
    total: int

    def __len__(self) -> int:
        return len(self.groups)

    def first(self, most: int | None) -> "Grouped":
        """The first of them; None for all."""
        return Grouped(self.groups[:most], self.total)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {"groups": [group.to_dict() for group in self.groups], "total": self.total}

    def tables(self) -> list[Table]:
        return [self._table(task, groups) for task, groups in _by_task(self.groups).items()]

    def _table(self, task: str, groups: list[Group]) -> Table:
        results = task_of(task).results
        figures = _shown(results, (group.figures for group in groups))
        corpora = {str(group.keys["corpus"]) for group in groups if "corpus" in group.keys}
        hidden = ("group", "fingerprint", *(("corpus",) if len(corpora) == 1 else ()))
        keys = [key for key in groups[0].keys if key not in hidden] or list(groups[0].keys)
        rows = tuple(
            (
                *(as_text(group.keys[key]) for key in keys),
                str(len(group.runs)),
                str(len(group.seeds)),
                *(_with_interval(results, name, group.figures.get(name)) for name in figures),
            )
            for group in groups
        )
        note = "mean ± half of its 95% interval over the finished runs: for a verdict, oratory compare."
        columns = (*keys, "runs", "seeds", *map(results.heading, figures))
        return Table(_title(task, corpora), columns, rows, words=len(keys), note=note)


def listed(
    entries: Sequence[Entry],
    conditions: Iterable[str] = (),
    *,
    sort: str | None = None,
    descending: bool | None = None,
    by: Sequence[str] | None = None,
    most: int | None = None,
) -> Listing | Grouped:
    """The runs that meet all conditions; grouped where `by` has keys, and over their seeds where it is empty."""
    if descending is not None and sort is None:
        raise InputError("--descending and --ascending need --sort KEY.")
    if by is not None:
        return grouped(select(entries, conditions), by, sort, bool(descending)).first(most)
    chosen = select(entries, conditions, sort, bool(descending))
    return Listing(tuple(chosen[:most]), len(chosen), sort)


def grouped(
    entries: Sequence[Entry], by: Sequence[str] = (), sort: str | None = None, descending: bool = False
) -> Grouped:
    """Runs of one task grouped by some keys; without keys, by everything except the seed."""
    readable = [entry for entry in entries if entry.task]
    known = keys_of(readable)
    for key in by if readable else ():
        check_key(key, known)
    shown = tuple(by) or ("variant", "corpus", "group", "fingerprint")
    buckets: dict[tuple[str, ...], list[Entry]] = {}
    for entry in readable:
        same = tuple(as_text(value_of(entry, key)) for key in by) if by else (entry.group,)
        buckets.setdefault((entry.task, *same), []).append(entry)
    groups = [_group(members, shown) for members in buckets.values()]
    if sort is not None and groups:
        figures = {name for one in groups for name in one.figures}
        known_here = {"runs", "seeds", *shown, *figures, *known_figures()}
        if sort in known and sort not in known_here:
            raise InputError(f"The runs of a group differ in {sort}; add it with --group-by, or sort by a figure.")
        check_key(sort, known_here)
        groups = ordered(groups, lambda one: one.value(sort), descending)
    return Grouped(tuple(groups), len(groups))


def _group(members: list[Entry], keys: Sequence[str]) -> Group:
    values: dict[str, list[float]] = {}
    for entry in members:
        for name, value in entry.figures.items():
            if value is not None:
                values.setdefault(name, []).append(value)
    return Group(
        task=members[0].task,
        keys={key: value_of(members[0], key) for key in keys},
        runs=tuple(entry.id for entry in members),
        seeds=tuple(sorted({entry.seed for entry in members if entry.seed is not None and entry.status == "finished"})),
        figures={name: Spread(tuple(found)) for name, found in values.items()},
    )


def _tokens_note(tokenizers: Iterable[Any]) -> str:
    """A warning where figures are of different tokens."""
    found = sorted({str(name) for name in tokenizers})
    if len(found) < 2:
        return ""
    return f"These runs have different tokens ({', '.join(found)}); perplexities compare only where they are the same."


def _title(task: str, corpora: set[str]) -> str:
    named = f" on {next(iter(corpora))}" if len(corpora) == 1 else ""
    return f"{task_of(task).results.title}{named}"


def _cell(key: str, value: Any) -> str:
    if key in ABOUT:
        return shortened(value if isinstance(value, str) else ", ".join(value), LONGEST_NOTE)
    return str(value)[:16].replace("T", " ") if key == "created" else as_text(value)


T = TypeVar("T", Entry, Group)


def _by_task(items: Iterable[T]) -> dict[str, list[T]]:
    """Entries or groups by their task, in the order of the tasks' names."""
    found: dict[str, list[T]] = {}
    for item in items:
        found.setdefault(item.task, []).append(item)
    return dict(sorted(found.items()))


def _shown(results: Results, figures: Iterable[Iterable[str]]) -> list[str]:
    """The figures that a table has room for."""
    return results.shown(dict.fromkeys(name for names in figures for name in names))


def _with_interval(results: Results, name: str, spread: Spread | None) -> str:
    if spread is None:
        return results.show(name, None)
    if spread.interval is None:
        return results.show(name, spread.mean)
    return f"{results.show(name, spread.mean)} ± {results.show(name, spread.interval[1] - spread.mean)}"
