"""Making an atlas: what can be trained is trained, and whatever cannot has a row with the reason."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from oratory.comparisons.atlas.design import CONTROLS, AtlasDesign, AtlasEntry
from oratory.comparisons.atlas.facts import FAILED, GIVEN, JUDGED, LEAKS, REFUSED, SLOW, TUNED, Atlas, AtlasRow, Effect
from oratory.comparisons.atlas.kept import KeptAtlas, KeptRow, read_times, write_times
from oratory.comparisons.comparison import Comparison, VariantFacts
from oratory.comparisons.design import BASE, Variant
from oratory.comparisons.make import Listener, evaluate
from oratory.errors import Failed, InputError
from oratory.execution.jobs import Executor, Job, Shared, work_through
from oratory.execution.machine import versions
from oratory.execution.ready import check_room, is_finished, ready
from oratory.execution.timing import short_training
from oratory.mechanisms import REGISTRY
from oratory.mechanisms.plugins import blame
from oratory.runs import Run, Store
from oratory.statistics import false_discovery
from oratory.text import reload_corpus
from oratory.text.recorded import RecordedCorpus
from oratory.training.origins import contract_of
from oratory.training.prepared import Prepared
from oratory.training.tasks import task_of

Tune = Callable[[Sequence[Variant]], Mapping[str, Variant | str]]
"""Gives the tuned variant for each name, or the reason why there is none."""
Named = Mapping[str, Sequence[Run | None]]


@dataclass(frozen=True)
class Surveyed:
    """A mechanism before training: what it costs, or why it is not trained."""

    variant: Variant
    entry: AtlasEntry | None = None
    status: str = JUDGED
    reason: str = ""
    prepared: Prepared | None = None
    seconds: float = 0.0
    """What a run takes of the processor, about."""
    update: float | None = None

    @property
    def parameters(self) -> int | None:
        return self.prepared.parameters.total if self.prepared else None


@dataclass(frozen=True)
class Survey:
    """All of them, and what is still to be trained."""

    found: tuple[Surveyed, ...]
    """The base first, the controls last."""
    missing: int
    had: int
    seconds: float
    """Of the processor, for all runs that are missing."""

    @property
    def trained(self) -> tuple[Surveyed, ...]:
        return tuple(each for each in self.found if each.status == JUDGED)


def survey(design: AtlasDesign, store: Store, here: bool = True, say: Callable[[str], None] = lambda _: None) -> Survey:
    """Try the contract of every mechanism and time a few updates. Nothing is trained to the end."""
    design.task.need_test(design.corpus)
    times = read_times(design.id, store)
    base = _surveyed(design, None, times, store, say)
    if base.status != JUDGED:
        raise InputError(f"The base settings cannot be compared with: {base.reason}")
    found = [base, *(_surveyed(design, entry, times, store, say, base.update) for entry in design.entries)]
    found += [replace(base, variant=replace(base.variant, name=name)) for name in CONTROLS]
    trained = [each for each in found if each.status == JUDGED]
    prepared = [each.prepared for each in trained if each.prepared]
    check_room(prepared, design.seeds, store, here)
    missing = [
        each.seconds
        for each in trained
        for seed in design.seeds_of(each.variant.name)
        if each.prepared and not is_finished(replace(each.prepared, seed=seed), store, here)
    ]
    return Survey(tuple(found), len(missing), len(trained) * len(design.seeds) - len(missing), sum(missing))


def _surveyed(
    design: AtlasDesign,
    entry: AtlasEntry | None,
    times: dict[str, tuple[float, float]],
    store: Store,
    say: Callable[[str], None],
    usual: float | None = None,
) -> Surveyed:
    """One mechanism; whatever its code raises is the reason in its row."""
    variant = design.variant(entry)
    made = Surveyed(variant, entry)
    try:
        contract = contract_of(design.task, variant.settings)
        if contract is not None and contract.leaks:
            return replace(made, status=LEAKS, reason=f"it sees the future. {contract.declared[0]}")
        made = replace(made, prepared=ready(design.task, design.corpus, variant.settings))
        if variant.name not in times:
            say(f"Timing a few updates of {variant.name} ...")
            timed = short_training(design.task.name, design.corpus, variant.settings)
            times[variant.name] = (timed.processor, timed.update)
            write_times(design.id, store, times)
    except InputError as error:
        return replace(made, status=REFUSED, reason=str(error))
    except Exception as error:  # A user's own mechanism may raise anything.
        return replace(made, status=FAILED, reason=blame(error) or f"{type(error).__name__}: {error}")
    seconds, update = times[variant.name]
    made = replace(made, seconds=seconds, update=update)
    if usual and update > design.limit * usual:
        why = f"an update costs {update / usual:.1f} times that of the base settings, and the limit is {design.limit:g}"
        return replace(made, status=SLOW, reason=why)
    return made


@dataclass
class _Trained:
    """The runs of one family, and why those that are missing failed."""

    variants: dict[str, Variant]
    runs: dict[str, list[Run | None]] = field(default_factory=dict)
    problems: dict[str, list[str]] = field(default_factory=dict)


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
    kept = _kept(design, surveyed, families, lost, tuple(tuned))
    kept.write(store)
    return _atlas(design, kept, {name: family.runs for name, family in families.items()}, store)


def train_family(
    design: AtlasDesign, variants: Mapping[str, Variant], store: Store, executor: Executor, listen: Listener | None
) -> _Trained:
    """All variants with all seeds. A variant whose runs all fail keeps the others from nothing."""
    jobs = [
        Job(name, design.task.name, dict(variant.settings), design.seeds_of(name)[at])
        for at in range(len(design.seeds))
        for name, variant in variants.items()
    ]
    shared = Shared(design.corpus, str(store.folder.resolve()), design.plugins)
    found = work_through(jobs, shared, executor, listen or (lambda event: None))
    made = _Trained(dict(variants))
    for job in jobs:
        outcome = found[job.variant, job.seed]
        made.runs.setdefault(job.variant, []).append(None if outcome.run is None else store.open(outcome.run))
        if outcome.run is None:
            made.problems.setdefault(job.variant, []).append(f"seed {job.seed}: {outcome.problem}")
    if BASE in made.runs and not any(made.runs[BASE]):
        raise Failed(f"Every run of the base settings failed: {made.problems[BASE][0]}")
    return made


def _kept(
    design: AtlasDesign,
    surveyed: Survey,
    families: Mapping[str, _Trained],
    lost: Mapping[str, str],
    tune: tuple[str, ...],
) -> KeptAtlas:
    """What is written down, so that a report can be made of it at any time."""
    rows = []
    for each in surveyed.found:
        name = each.variant.name
        having = {family: made for family, made in families.items() if name in made.runs}
        rows.append(
            KeptRow(
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
    return KeptAtlas(
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


def _atlas(design: AtlasDesign, kept: KeptAtlas, runs: Mapping[str, Named], store: Store) -> Atlas:
    """What the runs show."""
    named = {f"{row.kind}={row.mechanism}" if row.kind else row.mechanism: row for row in kept.rows}
    compared: dict[str, Comparison] = {}
    for family, found in runs.items():
        done = {name: each for name, each in found.items() if any(each)}
        if len(done) < 2:
            raise Failed("Every run but those of the base settings failed, so there is nothing to compare.")
        variants = [Variant(name, named[name].settings[family]) for name in done]
        compared[family] = evaluate(design.family(variants), done, {}, store)
    effects = {family: _effects(comparison) for family, comparison in compared.items()}
    facts = {family: {each.name: each for each in made.variants} for family, made in compared.items()}
    usual = named[BASE].update
    rows = {name: _row(name, row, usual, effects, facts) for name, row in named.items()}
    mechanisms = [row for name, row in rows.items() if name not in (BASE, *CONTROLS)]
    first = next(iter(compared.values()))
    sign = -1.0 if first.metric.better == "higher" else 1.0

    def place(row: AtlasRow) -> tuple[bool, float]:
        """The best first, and last what has no effect."""
        return row.effect is None, sign * row.effect.difference if row.effect else 0.0

    return Atlas(
        id=kept.id,
        task=design.task,
        corpus=first.corpus,
        fingerprint=first.fingerprint,
        source=first.source,
        metric=first.metric,
        seeds=kept.seeds,
        settings=kept.settings,
        only=kept.only,
        limit=kept.limit,
        rows=tuple(sorted(mechanisms, key=place)),
        controls=tuple(rows[name] for name in CONTROLS if name in rows),
        base=rows[BASE],
        base_means={
            family: first.metric.value(made.variants[0].whole.estimate.mean) for family, made in compared.items()
        },
        versions=kept.versions,
        made=kept.made,
        tune=kept.tune,
        in_train=first.in_train,
        new_items=first.new_items,
        plugins=tuple(path for path, _ in design.plugins),
        families=compared,
    )


def _effects(comparison: Comparison) -> dict[str, Effect]:
    """The effect of each variant that has one."""
    differences = [variant.whole.difference for variant in comparison.variants]
    discovery = false_discovery([found.p if found else None for found in differences])
    made = {}
    for variant, found, share in zip(comparison.variants, differences, discovery, strict=True):
        if found is not None:
            made[variant.name] = Effect(
                seeds=found.seeds,
                mean=comparison.metric.value(variant.whole.estimate.mean),
                difference=found.mean,
                interval=found.interval,
                wins=found.wins,
                p=found.p,
                holm=variant.p,
                discovery=share,
                verdict=variant.verdict,
                text=comparison.verdict_text(variant),
            )
    return made


def _row(
    name: str,
    row: KeptRow,
    usual: float | None,
    effects: Mapping[str, Mapping[str, Effect]],
    facts: Mapping[str, Mapping[str, VariantFacts]],
) -> AtlasRow:
    own = {family: found[name] for family, found in effects.items() if name in found}
    status, reason = row.status, row.reason
    if row.problems and own:
        failed = sum(runs.count(None) for runs in row.runs.values())
        reason = f"{failed} of {sum(map(len, row.runs.values()))} runs failed and are left out ({row.problems[0]})"
    elif row.problems:
        status, reason = FAILED, row.problems[0]
    elif not own and status == JUDGED and name != BASE:
        said = [found[name].no_verdict for found in facts.values() if name in found]
        status, reason = REFUSED, next(filter(None, said), "no seed was finished on both sides")
    return AtlasRow(
        kind=row.kind,
        mechanism=row.mechanism,
        status=status,
        reason=reason,
        parameters=row.parameters,
        update=row.update,
        cost=row.update / usual if row.update and usual else None,
        effects=own,
        paper=REGISTRY[row.kind][row.mechanism].paper if row.kind and row.mechanism in REGISTRY[row.kind] else "",
    )


def load_atlas(name: str, store: Store) -> Atlas:
    """An atlas that was made before, worked out again from its runs."""
    kept = KeptAtlas.read(name, store)
    runs: dict[str, dict[str, list[Run | None]]] = {}
    for row in kept.rows:
        called = f"{row.kind}={row.mechanism}" if row.kind else row.mechanism
        for family, ids in row.runs.items():
            runs.setdefault(family, {})[called] = [store.open(each) if each else None for each in ids]
    return _atlas(load_design(name, store), kept, runs, store)


def load_design(name: str, store: Store) -> AtlasDesign:
    """What an atlas that was made before compared."""
    kept = KeptAtlas.read(name, store)
    return AtlasDesign(
        task=task_of(kept.task),
        corpus=reload_corpus("atlas", name, kept.corpus.source, kept.corpus.fingerprint),
        entries=tuple(AtlasEntry(row.kind, row.mechanism) for row in kept.rows if row.kind),
        seeds=kept.seeds,
        settings=kept.settings,
        metric=kept.metric,
        plugins=tuple((path, content) for path, content in kept.plugins),
        limit=kept.limit,
        only=kept.only,
    )
