"""Making an atlas: what can be trained is trained, and whatever cannot has a row with the reason."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from oratory.comparisons.atlas.design import CONTROLS, AtlasDesign, AtlasEntry
from oratory.comparisons.atlas.evaluate import evaluate_atlas
from oratory.comparisons.atlas.facts import GIVEN, TUNED, Atlas
from oratory.comparisons.atlas.record import AtlasRecord, RowRecord
from oratory.comparisons.atlas.survey import Survey
from oratory.comparisons.design import BASE, Variant
from oratory.comparisons.make import Listener, train_all
from oratory.errors import Failed
from oratory.execution.jobs import Executor, Job
from oratory.runs import Run, Store
from oratory.text.recorded import RecordedCorpus
from oratory.training.tasks import task_of

Tune = Callable[[Sequence[Variant]], Mapping[str, Variant | str]]
"""Gives the tuned variant for each name, or the reason why there is none."""


@dataclass(frozen=True)
class _Trained:
    """The runs of one family, and why those that are missing failed."""

    variants: dict[str, Variant]
    runs: dict[str, list[Run | None]]
    problems: dict[str, list[str]]


def make_atlas(
    design: AtlasDesign,
    surveyed: Survey,
    store: Store,
    executor: Executor,
    listen: Listener | None = None,
    tune: Tune | None = None,
    tuned: Sequence[str] = (),
) -> Atlas:
    """Train what is missing, and say what it shows. The same atlas again continues where it stopped.

    `tune` searches settings for all variants; `tuned` says what, for the record.
    """
    variants = {each.variant.name: each.variant for each in surveyed.trained}
    families = {GIVEN: train_family(design, variants, store, executor, listen)}
    lost: dict[str, str] = {}
    if tune is not None:
        searched = [variant for name, variant in variants.items() if name not in CONTROLS]
        found = tune(searched)
        better = {name: variant for name, variant in found.items() if isinstance(variant, Variant)}
        lost = {name: reason for name, reason in found.items() if isinstance(reason, str)}
        if BASE in better:
            better |= {name: replace(better[BASE], name=name) for name in CONTROLS}
            families[TUNED] = train_family(design, better, store, executor, listen)
    record = _record(design, surveyed, families, lost, tuple(tuned))
    record.write(store)
    return evaluate_atlas(design, record, {name: family.runs for name, family in families.items()}, store)


def train_family(
    design: AtlasDesign, variants: Mapping[str, Variant], store: Store, executor: Executor, listen: Listener | None
) -> _Trained:
    """Train all variants with all seeds; the others go on where every run of one fails."""
    jobs = [
        Job(name, design.task.name, dict(variant.settings), design.seeds_of(name)[at])
        for at in range(len(design.seeds))
        for name, variant in variants.items()
    ]
    runs, failed = train_all(jobs, design.corpus, store, executor, listen, design.plugins)
    problems: dict[str, list[str]] = {}
    for (name, seed), why in failed.items():
        problems.setdefault(name, []).append(f"seed {seed}: {why}")
    if BASE in runs and not any(runs[BASE]):
        raise Failed(f"Every run of the base settings failed: {problems[BASE][0]}")
    return _Trained(dict(variants), runs, problems)


def _record(
    design: AtlasDesign,
    surveyed: Survey,
    families: Mapping[str, _Trained],
    lost: Mapping[str, str],
    tune: tuple[str, ...],
) -> AtlasRecord:
    """What is written down, so that a report can be made of it at any time."""
    rows = []
    for each in surveyed.found:
        name = each.variant.name
        having = {family: made for family, made in families.items() if name in made.runs}
        rows.append(
            RowRecord(
                kind=each.entry.kind if each.entry else "",
                mechanism=each.entry.mechanism if each.entry else name,
                status=each.status,
                reason=each.reason or (f"tuning failed: {lost[name]}" if name in lost else ""),
                parameters=each.parameters,
                update=each.update,
                runs={
                    family: tuple(run.id if run else None for run in made.runs[name]) for family, made in having.items()
                },
                settings={family: dict(made.variants[name].settings) for family, made in having.items()},
                problems=tuple(why for made in having.values() for why in made.problems.get(name, ())),
            )
        )
    from oratory.execution.machine import versions

    return AtlasRecord(
        id=design.id,
        task=design.task.name,
        corpus=RecordedCorpus(design.corpus.name, design.corpus.fingerprint, design.corpus.source),
        rows=tuple(rows),
        seeds=design.seeds,
        settings=dict(design.settings),
        only=design.only,
        limit=design.limit,
        metric=design.metric,
        tune=tune,
        plugins=design.plugins,
        versions=versions(),
        made=datetime.now(UTC).date().isoformat(),
    )


def load_atlas(name: str, store: Store) -> Atlas:
    """An atlas that was made before, worked out again from its runs."""
    record = AtlasRecord.read(name, store)
    design = design_of(record)
    runs: dict[str, dict[str, list[Run | None]]] = {}
    for row in record.rows:
        for family, ids in row.runs.items():
            found = record.open_runs(ids, store, design.seeds_of(row.name))
            runs.setdefault(family, {})[row.name] = found
    return evaluate_atlas(design, record, runs, store)


def design_of(record: AtlasRecord) -> AtlasDesign:
    """What an atlas that was made before compared."""
    return AtlasDesign(
        task=task_of(record.task),
        corpus=record.load_corpus(),
        entries=tuple(AtlasEntry(row.kind, row.mechanism) for row in record.rows if row.kind),
        seeds=record.seeds,
        settings=record.settings,
        metric=record.metric,
        plugins=record.plugin_files,
        limit=record.limit,
        only=record.only,
    )
