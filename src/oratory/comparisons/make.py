"""Making a comparison: every variant with every seed, and what that shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from oratory.comparisons.comparison import BASELINE, NONE, Comparison, Part, VariantFacts
from oratory.comparisons.design import Design, Variant
from oratory.comparisons.eligibility import Eligibility, eligibility_of
from oratory.comparisons.measures import Measure, measures_of, tokens_of
from oratory.comparisons.record import ComparisonRecord, VariantRecord
from oratory.comparisons.standing import baselines_of
from oratory.comparisons.warnings import looked_before, unequal_train, warnings_of
from oratory.errors import Failed
from oratory.execution.jobs import Executor, Job, JobsPlanned, Outcome, Shared, Step, work_through
from oratory.execution.ready import is_finished
from oratory.runs import Run, Store
from oratory.statistics import holm, paired, verdict
from oratory.text import Corpus
from oratory.text.recorded import RecordedCorpus
from oratory.training.config import EVAL_TRAIN
from oratory.training.tasks import task_of
from oratory.training.tasks.metric import Metric

Listener = Callable[[JobsPlanned | Step | Outcome], None]
SeedRuns = Mapping[str, Sequence[Run | None]]


def compare(design: Design, store: Store, executor: Executor, listen: Listener | None = None) -> Comparison:
    """Train what is missing, and say what it shows. The same comparison again continues where it stopped."""
    here = getattr(executor, "here", False)
    design.check()
    design.check_room(store, here)
    runs, failed = train_all(_jobs(design, store, here), design.corpus, store, executor, listen, design.plugins)
    comparison = evaluate(design, runs, problems_of(runs, failed), store)
    _record(comparison, design).write(store)
    return comparison


def _jobs(design: Design, store: Store, here: bool) -> list[Job]:
    """Every variant with every seed. A run of the store that also measured train on the way serves as well."""
    jobs = []
    for seed in design.seeds:
        for variant, prepared in zip(design.variants, design.prepared, strict=True):
            settings = design.of(variant)
            fuller = replace(prepared, seed=seed, training=replace(prepared.training, eval_train=True))
            if not prepared.training.eval_train and is_finished(fuller, store, here):
                settings |= {EVAL_TRAIN: "on"}
            jobs.append(Job(variant.name, design.task.name, settings, seed))
    return jobs


def train_all(
    jobs: Sequence[Job],
    corpus: Corpus,
    store: Store,
    executor: Executor,
    listen: Listener | None = None,
    plugins: tuple[tuple[str, str], ...] = (),
) -> tuple[dict[str, list[Run | None]], dict[tuple[str, int], str]]:
    """The runs of every variant in the order of its jobs, and why those that are None failed, by variant and seed."""
    shared = Shared(corpus, str(store.folder.resolve()), plugins)
    found = work_through(jobs, shared, executor, listen or (lambda event: None))
    runs: dict[str, list[Run | None]] = {}
    failed: dict[tuple[str, int], str] = {}
    for job in jobs:
        outcome = found[job.variant, job.seed]
        runs.setdefault(job.variant, []).append(None if outcome.run is None else store.open(outcome.run))
        if outcome.run is None:
            failed[job.variant, job.seed] = outcome.problem
    return runs, failed


def problems_of(runs: SeedRuns, failed: Mapping[tuple[str, int], str]) -> dict[str, str]:
    """Why runs failed, in words; Failed is raised where a variant has no run at all."""
    problems = {f"{name}, seed {seed}": why for (name, seed), why in sorted(failed.items())}
    lost = [name for name, entries in runs.items() if not any(entries)]
    if lost:
        raise Failed(f"Every run of {lost[0]!r} failed: {next(iter(problems.values()))}")
    return problems


def evaluate(design: Design, runs: SeedRuns, problems: Mapping[str, str], store: Store) -> Comparison:
    """What the runs show."""
    tokens = tokens_of(runs)
    metric = design.task.metric(tokens.same, design.metric)
    measures = measures_of(design.task, metric, design.corpus, runs)
    eligible = {name: eligibility_of(name, design.task, found) for name, found in runs.items()}
    units = design.task.units(design.corpus)
    facts = _verdicts(design.variants, runs, measures, metric, eligible, units.no_verdict)
    return Comparison(
        id=design.id,
        task=design.task,
        corpus=design.corpus.name,
        fingerprint=design.corpus.fingerprint,
        source=design.corpus.source,
        metric=metric,
        named_metric=design.metric is not None,
        seeds=design.seeds,
        settings=dict(design.settings),
        variants=tuple(facts),
        baselines=baselines_of(design.task, design.corpus, tokens, metric, measures, store.folder),
        in_train=design.task.in_train(design.corpus),
        vocabulary=tokens.fingerprints,
        unit=measures["all"].unit,
        groups=units.groups.count if units.groups else None,
        new_items=units.new_items,
        finer_parts=units.finer_parts,
        problems=dict(problems),
        warnings=(
            *(sentence for each in eligible.values() for sentence in each.warnings),
            *warnings_of(facts, design.seeds, problems),
            *unequal_train(design, runs),
            *looked_before(design, store),
        ),
        plugins=tuple(path for path, _ in design.plugins),
        store=store,
    )


def _verdicts(
    variants: Sequence[Variant],
    runs: SeedRuns,
    measures: Mapping[str, Measure],
    metric: Metric,
    eligible: Mapping[str, Eligibility],
    of_all: str,
) -> list[VariantFacts]:
    """Every variant against the first one. One that may get no verdict has no difference, and none counts for Holm.

    `of_all` says why none gets one, if none does.
    """
    first, *others = variants
    lost = eligible[first.name].no_verdict
    of_all = f"the baseline is {lost}" if lost else of_all
    reasons = {variant.name: eligible[variant.name].no_verdict or of_all for variant in others}
    judged = sum(not reason for reason in reasons.values())
    facts = [_facts(first, None, runs[first.name], measures, metric, judged)]
    if lost:
        facts[0] = replace(facts[0], verdict=f"{BASELINE}, {lost}", no_verdict=lost)
    for variant in others:
        against = None if reasons[variant.name] else first
        facts.append(_facts(variant, against, runs[variant.name], measures, metric, judged))
    adjusted = holm([entry.whole.difference.p if entry.whole.difference else None for entry in facts])
    for at, p in enumerate(adjusted[1:], 1):
        entry, reason = facts[at], reasons[facts[at].name]
        found = entry.whole.difference
        said = eligible[entry.name].no_verdict or (f"none: {reason}" if reason else NONE)
        facts[at] = replace(entry, p=p, verdict=verdict(found, p) if found else said, no_verdict=reason)
    return facts


def _facts(
    variant: Variant,
    baseline: Variant | None,
    runs: Sequence[Run | None],
    measures: Mapping[str, Measure],
    metric: Metric,
    comparisons: int,
) -> VariantFacts:
    parts = {}
    for name, measure in measures.items():
        difference = None
        if baseline is not None and measure.paired_seeds(variant.name, baseline.name):
            matrix, other = measure.matrices[variant.name], measure.matrices[baseline.name]
            difference = paired(
                matrix,
                other,
                measure.weights,
                better=metric.better,
                comparisons=comparisons,
                strata=measure.strata,
            )
        parts[name] = Part(measure.estimate(variant.name), difference, measure.unit)
    done = next(run for run in runs if run)
    return VariantFacts(
        name=variant.name,
        settings=variant.settings,
        runs=tuple(run.id if run else None for run in runs),
        parameters=done.record.parameters.total,
        parts=parts,
        search=variant.search,
    )


def _record(comparison: Comparison, design: Design) -> ComparisonRecord:
    """What is written down, so that a report can be made of it at any time."""
    return ComparisonRecord(
        id=comparison.id,
        task=design.task.name,
        corpus=RecordedCorpus(comparison.corpus, comparison.fingerprint, comparison.source),
        variants=tuple(VariantRecord(v.name, dict(v.settings), v.runs, v.search) for v in comparison.variants),
        seeds=design.seeds,
        settings=dict(design.settings),
        metric=design.metric,
        plugins=design.plugins,
        problems=dict(comparison.problems),
    )


def load_comparison(name: str, store: Store) -> Comparison:
    """A comparison that was made before, worked out again from its runs."""
    record = ComparisonRecord.read(name, store)
    design = Design(
        task=task_of(record.task),
        corpus=record.load_corpus(),
        variants=tuple(Variant(entry.name, entry.settings, entry.search) for entry in record.variants),
        seeds=record.seeds,
        settings=record.settings,
        metric=record.metric,
        plugins=record.plugin_files,
    )
    return replace(evaluate(design, record.runs_in(store), record.problems, store), id=name)
