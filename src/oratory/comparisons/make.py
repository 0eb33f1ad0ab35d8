"""Making a comparison: every variant with every seed, and what that shows."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from oratory.comparisons.comparison import Comparison, Part, VariantFacts
from oratory.comparisons.design import Design, Variant
from oratory.comparisons.measures import Measure, measures_of, same_tokens
from oratory.errors import Failed, InputError
from oratory.execution.jobs import Executor, Job, Outcome, Planned, Shared, Step, work_through
from oratory.files import read_text, write_text
from oratory.runs import Run, Store
from oratory.statistics import holm, paired, verdict
from oratory.text import Corpus, reload_corpus
from oratory.training.tasks import task_of
from oratory.training.tasks.metric import Metric

FOLDER = "comparisons"
BASELINES = "baselines"
"""The folder in the store where baselines are kept."""

Listener = Callable[[Planned | Step | Outcome], None]
Runs = Mapping[str, Sequence[Run | None]]


def compare(design: Design, store: Store, executor: Executor, listen: Listener | None = None) -> Comparison:
    """Train what is missing, and say what it shows. The same comparison again continues where it stopped."""
    design.check()
    jobs = [
        Job(variant.name, design.task.name, design.of(variant), seed)
        for seed in design.seeds
        for variant in design.variants
    ]
    runs, problems = train_all(jobs, design.corpus, store, executor, listen, design.plugins)
    comparison = evaluate(design, runs, problems, store)
    _write(comparison, design, store)
    return comparison


def train_all(
    jobs: Sequence[Job],
    corpus: Corpus,
    store: Store,
    executor: Executor,
    listen: Listener | None = None,
    plugins: tuple[tuple[str, str], ...] = (),
) -> tuple[dict[str, list[Run | None]], dict[str, str]]:
    """The runs of every variant in the order of its jobs, and why those that are missing failed."""
    shared = Shared(corpus, str(store.folder.resolve()), plugins)
    found = work_through(jobs, shared, executor, listen or (lambda event: None))
    problems = {f"{name}, seed {seed}": out.problem for (name, seed), out in sorted(found.items()) if out.run is None}
    runs: dict[str, list[Run | None]] = {}
    for job in jobs:
        run = found[job.variant, job.seed].run
        runs.setdefault(job.variant, []).append(None if run is None else store.open(run))
    lost = [name for name, entries in runs.items() if not any(entries)]
    if lost:
        raise Failed(f"Every run of {lost[0]!r} failed: {next(iter(problems.values()))}")
    return runs, problems


def evaluate(design: Design, runs: Runs, problems: Mapping[str, str], store: Store) -> Comparison:
    """What the runs show."""
    metric = design.task.metric(same_tokens(runs), design.metric)
    measures = measures_of(design.task, metric, design.corpus, runs)
    first, *others = design.variants
    facts = [_facts(first, None, runs[first.name], measures, metric, len(others))]
    compared = [_facts(variant, first, runs[variant.name], measures, metric, len(others)) for variant in others]
    adjusted = holm([entry.whole.difference.p if entry.whole.difference else None for entry in compared])
    for entry, p in zip(compared, adjusted, strict=True):
        assert entry.whole.difference is not None
        facts.append(replace(entry, p=p, verdict=verdict(entry.whole.difference, p)))
    tokenizers = [run.settings["tokenizer"] for found in runs.values() for run in found if run]
    baselines = design.task.baselines(design.corpus, tokenizers, store.folder / BASELINES)
    weights = {name: float(measure.weights.sum()) for name, measure in measures.items()}
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
        baselines=metric.of_baselines(baselines, weights),
        problems=dict(problems),
        plugins=tuple(path for path, _ in design.plugins),
        store=store,
    )


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
        if baseline is not None:
            matrix, other = measure.matrices[variant.name], measure.matrices[baseline.name]
            difference = paired(matrix, other, measure.weights, better=metric.better, comparisons=comparisons)
        parts[name] = Part(measure.estimate(variant.name), difference)
    done = next(run for run in runs if run)
    return VariantFacts(
        name=variant.name,
        settings=variant.settings,
        runs=tuple(run.id if run else None for run in runs),
        parameters=done.record.parameters.total,
        parts=parts,
        search=variant.search,
    )


def _write(comparison: Comparison, design: Design, store: Store) -> None:
    """Write down what was compared, so that a report can be made of it at any time."""
    kept = {
        "format": 1,
        "id": comparison.id,
        "task": design.task.name,
        "corpus": {
            "name": comparison.corpus,
            "fingerprint": comparison.fingerprint,
            "source": comparison.source,
        },
        "variants": [
            {"name": v.name, "settings": dict(v.settings), "search": v.search, "runs": list(v.runs)}
            for v in comparison.variants
        ],
        "seeds": list(design.seeds),
        "settings": dict(design.settings),
        "metric": design.metric,
        "plugins": [list(plugin) for plugin in design.plugins],
        "problems": dict(comparison.problems),
    }
    write_text(store.folder / FOLDER / f"{comparison.id}.json", json.dumps(kept, indent=1, ensure_ascii=False))


def comparisons_in(store: Store) -> list[str]:
    """The comparisons of a store."""
    return sorted(found.stem for found in (store.folder / FOLDER).glob("*.json"))


def load_comparison(name: str, store: Store) -> Comparison:
    """A comparison that was made before, worked out again from its runs."""
    if name not in comparisons_in(store):
        known = ", ".join(comparisons_in(store)) or "none"
        raise InputError(f"There is no comparison {name!r} in {store.folder}. Known: {known}.")
    kept = json.loads(read_text(store.folder / FOLDER / f"{name}.json"))
    corpus = reload_corpus("comparison", name, kept["corpus"]["source"], kept["corpus"]["fingerprint"])
    design = Design(
        task=task_of(kept["task"]),
        corpus=corpus,
        variants=tuple(Variant(entry["name"], entry["settings"], entry.get("search")) for entry in kept["variants"]),
        seeds=tuple(kept["seeds"]),
        settings=kept["settings"],
        metric=kept.get("metric"),
        plugins=tuple((path, content) for path, content in kept.get("plugins", ())),
    )
    runs = {entry["name"]: [store.open(run) if run else None for run in entry["runs"]] for entry in kept["variants"]}
    return replace(evaluate(design, runs, kept["problems"], store), id=name)
