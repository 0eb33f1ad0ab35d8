"""The scores behind one verdict: a variant and the baseline, seeds x items."""

from dataclasses import dataclass

from oratory.comparisons.eligibility import eligibility_of
from oratory.comparisons.measures import Measure, measures_of, tokens_of
from oratory.comparisons.record import ComparisonRecord
from oratory.errors import InputError, unknown
from oratory.runs import Store
from oratory.statistics import Array, Strata
from oratory.training.tasks import task_of
from oratory.training.tasks.metric import Metric


@dataclass(frozen=True, eq=False)
class ScoredPair:
    """What `paired` gets for one verdict."""

    comparison: str
    variant: str
    baseline: str
    metric: Metric
    seeds: tuple[int, ...]
    measure: Measure
    no_verdict: str = ""
    """Why the variant gets no verdict whatever its scores are, where that is so."""

    @property
    def scores(self) -> tuple[Array, Array]:
        """Of the variant and of the baseline."""
        return self.measure.matrices[self.variant], self.measure.matrices[self.baseline]

    @property
    def weights(self) -> Array:
        return self.measure.weights

    @property
    def strata(self) -> Strata | None:
        return self.measure.strata


def pairs_of(name: str, store: Store) -> dict[str, ScoredPair]:
    """For every variant of a comparison but the baseline, its scores and those of the baseline, on all of test."""
    record = ComparisonRecord.read(name, store)
    task = task_of(record.task)
    runs = record.runs_in(store)
    metric = task.metric(tokens_of(runs).same, record.metric)
    corpus = record.load_corpus()
    measure = measures_of(task, metric, corpus, runs)["all"]
    first, *others = (variant.name for variant in record.variants)
    lost = {each: eligibility_of(each, task, found).no_verdict for each, found in runs.items()}
    of_all = f"the baseline is {lost[first]}" if lost[first] else task.units(corpus).no_verdict
    return {each: ScoredPair(name, each, first, metric, record.seeds, measure, lost[each] or of_all) for each in others}


def pair_of(pairs: dict[str, ScoredPair], variant: str) -> ScoredPair:
    """The pair of one variant; without a name, of the first that is not the baseline."""
    if not pairs:
        raise InputError("This comparison has one variant only, so there is no difference to look at.")
    if variant and variant not in pairs:
        raise unknown("variant", variant, pairs)
    return pairs[variant or next(iter(pairs))]
