"""Making ensembles: what the runs of each variant score as one model, and whether that is better."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from oratory import __version__
from oratory.comparisons.eligibility import eligibility_of
from oratory.comparisons.ensembles.facts import ROWS, SINGLE, Ensemble
from oratory.comparisons.ensembles.members import Averaged, Members, Mixed, Wanted, wanted_of
from oratory.comparisons.ensembles.record import EnsembleRecord
from oratory.comparisons.facts import Pairing
from oratory.comparisons.measures import Measure, Scored, measures_of, tokens_of
from oratory.comparisons.rivals import rivalries, rivals_of
from oratory.comparisons.standing import ONE_SEED, Standing, baselines_of, tested_corpus
from oratory.errors import InputError
from oratory.ids import id_of, key_of
from oratory.runs import Run, Store
from oratory.statistics import LEAST_SEEDS, Array, Estimate, holm, paired
from oratory.text import Corpus
from oratory.text.recorded import RecordedCorpus
from oratory.training.tasks import Task, task_of
from oratory.training.tasks.metric import Metric

SIZE = 2
"""Runs in each of the ensembles that verdicts are on, unless the user gives another number."""


ONE_MODEL = "An ensemble of all runs is one model, so its interval is for new items alone."
ONE_RUN = f"It is one model, so its interval is for new items alone: {ONE_SEED}"


def ensemble(
    names: Sequence[str], store: Store, size: int = SIZE, metric: str | None = None, counts: float | None = None
) -> Ensemble:
    """The ensemble of some runs, or one of each variant of a comparison; kept in the store.

    With `counts`, each also stands there mixed with Kneser-Ney n-grams of train, which have this share. One run alone
    can be mixed too.
    """
    if size < 2:
        raise InputError(f"--size {size}: an ensemble has at least two runs.")
    if counts is not None and not 0 < counts < 1:
        raise InputError(f"--counts {counts:g}: the share of n-grams in a mixture lies between 0 and 1.")
    wanted = wanted_of(names, store, alone=counts is not None)
    first = next(run for runs in wanted.members.values() for run in runs if run)
    wanted = replace(wanted, metric=metric or wanted.metric)
    found = _evaluate(first.task, tested_corpus(first), wanted, size, store, counts)
    EnsembleRecord(
        id=found.id,
        task=found.task.name,
        corpus=RecordedCorpus(found.corpus, found.fingerprint, found.source),
        named=found.named,
        members=found.members,
        size=size,
        metric=wanted.metric,
        counts=counts,
    ).write(store)
    return found


def load_ensemble(name: str, store: Store) -> Ensemble:
    """An ensemble that was made before, worked out again from its runs."""
    record = EnsembleRecord.read(name, store)
    corpus = record.load_corpus()
    members = {variant: record.open_runs(runs, store) for variant, runs in record.members.items()}
    wanted = Wanted(record.named, members, record.metric)
    return replace(_evaluate(task_of(record.task), corpus, wanted, record.size, store, record.counts), id=name)


def _evaluate(
    task: Task, corpus: Corpus, wanted: Wanted, size: int, store: Store, counts: float | None = None
) -> Ensemble:
    members, named = wanted.members, wanted.metric
    tokens = tokens_of(members)
    metric = task.metric(tokens.same, named)
    ids = {name: tuple(run.id if run else None for run in runs) for name, runs in members.items()}
    seeds = _seeds(members)
    groups = disjoint([place for place, _ in seeds], size)
    if counts is not None and not tokens.same:
        raise InputError("Variants with different tokens cannot be mixed with the same n-grams: leave --counts out.")
    counted = {} if counts is None else task.counted_nats(corpus, next(iter(tokens.tokenizers.values())))
    scored: dict[str, Sequence[Scored | None]] = {}
    for name, runs in members.items():
        scored[name] = runs
        whole = Averaged(tuple(run for run in runs if run))
        scored[_whole(name, runs)] = [whole]
        if counts is not None:
            scored[_hybrid(_whole(name, runs))] = [Mixed(whole, counted, counts)]
            scored[_hybrid(name)] = [None if run is None else Mixed(run, counted, counts) for run in runs]
        if groups:
            scored[_grouped(name)] = [Averaged(tuple(run for at in group if (run := runs[at]))) for group in groups]
    first = next(run for runs in members.values() for run in runs if run)
    rivals = rivals_of(task, corpus, tokens, metric, first)
    measures = measures_of(task, metric, corpus, scored | rivals)
    units = task.units(corpus)
    eligible = {name: eligibility_of(name, task, runs) for name, runs in members.items()}
    judged = [name for name in members if not eligible[name].no_verdict and not units.no_verdict]
    seed_of = dict(seeds)
    return Ensemble(
        id=id_of("ensemble", key_of([ids, size, named, *([] if counts is None else [counts]), __version__])),
        task=task,
        corpus=corpus.name,
        fingerprint=corpus.fingerprint,
        source=corpus.source,
        metric=metric,
        named_metric=named is not None,
        counts=counts,
        named=wanted.named,
        members=ids,
        seeds=tuple(seed_of.values()),
        size=size,
        groups=tuple(tuple(seed_of[at] for at in group) for group in groups),
        standing=Standing(
            task=task,
            metric=metric,
            variants=_estimates(members, measures, counts is not None),
            baselines=baselines_of(task, corpus, tokens, metric, measures, store.folder),
            in_train=f"{task.in_train(corpus)} {ONE_MODEL if len(seeds) > 1 else ONE_RUN}",
            finer_parts=units.finer_parts,
        ),
        pairings=tuple(_pairings(judged, groups, measures, metric)) if groups else (),
        rivalries=tuple(rivalries(_rivalling(judged, members, scored, size), list(rivals), measures, metric)),
        unit=measures["all"].unit,
        new_items=units.new_items,
        warnings=(
            *(sentence for each in eligible.values() for sentence in each.warnings),
            *_warnings(members, len(seeds), size, len(groups)),
        ),
        store=store,
    )


def disjoint(places: Sequence[int], size: int) -> list[tuple[int, ...]]:
    """Groups of `size` places each; no place is in two groups, and those left over are in none."""
    return [tuple(places[at : at + size]) for at in range(0, len(places) - size + 1, size)]


def _seeds(members: Members) -> list[tuple[int, int]]:
    """The places at which every variant has a run, each with its seed."""
    columns = zip(*members.values(), strict=True)
    return [(at, runs[0].seed) for at, runs in enumerate(columns) if all(runs) and runs[0]]


def _whole(name: str, runs: Sequence[Run | None], what: str = "ensemble") -> str:
    """What all runs together are called; one run alone is what it is."""
    return name if len(runs) == 1 else f"{name}, {what} of {sum(run is not None for run in runs)}"


def _grouped(name: str) -> str:
    return f"{name}, in groups"


def _hybrid(name: str) -> str:
    return f"{name}, hybrid with n-grams"


def _rivalling(names: Sequence[str], members: Members, scored: Mapping[str, object], size: int) -> dict[str, str]:
    """What stands against the baselines, and what each is called."""
    found: dict[str, str] = {}
    for name in names:
        whole = _whole(name, members[name])
        found |= {
            name: f"{name}, single models",
            _grouped(name): f"{name}, ensembles of {size}",
            whole: whole,
            _hybrid(name): f"{_hybrid(name)}, single models",
            _hybrid(whole): _hybrid(whole),
        }
    return {name: called for name, called in found.items() if name in scored}


def _estimates(members: Members, measures: Mapping[str, Measure], hybrid: bool) -> dict[str, dict[str, Estimate]]:
    """What ensembles of all runs score, and the mean of the runs; and the same mixed with n-grams."""
    found: dict[str, dict[str, Estimate]] = {}
    for name, runs in members.items():
        whole = _whole(name, runs)
        mean = _whole(name, runs, "mean")
        for made in (str, _hybrid) if hybrid else (str,):
            found[made(whole)] = {part: measure.over_items(made(whole)) for part, measure in measures.items()}
            if mean != whole:
                found[made(mean)] = {part: measure.estimate(made(name)) for part, measure in measures.items()}
    return found


def _pairings(
    names: Sequence[str], groups: Sequence[Sequence[int]], measures: Mapping[str, Measure], metric: Metric
) -> list[Pairing]:
    """Ensembles of groups against the single models of the same groups, and against those of the first variant."""

    def single(measure: Measure, name: str) -> Array:
        return np.stack([measure.matrices[name][list(group)].mean(axis=0) for group in groups])

    count = 2 * len(names) - 1

    def pairing(name: str, against: str) -> Pairing:
        parts = {}
        for part, measure in measures.items():
            other = single(measure, name) if against == SINGLE else measure.matrices[_grouped(names[0])]
            matrix = measure.matrices[_grouped(name)]
            parts[part] = paired(
                matrix,
                other,
                measure.weights,
                better=metric.better,
                comparisons=count,
                strata=measure.strata,
                rows=ROWS,
            )
        return Pairing(name, against, parts)

    found = [pairing(name, SINGLE) for name in names]
    found += [pairing(name, f"ensembles of {names[0]}") for name in names[1:]]
    adjusted = holm([each.whole.p for each in found])
    return [replace(each, p=p) for each, p in zip(found, adjusted, strict=True)]


def _warnings(members: Members, seeds: int, size: int, groups: int) -> list[str]:
    said = []
    for name, runs in members.items():
        failed = list(runs).count(None)
        if failed:
            said.append(f"{name} finished {len(runs) - failed} of {len(runs)} seeds, and only these are averaged.")
    if seeds < 2:
        return said
    if groups < LEAST_SEEDS:
        said.append(
            f"There is no verdict on ensembles of {size}: {seeds} seeds make {groups} of them that share no run, and "
            f"at least {LEAST_SEEDS} are needed, which takes {LEAST_SEEDS * size} seeds."
        )
    elif seeds % size:
        said.append(f"{seeds % size} of {seeds} seeds are in no group of {size}; the ensemble of all runs has them.")
    return said
