"""Comparisons of real runs, small ones: pairing, reuse, failures, and figures that can be worked out by hand."""

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from oratory.comparisons import Comparison, Design, compare, load_comparison, parse_variants
from oratory.errors import Failed, InputError
from oratory.execution.jobs import Job, Outcome, Planned, Shared, Step
from oratory.runs import Run, Store
from oratory.text import Corpus, load_corpus
from oratory.training.tasks import task_of
from oratory.training.tasks.lm.units import Blocks
from tests.execution.workers import here

TINY = {"layers": "1", "width": "8", "context": "8", "tokenizer": "char"}


@pytest.fixture
def corpus(folder: Path) -> Corpus:
    return load_corpus(folder)


def design(corpus: Corpus, task: str, *variants: str, seeds: int = 3) -> Design:
    length = {"train.epochs": "2"} if task == "classifier" else {"train.iterations": "4", "train.eval_every": "2"}
    return Design(task_of(task), corpus, parse_variants(variants), tuple(range(seeds)), TINY | length)


def runs_of(comparison: Comparison, store: Store) -> dict[str, list[Run]]:
    return {v.name: [store.open(run) for run in v.runs if run] for v in comparison.variants}


def test_accuracy_is_the_mean_over_seeds_and_items(corpus: Corpus, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    comparison = compare(design(corpus, "classifier", "base", "position=none"), store, here)
    facts = comparison.to_dict()
    assert [v["name"] for v in facts["variants"]] == ["base", "position=none"]
    assert facts["variants"][0]["verdict"] == "baseline"
    assert facts["metric"] == "accuracy"
    for variant in facts["variants"]:
        scores = [store.open(run).result["test"]["accuracy"] for run in variant["runs"]]
        assert variant["mean"] == pytest.approx(np.mean(scores))
    first, second = facts["variants"]
    assert second["difference"] == pytest.approx(second["mean"] - first["mean"])
    assert set(facts["baselines"]) == {"majority", "lookup", "tfidf-svm"}


def test_perplexity_is_that_of_all_tokens(corpus: Corpus, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    comparison = compare(design(corpus, "lm", "base", "position=rope"), store, here)
    for variant in comparison.to_dict()["variants"]:
        tables = [store.open(run).items() for run in variant["runs"]]
        nats = [float(np.mean(np.array(table["nats"], np.float64))) for table in tables]
        assert variant["mean"] == pytest.approx(math.exp(np.mean(nats)), rel=1e-6)
    second = comparison.to_dict()["variants"][1]
    assert second["ratio"] == pytest.approx(math.exp(second["difference"]))
    assert comparison.baselines
    assert list(comparison.table.index) == ["base", "position=rope"]


def test_other_tokens_are_compared_by_bytes(corpus: Corpus, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    settings = {name: value for name, value in TINY.items() if name != "tokenizer"}
    made = Design(
        task_of("lm"),
        corpus,
        parse_variants(["tokenizer=char", "tokenizer=word"]),
        (0, 1),
        settings | {"train.iterations": "3"},
    )
    comparison = compare(made, store, here)
    assert comparison.metric.name == "bits per byte"
    for name, found in runs_of(comparison, store).items():
        shown = next(v for v in comparison.to_dict()["variants"] if v["name"] == name)
        assert shown["mean"] == pytest.approx(np.mean([run.result["a"]["bits_per_byte"] for run in found]), rel=1e-5)


def test_variants_share_seeds_and_batches(corpus: Corpus, tmp_path: Path) -> None:
    """Two variants that compute the same thing score the same to the bit."""
    store = Store(tmp_path / "runs")
    comparison = compare(design(corpus, "lm", "base", "pattern=window(size=8)"), store, here)
    same, other = runs_of(comparison, store).values()
    for one, two in zip(same, other, strict=True):
        assert [m.get("loss") for m in one.metrics()] == pytest.approx([m.get("loss") for m in two.metrics()], abs=1e-5)
    assert comparison.variants[1].verdict == "no difference shown"


def test_runs_are_reused_and_comparisons_read_again(corpus: Corpus, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    made = design(corpus, "lm", "base", "position=rope", seeds=2)
    first = compare(made, store, here)
    seen: list[Outcome] = []

    def listen(event: Planned | Step | Outcome) -> None:
        if isinstance(event, Outcome):
            seen.append(event)

    wider = compare(design(corpus, "lm", "base", "position=rope", "position=alibi", seeds=3), store, here, listen)
    assert sum(outcome.reused for outcome in seen) == 4
    assert len(seen) == 9
    assert wider.variants[0].runs[:2] == first.variants[0].runs
    again = load_comparison(first.id, store)
    assert again.to_dict() == first.to_dict()
    path = store.folder / "comparisons" / f"{first.id}.json"
    kept = json.loads(path.read_text())
    assert kept["corpus"]["source"] == corpus.source
    path.write_text(json.dumps(kept | {"corpus": kept["corpus"] | {"source": {"data": corpus.source}}}))  # As it was.
    assert load_comparison(first.id, store).to_dict() == first.to_dict()
    with pytest.raises(InputError, match=f"Known: .*{first.id}"):
        load_comparison("compare-none", store)


def test_two_stores_give_the_same_bits(corpus: Corpus, tmp_path: Path) -> None:
    made = design(corpus, "classifier", "base", "pool=max", seeds=2)
    one, two = (compare(made, Store(tmp_path / name), here) for name in ("one", "two"))
    assert one.to_dict() == two.to_dict()
    for run in [run for variant in one.variants for run in variant.runs if run]:
        for file in ("model.safetensors", "metrics.jsonl", "items.parquet"):
            assert (tmp_path / "one" / run / file).read_bytes() == (tmp_path / "two" / run / file).read_bytes()


def test_a_failed_run_leaves_its_seed_out(corpus: Corpus, tmp_path: Path) -> None:
    def failing(jobs: Sequence[Job], shared: Shared) -> Iterator[Step | Outcome]:
        for job in jobs:
            if job.seed == 1 and job.variant == "pool=max":
                yield Outcome(job, None, "The lights went out.")
            else:
                yield from here([job], shared)

    store = Store(tmp_path / "runs")
    comparison = compare(design(corpus, "classifier", "base", "pool=max"), store, failing)
    assert comparison.problems == {"pool=max, seed 1": "The lights went out."}
    difference = comparison.variants[1].whole.difference
    assert difference is not None
    assert (difference.seeds, difference.left_out) == (2, 1)
    assert "The lights went out." in comparison.verdict_table().note


def test_a_variant_that_always_fails_ends_the_comparison(corpus: Corpus, tmp_path: Path) -> None:
    made = design(corpus, "lm", "base", "train.lr=1e30", seeds=2)
    with pytest.raises(Failed, match=r"Every run of 'train\.lr=1e30' failed"):
        compare(made, Store(tmp_path / "runs"), here)


def test_one_seed_shows_nothing(corpus: Corpus, tmp_path: Path) -> None:
    comparison = compare(design(corpus, "lm", "base", "position=rope", seeds=1), Store(tmp_path / "r"), here)
    assert comparison.variants[1].verdict == "no difference shown"
    assert comparison.to_dict()["variants"][1]["p"] is None


def test_blocks_hold_whole_lines_of_one_text(sotu: Corpus) -> None:
    tests = sotu.need_lm().tests
    blocks = Blocks(tests)
    for name, of_line in blocks.of_line.items():
        assert len(of_line) == len(tests[name])
        assert (np.diff(of_line) >= 0).all()
    total = sum(len(line.encode()) + 1 for lines in tests.values() for line in lines)
    assert blocks.bytes.sum() == total
    assert np.median(blocks.bytes) >= 512
