"""Several mechanisms together: all pairs of the best ones, and a stack that grows while dev gets better.

What is best, and what the stack takes, is chosen on dev, by runs with other seeds than those that are judged: a choice
by the same runs would flatter what was chosen. Then the best ones alone, all pairs and the stack are compared with the
base settings on test, and each with the sum of its parts.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Any

from oratory.comparisons.atlas.design import AtlasDesign, AtlasEntry
from oratory.comparisons.atlas.facts import Atlas
from oratory.comparisons.atlas.make import train_family
from oratory.comparisons.comparison import Comparison
from oratory.comparisons.design import BASE, Variant
from oratory.comparisons.dev import dev_mean
from oratory.comparisons.make import Listener, evaluate
from oratory.comparisons.measures import Measure, measures_of
from oratory.errors import Failed, InputError
from oratory.execution.jobs import Executor
from oratory.execution.ready import ready
from oratory.mechanisms.plugins import blame
from oratory.runs import Store
from oratory.statistics import Difference, holm, paired, verdict_text
from oratory.tables import Table, Tabled
from oratory.training.tasks.metric import Metric

FIRST_SEED = 1000
"""The first of the seeds that choose."""
Parts = tuple[AtlasEntry, ...]


def name_of(parts: Parts) -> str:
    """What mechanisms together are called."""
    return " + ".join(part.name for part in parts) or BASE


@dataclass(frozen=True)
class Choice:
    """A choice on dev: what was tried beside what was there, and what was taken."""

    tried: Mapping[str, float | None]
    """The mean figure on dev; None for what could not be trained."""
    taken: str | None
    """None where nothing made dev better."""


@dataclass(frozen=True)
class Together:
    """Mechanisms in one model, beside the sum of what each does alone."""

    parts: tuple[str, ...]
    difference: float | None
    """From the base settings."""
    sum: float | None
    """Of the differences of its parts."""
    apart: Difference | None
    """How far it is from that sum."""
    holm: float | None
    """p of that after Holm, over all rows."""
    reason: str = ""
    """Why there is no figure, where there is none."""

    @property
    def name(self) -> str:
        return " + ".join(self.parts)


@dataclass(frozen=True)
class Stacks(Tabled):
    """What mechanisms do together; `to_dict` is what `--json` prints."""

    atlas: str
    metric: Metric
    seeds: tuple[int, ...]
    choosing: tuple[int, ...]
    best: tuple[str, ...]
    choices: tuple[Choice, ...]
    """The first chose the best ones; each later one let the stack grow, or ended it."""
    stack: tuple[str, ...]
    rows: tuple[Together, ...]
    comparison: Comparison

    @property
    def id(self) -> str:
        """The name of a report on it."""
        return f"{self.atlas}-together"

    def to_dict(self) -> dict[str, Any]:
        return {
            "atlas": self.atlas,
            "metric": self.metric.name,
            "seeds": list(self.seeds),
            "choosing_seeds": list(self.choosing),
            "best": list(self.best),
            "choices": [asdict(choice) for choice in self.choices],
            "stack": list(self.stack),
            "rows": [{"name": row.name, **asdict(row)} for row in self.rows],
            "comparison": self.comparison.to_dict(),
        }

    def sentences(self) -> list[str]:
        """What a reader must know before the tables."""
        said = [
            f"The best {len(self.best)} on dev, of different kinds: {', '.join(self.best)}. Chosen with the seeds "
            f"{', '.join(map(str, self.choosing))}, which are not judged."
        ]
        whole = next((row for row in self.rows if row.parts == self.stack), None)
        if whole is None or whole.apart is None or whole.difference is None or whole.sum is None:
            return [*said, f"The stack that dev chose is {' + '.join(self.stack)}."]
        show = self.metric.show_difference
        return [
            *said,
            f"The stack that dev chose is {whole.name}: {show(whole.difference)} from the base settings, where the sum "
            f"of its parts would be {show(whole.sum)}.",
        ]

    def tables(self) -> list[Table]:
        found = together_table(self.rows, self.metric, len(self.seeds))
        found = replace(found, note="\n".join([found.note, *self.sentences()]))
        chosen = tuple(
            (str(step), name, self.metric.show(mean), "taken" if name == choice.taken else "")
            for step, choice in enumerate(self.choices)
            for name, mean in choice.tried.items()
        )
        on_dev = Table("Choices on dev", ("step", "mechanisms", f"{self.metric.column} on dev", ""), chosen, words=2)
        return [found, *self.comparison.tables(), on_dev]


def together_table(entries: Iterable[Together], metric: Metric, seeds: int) -> Table:
    """Mechanisms together beside the sum of their parts."""
    show, rows = metric.show_difference, []
    for row in entries:
        if row.apart is None:
            rows.append((row.name, "", "", "", row.reason))
            continue
        text = verdict_text(row.apart, row.holm, lambda value: show(value, "-"))
        interval = metric.show_difference_interval(row.apart.interval)
        rows.append((row.name, show(row.difference), show(row.sum), f"{show(row.apart.mean)} {interval}", text))
    note = (
        f"{metric.column}; {seeds} seeds, paired; differences from the base settings. Apart: how far together is from "
        "the sum of the parts, with its 95% interval. The verdict says whether together is better or worse than that "
        f"sum, after Holm over all rows. {metric.difference_note}"
    )
    columns = ("mechanisms", "together", "sum of the parts", "apart (95% interval)", "verdict on that")
    return Table("Together and apart", columns, tuple(rows), words=1, note=note)


class _Dev:
    """Means on dev of mechanisms together, trained with the seeds that choose."""

    def __init__(self, design: AtlasDesign, metric: Metric, train: Callable[..., Any]) -> None:
        self.design, self.metric, self.train = design, metric, train
        self.means: dict[Parts, float | None] = {}

    def of(self, each: Iterable[Parts]) -> dict[Parts, float | None]:
        """The mean of each; None for what does not fit or fails."""
        wanted = list(dict.fromkeys(each))
        missing = [parts for parts in wanted if parts not in self.means and _refusal(self.design, parts) is None]
        if missing:
            found = self.train(self.design, {name_of(parts): _variant(self.design, parts) for parts in missing}).runs
            for parts in missing:
                runs = found[name_of(parts)]
                self.means[parts] = fmean(dev_mean(run, self.metric) for run in runs) if all(runs) else None
        return {parts: self.means.get(parts) for parts in wanted}

    def ranked(self, each: Iterable[Parts]) -> list[Parts]:
        """Those that have a mean, the best first."""
        found = {parts: mean for parts, mean in self.of(each).items() if mean is not None}
        return sorted(found, key=lambda parts: found[parts], reverse=self.metric.better == "higher")

    def choice(self, tried: Sequence[Parts], taken: Parts | None) -> Choice:
        found = {name_of(parts): mean for parts, mean in self.of(tried).items()}
        return Choice(found, None if taken is None else name_of(taken))


def make_stacks(
    atlas: Atlas,
    design: AtlasDesign,
    store: Store,
    executor: Executor,
    listen: Listener | None = None,
    best: int = 5,
    choosing: int = 2,
) -> Stacks:
    """Choose on dev, train what is missing, and say what it shows. The same again continues where it stopped."""
    if best < 2 or choosing < 1:
        raise InputError(f"At least 2 mechanisms and 1 seed to choose by are needed, not {best} and {choosing}.")
    seeds = tuple(range(FIRST_SEED, FIRST_SEED + choosing))
    if set(seeds) & set(design.seeds):
        raise InputError(f"The seeds from {FIRST_SEED} on choose the mechanisms; an atlas of others is needed.")

    def train(of: AtlasDesign, variants: Mapping[str, Variant]) -> Any:
        return train_family(of, variants, store, executor, listen)

    held_out = replace(design, corpus=design.corpus.with_dev(), seeds=seeds)
    dev = _Dev(held_out, atlas.metric, train)
    judged = [AtlasEntry(row.kind, row.mechanism) for row in atlas.judged]
    chosen, choices = _best(dev, judged, best)
    stack, more = _stacked(dev, chosen)
    alone: list[Parts] = [(entry,) for entry in chosen]
    together = list(dict.fromkeys([*combinations(chosen, 2), *(stack[:count] for count in range(2, len(stack) + 1))]))
    refused = {parts: why for parts in together if (why := _refusal(design, parts)) is not None}
    built = [parts for parts in ((), *alone, *together) if parts not in refused]
    made = train(design, {name_of(parts): _variant(design, parts) for parts in built})
    refused |= {parts: made.problems[name_of(parts)][0] for parts in built if not any(made.runs[name_of(parts)])}
    runs = {name: each for name, each in made.runs.items() if any(each)}
    variants = [_variant(design, parts) for parts in built if name_of(parts) in runs]
    comparison = evaluate(design.family(variants), runs, {}, store)
    measure = measures_of(design.task, comparison.metric, design.corpus, runs)["all"]
    return Stacks(
        atlas=atlas.id,
        metric=comparison.metric,
        seeds=design.seeds,
        choosing=seeds,
        best=tuple(entry.name for entry in chosen),
        choices=(*choices, *more),
        stack=tuple(entry.name for entry in stack),
        rows=_rows(together, measure, comparison.metric, refused),
        comparison=comparison,
    )


def _best(dev: _Dev, judged: Sequence[AtlasEntry], best: int) -> tuple[list[AtlasEntry], list[Choice]]:
    """The best of each kind on dev, so that any two can be had together; as many as are wanted."""
    found: dict[str, AtlasEntry] = {}
    for (entry,) in dev.ranked((entry,) for entry in judged):
        found.setdefault(entry.kind, entry)
    chosen = list(found.values())[:best]
    if len(chosen) < 2:
        raise Failed("Mechanisms of two kinds at least must have been judged, or there is nothing to put together.")
    return chosen, [dev.choice([(), *((entry,) for entry in judged)], (chosen[0],))]


def _stacked(dev: _Dev, chosen: Sequence[AtlasEntry]) -> tuple[Parts, list[Choice]]:
    """The best one, and with it whatever makes dev better, one after the other."""
    stack: Parts = (chosen[0],)
    choices = []
    while more := [(*stack, entry) for entry in chosen if entry not in stack]:
        first = dev.ranked([stack, *more])[0]
        choices.append(dev.choice([stack, *more], None if first == stack else first))
        if first == stack:
            break
        stack = first
    return stack, choices


def _rows(
    together: Sequence[Parts], measure: Measure, metric: Metric, refused: Mapping[Parts, str]
) -> tuple[Together, ...]:
    found: list[Difference | None] = []
    base = measure.matrices[BASE]
    for parts in together:
        single = [measure.matrices.get(part.name) for part in parts]
        own = measure.matrices.get(name_of(parts))
        if parts in refused or own is None or any(each is None for each in single):
            found.append(None)
            continue
        # Each part has the base taken off once; together it is taken off once only.
        summed = sum(each for each in single if each is not None) - (len(parts) - 1) * base
        found.append(
            paired(own, summed, measure.weights, better=metric.better, comparisons=len(together), strata=measure.strata)
        )
    rows = []
    for parts, apart, p in zip(together, found, holm([each.p if each else None for each in found]), strict=True):
        names = tuple(part.name for part in parts)
        if apart is None:
            rows.append(Together(names, None, None, None, None, refused.get(parts, "a part of it has no runs")))
            continue
        whole = paired(measure.matrices[name_of(parts)], base, measure.weights, better=metric.better).mean
        rows.append(Together(names, whole, whole - apart.mean, apart, p))
    return tuple(rows)


def _variant(design: AtlasDesign, parts: Parts) -> Variant:
    """Several mechanisms in place of those of the base settings."""
    base = design.variant(None)
    settings = {name: value for part in parts for name, value in part.settings.items()}
    return Variant(name_of(parts), {**base.settings, **settings})


def _refusal(design: AtlasDesign, parts: Parts) -> str | None:
    """Why mechanisms do not fit together, if they do not."""
    try:
        ready(design.task, design.corpus, _variant(design, parts).settings)
    except InputError as error:
        return str(error)
    except Exception as error:  # A user's own mechanism may raise anything.
        return blame(error) or f"{type(error).__name__}: {error}"
    return None
