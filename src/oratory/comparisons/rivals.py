"""Models against the strongest baselines, on the same items: a baseline is the same model with every seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from oratory.comparisons.facts import Pairing
from oratory.comparisons.measures import Measure, Tokens
from oratory.runs import Run
from oratory.statistics import Difference, holm, over_items, paired
from oratory.tables import Table
from oratory.text import Corpus
from oratory.tokens import Tokenizer
from oratory.training.tasks import Task
from oratory.training.tasks.metric import Metric

if TYPE_CHECKING:
    import pyarrow

ONE = "one model, whose interval is for new items alone"


@dataclass(frozen=True)
class Rival:
    """A baseline whose per-item results are known, with the tokens of a run."""

    id: str
    run: Run
    table: "pyarrow.Table"

    @property
    def settings(self) -> dict[str, Any]:
        return self.run.settings

    @property
    def tokenizer(self) -> Tokenizer:
        return self.run.tokenizer

    def items(self) -> "pyarrow.Table":
        return self.table


def rival_table(found: Sequence[Pairing], metric: Metric, new_items: str) -> Table:
    """Models against the strongest baselines, part by part."""
    rows = [row for each in found for row in each.rows(metric)]
    columns = ("model", "against", "verdict", "difference", "95% interval", "wins", "p")
    note = (
        "On the same items; a baseline is the same with every seed. The verdict is on all of test, and its parts are "
        f"below it; p after Holm. {new_items} {metric.difference_note}"
    )
    return Table(f"Against the baselines: {metric.column}", columns, tuple(rows), words=3, note=note.strip())


def rivals_of(task: Task, corpus: Corpus, tokens: Tokens, metric: Metric, run: Run) -> dict[str, list[Rival]]:
    """The strongest baselines with the tokens of these runs; none where the runs have different tokens."""
    if not tokens.same:
        return {}
    found = task.rivals(corpus, run.tokenizer, run.items(), metric)
    return {name: [Rival(name, run, table)] for name, table in found.items()}


def rivalries(
    models: Mapping[str, str], rivals: Sequence[str], measures: Mapping[str, Measure], metric: Metric
) -> list[Pairing]:
    """Every model against every baseline. `models` has what each is called, by its name among the measures."""
    found = [
        Pairing(called, rival, {part: _difference(measure, name, rival, metric) for part, measure in measures.items()})
        for name, called in models.items()
        for rival in rivals
    ]
    adjusted = holm([each.whole.p for each in found])
    return [replace(each, p=p) for each, p in zip(found, adjusted, strict=True)]


def _difference(measure: Measure, name: str, rival: str, metric: Metric) -> Difference:
    matrix = measure.matrices[name]
    other = np.broadcast_to(measure.matrices[rival], matrix.shape)
    found = paired(matrix, other, measure.weights, better=metric.better, strata=measure.strata)
    if len(matrix) > 1:
        return found
    alone = over_items(matrix[0] - other[0], measure.weights, measure.strata)
    return replace(found, interval=alone.interval, undecided=ONE)
