"""Models beside their baselines, on all of test and on its parts: no figure is reported without these."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from oratory.comparisons.facts import estimate_figures
from oratory.comparisons.measures import Measure, Tokens, measures_of, tokens_of
from oratory.errors import InputError
from oratory.runs import Run
from oratory.statistics import Estimate
from oratory.statistics.clustered import ENOUGH
from oratory.tables import Table, Tabled, plural, series
from oratory.text import Corpus
from oratory.training.tasks import Task
from oratory.training.tasks.metric import Metric

BASELINES = "baselines"
"""The folder in the store where baselines are kept."""

INTERVAL = "95% interval"

ONE_SEED = "another seed may differ by more, and several seeds tell how much."

BaselineFigures = dict[str, dict[str, float | None]]
"""By baseline and part of test, on the scale of the recorded figures."""


@dataclass(frozen=True)
class Standing(Tabled):
    """What variants score on every part of test, with what the baselines score there."""

    task: Task
    metric: Metric
    variants: Mapping[str, Mapping[str, Estimate]]
    """By variant and part; the first part is `all`."""
    baselines: Mapping[str, Mapping[str, float | None]]
    in_train: str
    """How much of test is in train, in a sentence."""
    finer_parts: str
    """Which parts have too few groups to speak of new ones, in a sentence; empty where none has."""
    one_seed: str = ""
    """What the intervals of a single run do not say, in a sentence."""

    @property
    def parts(self) -> list[str]:
        """The parts of test."""
        return list(next(iter(self.variants.values())))

    def figures(self, variant: str) -> dict[str, Any]:
        """The figures of a variant by part, as plain values."""
        return {
            part: {**estimate_figures(self.metric, found), "seeds": found.seeds}
            for part, found in self.variants[variant].items()
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "metric": self.metric.name,
            "variants": {name: self.figures(name) for name in self.variants},
            "baselines": {name: dict(values) for name, values in self.baselines.items()},
            "in_train": self.in_train,
            **({"one_seed": self.one_seed} if self.one_seed else {}),
        }

    def tables(self) -> list[Table]:
        return [self.table(self.parts)]

    def table(self, parts: Sequence[str]) -> Table:
        """Every variant and every baseline on these parts; the parts are the rows where that takes fewer columns."""
        baselines = {f"({name})": values for name, values in self.baselines.items()}
        columns = ("variant", *(column for part in parts for column in (part, INTERVAL)))
        rows = [(name, *(cell for part in parts for cell in self._cells(name, part))) for name in self.variants]
        for name, values in baselines.items():
            rows.append((name, *(cell for p in parts for cell in (self.metric.show_value(values.get(p)), ""))))
        across = ("part of test", *(head for name in self.variants for head in (name, INTERVAL)), *baselines)
        if len(across) < len(columns):
            columns, rows = across, []
            for part in parts:
                cells = [cell for name in self.variants for cell in self._cells(name, part)]
                rows.append((part, *cells, *(self.metric.show_value(v.get(part)) for v in baselines.values())))
        said = (f"{self.metric.column}.".capitalize(), self.in_train, self.finer_parts, self.one_seed)
        return Table(self.task.results.parts_title, columns, tuple(rows), note=" ".join(filter(None, said)))

    def _cells(self, variant: str, part: str) -> tuple[str, str]:
        """A figure and its interval."""
        found = self.variants[variant][part]
        return self.metric.show(found.mean), self.metric.show_interval(found.interval)


def standing_of(
    task: Task,
    corpus: Corpus,
    runs: Mapping[str, Sequence[Run | None]],
    store: Path,
    metric: Metric | None = None,
    estimate: Callable[[Measure, str], Estimate] = Measure.estimate,
) -> Standing:
    """What these runs score, beside the baselines; by the usual metric of the task unless one is given."""
    tokens = tokens_of(runs)
    metric = metric or task.metric(tokens.same)
    measures = measures_of(task, metric, corpus, runs)
    return Standing(
        task=task,
        metric=metric,
        variants={name: {part: estimate(measure, name) for part, measure in measures.items()} for name in runs},
        baselines=baselines_of(task, corpus, tokens, metric, measures, store),
        in_train=task.in_train(corpus),
        finer_parts=task.units(corpus).finer_parts,
    )


def tested_corpus(run: Run) -> Corpus:
    """The corpus that a run was tested on; an InputError where it is not what it was, or has no test."""
    corpus = run.load_corpus()
    run.task.need_test(corpus)
    if corpus.fingerprint != run.fingerprint:
        raise InputError(f"The corpus {corpus.name} is no longer the one that the run was trained on.")
    return corpus


def standing_of_run(run: Run, corpus: Corpus) -> Standing:
    """A finished run beside the baselines of its corpus. Its intervals are over the items of test."""
    found = standing_of(run.task, corpus, {run.id: [run]}, run.folder.parent, estimate=Measure.over_items)
    unit = run.task.units(corpus).counted().unit
    said = f"The intervals are over {plural(unit)} of test, for this one model: {ONE_SEED}"
    return replace(found, one_seed=" ".join([said, *without_interval(found.variants[run.id])]))


def without_interval(parts: Mapping[str, Estimate]) -> list[str]:
    """Why some parts of test have no interval, in sentences."""
    missing = {part: found for part, found in parts.items() if found.interval is None}
    few = [part for part, found in missing.items() if found.items < ENOUGH]
    same = [part for part in missing if part not in few]
    said = [f"{series(few)}: too little for an interval."] if few else []
    return said + ([f"{series(same)}: no interval, for the scores do not vary."] if same else [])


def baselines_of(
    task: Task, corpus: Corpus, tokens: Tokens, metric: Metric, measures: Mapping[str, Measure], store: Path
) -> BaselineFigures:
    """What the baselines score, over the tokens of the runs; with the tokenizer in their names if there are several."""
    weights = {name: float(measure.weights.sum()) for name, measure in measures.items()}
    measured = task.baselines(corpus, tokens.tokenizers, store / BASELINES)
    return {
        name if len(measured) == 1 else f"{name}, tokenizer={found.tokenizer}": values
        for found in measured
        for name, values in metric.of_baselines(found, weights).items()
    }
