"""Comparisons of real runs, small ones: pairing, reuse, failures, and figures that can be worked out by hand."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oratory.api import list_results, load_result
from oratory.comparisons import Comparison, Design, compare, load_comparison, parse_variants
from oratory.comparisons.measures import Measure, measures_of
from oratory.errors import Failed, InputError
from oratory.execution.jobs import Job, JobsPlanned, Outcome, Shared, Step
from oratory.records import read_record, write_record
from oratory.runs import Run, Store
from oratory.text import Corpus, LanguageData, load_corpus
from oratory.tokens import train_tokenizer
from oratory.training.baselines import measure_baselines
from oratory.training.tasks import task_of
from tests.execution.workers import here
from tests.runs.records import write_file
from tests.tokens.test_spelling import published

WORDS = ("peace", "war", "law", "rain", "sun", "snow")
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


@pytest.mark.parametrize("task", ["classifier", "lm"])
def test_train_is_measured_at_the_end_and_the_verdicts_stay(corpus: Corpus, tmp_path: Path, task: str) -> None:
    made = design(corpus, task, "base", "position=none", seeds=3)
    usual = compare(made, Store(tmp_path / "usual"), here)
    short = compare(replace(made, train_at_end=True), Store(tmp_path / "short"), here)
    assert short.id == usual.id
    without = [{**facts, "runs": None} for facts in short.to_dict()["variants"]]
    assert without == [{**facts, "runs": None} for facts in usual.to_dict()["variants"]]
    before, after = (found.runs()["base"][0] for found in (usual, short))
    assert before.id != after.id
    assert before.result == after.result
    for name in ("model.safetensors", "items.parquet"):
        assert before.record.files[name] == after.record.files[name]
    measured = [[name for name in ("train", "test", "a") if _has(entry, name)] for entry in after.history()]
    assert measured == [[name for name in found if name != "train"] for found in measured[:-1]] + [measured[-1]]
    assert "train" in measured[-1]
    assert all(_has(entry, "train") for entry in before.history())


def _has(entry: dict[str, Any], name: str) -> bool:
    """Whether a line of the metrics has a figure of a split or a text."""
    return f"{name}_accuracy" in entry or name in entry.get("perplexity", {})


def test_runs_that_measured_train_all_along_are_used(corpus: Corpus, tmp_path: Path) -> None:
    store, made = Store(tmp_path / "runs"), design(corpus, "classifier", "base", "position=none", seeds=3)
    usual = compare(replace(made, seeds=(0, 1)), store, here)
    short = replace(made, train_at_end=True)
    found = compare(short, store, here).runs()["base"]
    assert [run.id for run in found[:2]] == [run.id for run in usual.runs()["base"]]
    assert [run.settings["train.eval_train"] for run in found] == [True, True, False]
    (store.folder / found[0].id / "run.json").write_text("{")
    found = compare(short, store, here).runs()["base"]
    assert [run.settings["train.eval_train"] for run in found] == [False, True, False]


def test_whoever_wants_the_curve_of_train_says_so(corpus: Corpus, tmp_path: Path) -> None:
    made = design(corpus, "classifier", "base", "curve: train.eval_train=on", seeds=1)
    found = compare(replace(made, train_at_end=True), Store(tmp_path / "runs"), here).runs()
    assert [runs[0].settings["train.eval_train"] for runs in found.values()] == [False, True]


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


def other_tokens(corpus: Corpus, *variants: str, metric: str | None = None, **more: str) -> Design:
    settings = {"layers": "1", "width": "8", "context": "8", "train.iterations": "3"} | more
    return Design(task_of("lm"), corpus, parse_variants(variants), (0, 1), settings, metric)


def test_unknown_words_are_spelled_out(corpus: Corpus, tmp_path: Path) -> None:
    """Nothing is known to the second variant: without the spelling it would need next to no bits."""
    store = Store(tmp_path / "runs")
    variants = ("tokenizer=word", "tokenizer=word(min_count=99)")
    for metric in (None, "perplexity-per-word"):
        comparison = compare(other_tokens(corpus, *variants, metric=metric), store, here)
        words, nothing = (variant.whole.estimate.mean for variant in comparison.variants)
        assert nothing > 0.5 * words
    run = store.open(str(comparison.variants[1].runs[0]))
    items = run.items().to_pydict()
    assert set(items["token"]) == {run.tokenizer.unk_id}
    assert np.mean(items["spelling"]) > 3 * np.mean(items["nats"])
    [scored] = run.score("Our union is new.")
    assert scored.bits_per_byte > sum(scored.surprisal) / math.log(2) / 18 + 1


def test_baselines_have_the_tokens_of_the_runs(corpus: Corpus, tmp_path: Path) -> None:
    """The vocabulary is that of the whole corpus, as in `oratory baselines`, and of every tokenizer."""
    store = Store(tmp_path / "runs")
    both = compare(other_tokens(corpus, "tokenizer=char", "tokenizer=word"), store, here).to_dict()
    named = {}
    for name in ("char", "word"):
        found = measure_baselines(corpus, name)
        assert both["vocabulary"][f"tokenizer={name}"] == found.tokenizer_fingerprint
        assert found.chosen is not None
        named[f"{found.chosen}, tokenizer={name}"] = found.lm[found.chosen].texts["a"].bits_per_byte
    assert {name: values["a"] for name, values in both["baselines"].items()} == pytest.approx(named)
    one = compare(other_tokens(corpus, "base", "position=none"), store, here).to_dict()
    assert set(one["vocabulary"].values()) == {both["vocabulary"]["tokenizer=word"]}
    [(name, values)] = one["baselines"].items()
    assert name == found.chosen
    assert values["a"] == pytest.approx(found.lm[name].texts["a"].perplexity)


def test_a_carved_dev_changes_no_tokens(tmp_path: Path) -> None:
    """The word of a line that is held out for dev is known all the same."""
    lines = tuple(f"word{i} is new" for i in range(20))
    corpus = Corpus("lines", lm=LanguageData(lines, None, {"a": ("word1 is word2",)}))
    made = other_tokens(corpus, "base", "train.keep=best", "tokenizer=word(min_count=1)")
    comparison = compare(made, Store(tmp_path / "runs"), here)
    assert comparison.metric.name == "perplexity"
    assert set(comparison.vocabulary.values()) == {train_tokenizer(corpus).fingerprint}
    assert len(comparison.baselines) == 1


def test_no_verdict_on_tokens_that_leave_text_out(tmp_path: Path) -> None:
    lines = tuple(f"{'ab' * (i % 3)} a." for i in range(20))
    corpus = Corpus("letters", lm=LanguageData(lines, None, {"t": ("ab a.", "1999")}))
    theirs = f"tokenizer={published(tmp_path / 'published', drop='[0-9]+')}"
    store = Store(tmp_path / "runs")
    with pytest.raises(InputError, match="leaves out some of the text, so there is no verdict"):
        compare(other_tokens(corpus, "tokenizer=word", theirs), store, here)
    with pytest.raises(InputError, match="leaves out some of the text"):
        compare(other_tokens(corpus, theirs, f"{theirs} position=none", metric="bits-per-byte"), store, here)
    assert not store.folder.exists(), "nothing is trained for it"
    same = compare(other_tokens(corpus, theirs, f"{theirs} position=none"), store, here)
    assert same.metric.name == "perplexity"
    assert store.open(str(same.variants[0].runs[0])).result["t"]["bits_per_byte"] is None


def test_perplexity_of_different_tokens_is_refused_before_training(corpus: Corpus, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    with pytest.raises(InputError, match="perplexity of runs with different tokenizers cannot be compared"):
        compare(other_tokens(corpus, "tokenizer=char", "tokenizer=word", metric="perplexity"), store, here)
    assert not store.folder.exists()


def test_results_without_a_spelling_have_perplexities_only(corpus: Corpus, tmp_path: Path) -> None:
    """As they were recorded before."""
    store = Store(tmp_path / "runs")
    made = compare(other_tokens(corpus, "base", "position=none"), store, here)
    for run in (run for found in made.runs().values() for run in found):
        made_by = pa.BufferOutputStream()
        pq.write_table(run.items().drop_columns(["spelling"]), made_by)
        for text in (texts := run.result).values():
            del text["perplexity_per_word"]
        write_file(run.write(result=texts), "items.parquet", made_by.getvalue().to_pybytes())
    assert load_comparison(made.id, store).to_dict() == made.to_dict()
    old = made.runs()["base"][0]
    assert old.to_dict()["bits_per_byte"] == {"train": None, "a": None}
    assert old.tables()[0].rows[0][-1] == "–"
    path = store.folder / "comparisons" / f"{made.id}.json"
    write_record(path, read_record(path) | {"metric": "bits-per-byte"})
    with pytest.raises(InputError, match=r"no verdict. The bits per byte of the run lm-\w+ \(tokenizer=word\)"):
        load_comparison(made.id, store)


def test_variants_share_seeds_and_batches(corpus: Corpus, tmp_path: Path) -> None:
    """Two variants that compute the same thing score the same to the bit."""
    store = Store(tmp_path / "runs")
    comparison = compare(design(corpus, "lm", "base", "pattern=window(size=8)"), store, here)
    same, other = runs_of(comparison, store).values()
    for one, two in zip(same, other, strict=True):
        assert [m.get("loss") for m in one.metrics()] == pytest.approx([m.get("loss") for m in two.metrics()], abs=1e-5)
    assert comparison.variants[1].verdict not in ("better", "worse")


def test_runs_are_reused_and_comparisons_read_again(corpus: Corpus, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    made = design(corpus, "lm", "base", "position=rope", seeds=2)
    first = compare(made, store, here)
    seen: list[Outcome] = []

    def listen(event: JobsPlanned | Step | Outcome) -> None:
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
    del kept["digest"]
    path.write_text(json.dumps(kept | {"corpus": kept["corpus"] | {"source": {"data": corpus.source}}}))  # As it was.
    assert load_comparison(first.id, store).to_dict() == first.to_dict()
    with pytest.raises(InputError, match=f"Known: .*{first.id}"):
        load_comparison("compare-none", store)
    listed = list_results(store.folder)
    assert {entry.id for entry in listed.entries} == {first.id, wider.id}
    assert {entry.seeds for entry in listed.entries} == {2, 3}
    assert "base, position=rope" in listed.entries[0].what
    by_prefix = load_result(first.id[:-2], store.folder)
    assert isinstance(by_prefix, Comparison)
    assert by_prefix.id == first.id
    with pytest.raises(InputError, match=r"'compare-' begins 2 ids: .*; write more of it"):
        load_result("compare-", store.folder)


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
    comparison = compare(design(corpus, "classifier", "base", "pool=max", seeds=4), store, failing)
    assert comparison.problems == {"pool=max, seed 1": "The lights went out."}
    difference = comparison.variants[1].whole.difference
    assert difference is not None
    assert (difference.seeds, difference.left_out) == (3, 1)
    assert comparison.to_dict()["variants"][1]["seeds"] == 3
    assert comparison.seeds_said == "4 seeds (of which pool=max has 3)"
    assert comparison.warnings[0].startswith("pool=max finished 3 of 4 seeds")
    assert comparison.warnings[1] == "Failed: pool=max, seed 1: The lights went out."
    note = comparison.verdict_table().note
    assert note.startswith("4 seeds (of which pool=max has 3), paired")
    assert all(warning in note for warning in comparison.warnings)
    assert comparison.to_dict()["warnings"] == list(comparison.warnings)
    assert load_comparison(comparison.id, store).warnings == comparison.warnings


def test_no_seed_on_both_sides_is_no_verdict(corpus: Corpus, tmp_path: Path) -> None:
    def failing(jobs: Sequence[Job], shared: Shared) -> Iterator[Step | Outcome]:
        for job in jobs:
            if (job.seed == 0) == (job.variant == "base"):
                yield Outcome(job, None, "The lights went out.")
            else:
                yield from here([job], shared)

    comparison = compare(design(corpus, "classifier", "base", "pool=max"), Store(tmp_path / "runs"), failing)
    assert comparison.verdicts["pool=max"] == "no verdict: no seed was finished on both sides"
    facts = comparison.to_dict()["variants"]
    assert [variant["seeds"] for variant in facts] == [2, 1]
    assert (facts[1]["verdict"], facts[1]["difference"], facts[1]["p"]) == ("no verdict", None, None)
    assert comparison.verdict_table().rows[1][1] == comparison.verdicts["pool=max"]


def test_a_score_that_is_missing_leaves_its_seed_out(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(*given: Any) -> dict[str, Measure]:
        found = measures_of(*given)
        found["all"].matrices["pool=max"][2, 1] = np.nan
        return found

    monkeypatch.setattr("oratory.comparisons.make.measures_of", measured)
    comparison = compare(design(corpus, "classifier", "base", "pool=max"), Store(tmp_path / "runs"), here)
    assert comparison.verdicts["pool=max"] == "no verdict: two seeds of 3; at least three are needed"
    assert comparison.warnings == ("pool=max lacks scores with 1 of 3 seeds, and these seeds are left out.",)
    assert comparison.to_dict()["variants"][1]["difference"] is not None


def test_a_variant_that_always_fails_ends_the_comparison(corpus: Corpus, tmp_path: Path) -> None:
    made = design(corpus, "lm", "base", "train.lr=1e30", seeds=2)
    with pytest.raises(Failed, match=r"Every run of 'train\.lr=1e30' failed"):
        compare(made, Store(tmp_path / "runs"), here)


@pytest.mark.parametrize(("seeds", "said"), [(1, "one seed"), (2, "two seeds")])
def test_few_seeds_show_nothing(corpus: Corpus, tmp_path: Path, seeds: int, said: str) -> None:
    comparison = compare(design(corpus, "lm", "base", "position=rope", seeds=seeds), Store(tmp_path / "r"), here)
    assert comparison.variants[1].verdict == "no verdict"
    assert comparison.verdicts["position=rope"] == f"no verdict: {said}; at least three are needed"
    facts = comparison.to_dict()
    assert (facts["variants"][1]["p"], facts["variants"][1]["difference_interval"]) == (None, None)
    assert facts["variants"][1]["difference"] == pytest.approx(facts["variants"][1]["seed_differences"][0], abs=1)
    assert facts["detectable"] is None
    [warning] = facts["warnings"]
    assert warning.endswith("at least 3 are needed, 5 to explore, 10 to claim.")


def test_zero_variance_is_no_verdict(corpus: Corpus, tmp_path: Path) -> None:
    """How often a run is saved changes nothing."""
    store, same = Store(tmp_path / "runs"), "train.save_every=7"
    comparison = compare(design(corpus, "classifier", "base", same), store, here)
    assert comparison.verdicts[same] == "no verdict: every score is the same as the baseline's"
    assert comparison.warnings == (f"There is no verdict on {same}: every score is the same as the baseline's.",)


def grouped(folder: Path, documents: int) -> Corpus:
    """A corpus with this many documents in test, six lines each."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, first, count in (("train", 100, 4), ("test", 0, documents)):
        rows = [(f"{word} of {at} is {word}", at, word) for at in range(first, first + count) for word in WORDS]
        lines = "".join(f"{text}\t{word in WORDS[:3]:d}\t{at}\n" for text, at, word in rows)
        (folder / f"{split}.tsv").write_text(f"text\tlabel\tdocument\n{lines}")
    return load_corpus(f"folder(path={folder}, group=document)")


