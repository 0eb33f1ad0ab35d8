"""Making a study of scale: every variant with every seed on every part of train, and what that shows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from oratory.comparisons.design import Variant
from oratory.comparisons.eligibility import eligibility_of
from oratory.comparisons.make import Listener, problems_of, train_all
from oratory.comparisons.measures import measures_of, tokens_of
from oratory.comparisons.scales.design import ScaleDesign
from oratory.comparisons.scales.facts import CrossingFacts, CurveFacts, Scale, SizeFacts
from oratory.comparisons.scales.record import CurveRecord, ScaleRecord
from oratory.comparisons.standing import baselines_of
from oratory.execution.jobs import Executor, Job
from oratory.runs import Run, Store
from oratory.statistics import Estimate
from oratory.statistics.curves import crossing_of, line_of
from oratory.text import Corpus
from oratory.text.recorded import RecordedCorpus
from oratory.training.tasks import task_of
from oratory.training.tasks.metric import Metric

PartRuns = Mapping[str, Sequence[Run | None]]
"""By variant, and by seed."""


def scale(design: ScaleDesign, store: Store, executor: Executor, listen: Listener | None = None) -> Scale:
    """Train what is missing, and say what it shows. The same study again continues where it stopped."""
    design.check(store, getattr(executor, "here", False))
    runs: list[PartRuns] = []
    problems: dict[str, str] = {}
    for share, part in zip(design.shares, design.parts, strict=True):
        jobs = [
            Job(variant.name, design.task.name, design.of(variant), seed)
            for seed in design.seeds
            for variant in design.variants
        ]
        found, failed = train_all(jobs, part, store, executor, listen, design.plugins)
        runs.append(found)
        problems |= {f"{share:g} of train, {where}": why for where, why in problems_of(found, failed).items()}
    made = _evaluate(design, runs, problems, store)
    _record(made, design).write(store)
    return made


def load_scale(name: str, store: Store) -> Scale:
    """A study that was made before, worked out again from its runs."""
    record = ScaleRecord.read(name, store)
    design = ScaleDesign(
        task=task_of(record.task),
        corpus=record.load_corpus(),
        variants=tuple(Variant(curve.name, curve.settings) for curve in record.variants),
        shares=record.shares,
        seeds=record.seeds,
        settings=record.settings,
        metric=record.metric,
        plugins=record.plugin_files,
    )
    runs = [
        {curve.name: record.open_runs(curve.runs[at], store, record.seeds, part) for curve in record.variants}
        for at, part in enumerate(design.parts)
    ]
    return replace(_evaluate(design, runs, record.problems, store), id=name)


def _evaluate(design: ScaleDesign, runs: Sequence[PartRuns], problems: Mapping[str, str], store: Store) -> Scale:
    task = design.task
    metric = task.metric(same_tokens=False, name=design.metric)
    points = [_point(design, metric, part, found, store) for part, found in zip(design.parts, runs, strict=True)]
    sizes = tuple(
        SizeFacts(share, task.train_size(part)[0], part.fingerprint)
        for share, part in zip(design.shares, design.parts, strict=True)
    )
    curves = []
    for name in points[0]:
        estimates, seeds = zip(*(point[name] for point in points), strict=True)
        variant = next((each for each in design.variants if each.name == name), None)
        figures = [metric.value(found.mean) for found in estimates]
        line = line_of([size.size for size in sizes], figures, metric.better == "lower")
        of_runs = () if variant is None else tuple(tuple(run.id if run else None for run in r[name]) for r in runs)
        settings = {} if variant is None else variant.settings
        curves.append(CurveFacts(name, estimates, seeds, line, variant is None, settings, of_runs))
    judged = [variant.name for variant in design.variants]
    eligible = {name: eligibility_of(name, task, [run for r in runs for run in r[name]]) for name in judged}
    return Scale(
        id=design.id,
        task=task,
        corpus=design.corpus.name,
        fingerprint=design.corpus.fingerprint,
        source=design.corpus.source,
        metric=metric,
        named_metric=design.metric is not None,
        noun=task.train_size(design.corpus)[1],
        sizes=sizes,
        seeds=design.seeds,
        settings=dict(design.settings),
        curves=tuple(curves),
        crossings=tuple(
            _crossings(
                [curve for curve in curves if curve.baseline or not eligible[curve.name].no_verdict], sizes, metric
            )
        ),
        new_items=task.units(design.corpus).new_items,
        problems=dict(problems),
        warnings=(
            *(sentence for each in eligible.values() for sentence in each.warnings),
            f"Seen: {task.in_train(design.corpus)} A larger part of train has more of these, which is memory.",
            *(f"Failed: {where}: {why}" for where, why in problems.items()),
        ),
        plugins=tuple(path for path, _ in design.plugins),
        store=store,
    )


def _point(
    design: ScaleDesign, metric: Metric, part: Corpus, runs: PartRuns, store: Store
) -> dict[str, tuple[Estimate, tuple[float, ...]]]:
    """What every variant and every baseline scores on test after one part of train: a mean, and that of each seed."""
    measures = measures_of(design.task, metric, part, runs)
    whole = measures["all"]
    shares = whole.weights / whole.weights.sum()
    found = {name: (whole.estimate(name), tuple((whole.matrices[name] @ shares).tolist())) for name in runs}
    for name, values in baselines_of(design.task, part, tokens_of(runs), metric, measures, store.folder).items():
        value = values.get("all")
        if value is not None:
            mean = metric.mean(value)
            # Which order is best on dev depends on the size.
            found[re.sub(r"-\d+\b", "", name)] = Estimate(mean, None, None, None, 1, len(whole.weights), 0), (mean,)
    return found


def _crossings(curves: Sequence[CurveFacts], sizes: Sequence[SizeFacts], metric: Metric) -> list[CrossingFacts]:
    """Where a variant crosses another one or a baseline. Two baselines have no seeds, so they are not compared."""
    at = [float(size.size) for size in sizes]
    found = []
    for first, second in combinations(curves, 2):
        if first.baseline and second.baseline:
            continue
        left, right = (np.array(curve.seeds, np.float64).T for curve in (first, second))
        seeds = max(len(left), len(right))
        left, right = (np.repeat(of, seeds // len(of), axis=0) for of in (left, right))
        crossing = crossing_of(at, left, right)
        if crossing is not None:
            ahead = crossing.first_above == (metric.better == "higher")
            below, above = (second, first) if ahead else (first, second)
            found.append(CrossingFacts(below.name, above.name, crossing))
    return found


def _record(made: Scale, design: ScaleDesign) -> ScaleRecord:
    return ScaleRecord(
        id=made.id,
        task=made.task.name,
        corpus=RecordedCorpus(made.corpus, made.fingerprint, made.source),
        variants=tuple(CurveRecord(c.name, dict(c.settings), c.runs) for c in made.curves if not c.baseline),
        shares=design.shares,
        seeds=design.seeds,
        settings=dict(design.settings),
        metric=design.metric,
        plugins=design.plugins,
        problems=dict(made.problems),
    )
