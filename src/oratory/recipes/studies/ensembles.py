"""The runs of each variant as one model: what they score on every part of test, alone and mixed with n-grams of train.

For a language model the n-grams are modified Kneser-Ney ones, and their share in the mixture is that of the task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from oratory.comparisons.ensembles.make import ONE_MODEL
from oratory.comparisons.ensembles.members import Averaged, Mixed
from oratory.comparisons.facts import Pairing
from oratory.comparisons.measures import Scored, measures_of, tokens_of
from oratory.comparisons.rivals import rival_table, rivalries, rivals_of
from oratory.comparisons.standing import Standing
from oratory.errors import InputError
from oratory.reports import Figure
from oratory.runs import Run
from oratory.tables import Table, Tabled
from oratory.text import Corpus


@dataclass(frozen=True)
class EnsemblesResult(Tabled):
    """What each ensemble scores, by part of test."""

    standing: Standing
    share: float | None
    """Of the n-grams in hybrids; None where there are no hybrids."""
    rivalries: tuple[Pairing, ...]
    """Single models, ensembles and hybrids against the strongest baselines."""
    new_items: str
    """What the verdicts mean by new items, in a sentence."""
    title: ClassVar[str] = "Ensembles"

    def sentences(self) -> list[str]:
        said = [f"An ensemble gives the mean of the probabilities of its runs. {ONE_MODEL}"]
        return said if self.share is None else [*said, f"In a hybrid, n-grams of train have a share of {self.share:g}."]

    def tables(self) -> list[Table]:
        against = rival_table(self.rivalries, self.standing.metric, self.new_items)
        return [self.standing.table(self.standing.parts), *([against] if self.rivalries else [])]

    def pictures(self) -> list[Figure]:
        return []

    def to_dict(self) -> dict[str, Any]:
        against = [rivalry.to_dict(self.standing.metric, "seed_differences") for rivalry in self.rivalries]
        return {"share": self.share, **self.standing.to_dict(), "against_baselines": against}


def explain(runs: Mapping[str, Sequence[Run]], corpus: Corpus) -> EnsemblesResult:
    """Average the runs of every variant."""
    done = {name: found for name, found in runs.items() if found}
    if not done:
        raise InputError("This study needs finished runs, and there is none.")
    tokens, task = tokens_of(done), next(iter(done.values()))[0].task
    metric, share = task.metric(tokens.same), task.counts_share if tokens.same else None
    counted = {} if share is None else task.counted_nats(corpus, next(iter(tokens.tokenizers.values())))
    scored: dict[str, Sequence[Scored]] = {}
    for name, found in done.items():
        whole, called = Averaged(tuple(found)), f"{name}, ensemble of {len(found)}"
        scored[called] = [whole]
        if share is not None:
            scored[f"{called}, hybrid with n-grams"] = [Mixed(whole, counted, share)]
    singles = {f"{name}, single models": found for name, found in done.items()}
    rivals = rivals_of(task, corpus, tokens, metric, next(iter(done.values()))[0])
    measures = measures_of(task, metric, corpus, {**scored, **singles, **rivals})
    standing = Standing(
        task=task,
        metric=metric,
        variants={name: {part: measure.over_items(name) for part, measure in measures.items()} for name in scored},
        baselines={},
        in_train=task.in_train(corpus),
        finer_parts=task.units(corpus).finer_parts,
    )
    against = rivalries({name: name for name in (*singles, *scored)}, list(rivals), measures, metric)
    return EnsemblesResult(standing, share, tuple(against), task.units(corpus).new_items)