@pytest.mark.parametrize("task", ["classifier", "lm"])
def test_verdicts_are_about_new_documents_where_there_are_enough(tmp_path: Path, task: str) -> None:
    store = Store(tmp_path / "runs")
    made = design(grouped(tmp_path / "many", 6), task, "base", "position=none", seeds=2)
    comparison = compare(made, store, here)
    facts = comparison.to_dict()
    assert (facts["groups"], facts["unit"]) == (6, "document")
    assert facts["new_items"] == "New items are new documents: each of the 6 documents counts as one."
    assert facts["new_items"] in comparison.verdict_table().note
    assert comparison.variants[0].whole.estimate.items == 6
    means = [store.open(run).result["test"] for run in comparison.variants[0].runs if run]
    expected = np.mean([comparison.metric.of_result(mean) for mean in means])
    assert comparison.variants[0].whole.estimate.mean == pytest.approx(expected, rel=1e-6)
    assert load_comparison(comparison.id, store).to_dict() == facts


@pytest.mark.parametrize(("task", "unit"), [("classifier", "text"), ("lm", "block of 104 bytes")])
def test_with_few_documents_verdicts_are_about_these(tmp_path: Path, task: str, unit: str) -> None:
    made = design(grouped(tmp_path / "few", 3), task, "base", "position=none", seeds=2)
    facts = compare(made, Store(tmp_path / "runs"), here).to_dict()
    assert (facts["groups"], facts["unit"]) == (3, unit)
    assert "of these 3 documents, and not new documents: it takes 5." in facts["new_items"]


def test_without_groups_the_json_says_none(corpus: Corpus, tmp_path: Path) -> None:
    facts = compare(design(corpus, "classifier", "base", "pool=max", seeds=2), Store(tmp_path / "r"), here).to_dict()
    assert (facts["groups"], facts["unit"]) == (None, "text")
    assert {part["unit"] for part in facts["variants"][1]["parts"].values()} == {"text"}


def test_unseen_is_the_same_in_runs_that_carve_a_dev_and_in_comparisons(speeches: Corpus, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    keep = {"train.keep": "best", "train.epochs": "1", "train.eval_train": "off", "train.batch": "256"}
    made = Design(task_of("classifier"), speeches, parse_variants(["base", "pool=max"]), (0,), TINY | keep)
    comparison = compare(made, store, here)
    for name, (run,) in runs_of(comparison, store).items():
        test = run.result["test"]
        assert (test["items"], test["items_seen"]) == (750, 551)
        variant = next(v for v in comparison.variants if v.name == name)
        assert variant.parts["unseen"].estimate.items == 199
        assert variant.parts["unseen"].estimate.mean == pytest.approx(test["accuracy_unseen"])
