"""Making a comparison: every variant with every seed, and what that shows."""

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from oratory.baselines import Baselines, measure_baselines
from oratory.comparison.comparison import Comparison, Part, VariantFacts
from oratory.comparison.design import Design, Variant
from oratory.comparison.jobs import Executor, Job, Outcome, Shared, Step
from oratory.comparison.matrices import Measure, Metric, measures_of, metric_of
from oratory.comparison.statistics import holm, paired, single, verdict
from oratory.errors import Failed, InputError
from oratory.files import read_text, write_text
from oratory.runs import Run, Store
from oratory.text import Corpus, reload_corpus

FOLDER = "comparisons"


def compare(
    design: Design,
    store: Store,
    executor: Executor,
    listen: Callable[[Step | Outcome], None] | None = None,
    plugins: tuple[tuple[str, str], ...] = (),
) -> Comparison:
    """Train what is missing, and say what it shows. The same comparison again goes on where it stopped."""
    jobs = [
        Job(variant.name, design.task, design.of(variant), seed) for seed in design.seeds for variant in design.variants
    ]
    runs, problems = train_all(jobs, design.corpus, store, executor, listen, plugins)
    comparison = evaluate(design, runs, problems)
    _write(comparison, design, store)
    return comparison


def train_all(
    jobs: Sequence[Job],
    corpus: Corpus,
    store: Store,
    executor: Executor,
    listen: Callable[[Step | Outcome], None] | None = None,
    plugins: tuple[tuple[str, str], ...] = (),
) -> tuple[dict[str, list[Run | None]], dict[str, str]]:
    """The runs of every variant in the order of its jobs, and why those that are missing failed."""
    found: dict[tuple[str, int], Outcome] = {}
    for event in executor(jobs, Shared(corpus, str(store.folder.resolve()), plugins)):
        if listen:
            listen(event)
        if isinstance(event, Outcome):
            found[event.job.variant, event.job.seed] = event
    problems = {f"{name}, seed {seed}": out.problem for (name, seed), out in sorted(found.items()) if out.run is None}
    runs: dict[str, list[Run | None]] = {}
    for job in jobs:
        run = found[job.variant, job.seed].run
        runs.setdefault(job.variant, []).append(None if run is None else store.open(run))
    lost = [name for name, entries in runs.items() if not any(entries)]
    if lost:
        raise Failed(f"Every run of {lost[0]!r} failed: {next(iter(problems.values()))}")
    return runs, problems


def evaluate(design: Design, runs: Mapping[str, Sequence[Run | None]], problems: Mapping[str, str]) -> Comparison:
    """What the runs show."""
    tokenizers = {run.settings["tokenizer"] for entries in runs.values() for run in entries if run}
    metric = metric_of(design.task, tokenizers)
    measures = measures_of(metric, design.corpus, runs)
    first, *others = design.variants
    facts = [_facts(first, None, runs[first.name], measures, metric, len(others))]
    compared = [_facts(variant, first, runs[variant.name], measures, metric, len(others)) for variant in others]
    adjusted = holm([entry.whole.difference.p if entry.whole.difference else None for entry in compared])
    for entry, p in zip(compared, adjusted, strict=True):
        assert entry.whole.difference is not None
        facts.append(replace(entry, p=p, verdict=verdict(entry.whole.difference, p)))
    baselines = _baselines(metric, _measured(design, tokenizers), measures)
    return Comparison(
        id=f"compare-{_key(design)}",
        task=design.task,
        corpus=design.corpus.name,
        fingerprint=design.corpus.fingerprint,
        metric=metric,
        seeds=design.seeds,
        settings=dict(design.settings),
        variants=tuple(facts),
        baselines=baselines,
        problems=dict(problems),
    )


def _measured(design: Design, tokenizers: set[str]) -> Baselines:
    """The baselines of the task; the n-grams have the tokenizer of the runs, where they have one."""
    if design.task == "classifier":
        return measure_baselines(replace(design.corpus, lm=None))
    words = next(iter(tokenizers)) if len(tokenizers) == 1 else "word"
    return measure_baselines(replace(design.corpus, classifier=None), words)


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
        matrix = measure.matrices[variant.name]
        difference = None
        if baseline is not None:
            other = measure.matrices[baseline.name]
            difference = paired(matrix, other, measure.weights, better=metric.better, comparisons=comparisons)
        parts[name] = Part(single(matrix, measure.weights), difference)
    done = next(run for run in runs if run)
    return VariantFacts(
        name=variant.name,
        settings=variant.settings,
        runs=tuple(run.id if run else None for run in runs),
        parameters=done.record["parameters"]["total"],
        parts=parts,
        search=variant.search,
    )


def _baselines(metric: Metric, found: Baselines, measures: Mapping[str, Measure]) -> dict[str, dict[str, float | None]]:
    """What each baseline scores in the metric of the comparison."""
    if metric.name == "accuracy":
        return {
            name: {part: getattr(facts, part).value for part in ("all", "seen", "unseen")}
            for name, facts in found.classifier.items()
        }
    if not found.chosen:
        return {}
    texts = found.lm[found.chosen].texts
    shares = {name: float(measures[name].weights.sum()) for name in texts if name in measures}
    values: dict[str, float | None] = {}
    for name, text in texts.items():
        values[name] = text.perplexity if metric.logarithmic else text.bits_per_byte
    total = sum(shares.values())
    if metric.logarithmic:
        values["all"] = math.exp(
            sum(share * math.log(texts[name].perplexity) for name, share in shares.items()) / total
        )
    else:
        values["all"] = sum(share * texts[name].bits_per_byte for name, share in shares.items()) / total
    return {found.chosen: values}


def _key(design: Design) -> str:
    described: list[Any] = [design.task, design.corpus.fingerprint, [dict(v.settings) for v in design.variants]]
    described += [list(design.seeds), dict(design.settings)]
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:10]


def _write(comparison: Comparison, design: Design, store: Store) -> None:
    """Write down what was compared, so that a report can be made of it at any time."""
    kept = {
        "format": 1,
        "id": comparison.id,
        "task": design.task,
        "corpus": {
            "name": comparison.corpus,
            "fingerprint": comparison.fingerprint,
            "source": design.corpus.source,
        },
        "variants": [
            {"name": v.name, "settings": dict(v.settings), "search": v.search, "runs": list(v.runs)}
            for v in comparison.variants
        ],
        "seeds": list(design.seeds),
        "settings": dict(design.settings),
        "problems": dict(comparison.problems),
    }
    write_text(store.folder / FOLDER / f"{comparison.id}.json", json.dumps(kept, indent=1, ensure_ascii=False))


def load_comparison(name: str, store: Store) -> Comparison:
    """A comparison that was made before, worked out again from its runs."""
    path = store.folder / FOLDER / f"{name}.json"
    if not path.exists():
        known = sorted(found.stem for found in (store.folder / FOLDER).glob("*.json"))
        raise InputError(f"There is no comparison {name!r} in {store.folder}. Known: {', '.join(known) or 'none'}.")
    kept = json.loads(read_text(path))
    corpus = reload_corpus("comparison", name, kept["corpus"]["source"], kept["corpus"]["fingerprint"])
    variants = tuple(Variant(entry["name"], entry["settings"], entry.get("search")) for entry in kept["variants"])
    design = Design(kept["task"], corpus, variants, tuple(kept["seeds"]), kept["settings"])
    runs = {entry["name"]: [store.open(run) if run else None for run in entry["runs"]] for entry in kept["variants"]}
    return evaluate(design, runs, kept["problems"])
