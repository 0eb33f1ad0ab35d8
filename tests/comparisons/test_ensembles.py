"""Ensembles of real runs, small ones: their probabilities by hand, disjoint groups, records, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from oratory.api import ensemble, list_results, load_result, report, train
from oratory.comparisons import Comparison, Design, compare, parse_variants
from oratory.comparisons.ensembles.make import disjoint
from oratory.errors import InputError
from oratory.reports.command import command_of
from oratory.runs import Run, Store
from oratory.text import load_corpus
from oratory.tokens import Tokenizer, encode_lm, train_tokenizer
from oratory.tokens.ngrams import NgramCounts
from oratory.training.running_text.averaged import mean_nats
from oratory.training.tasks import task_of
from oratory.training.tasks.lm.rivals import rivals
from tests.execution.training import quick, write_corpus
from tests.execution.workers import here

TINY = {"layers": "1", "width": "8", "context": "8", "tokenizer": "char"}
LENGTH = {"classifier": {"train.epochs": "2"}, "lm": {"train.iterations": "4", "train.eval_every": "2"}}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Comparison]:
    """A comparison of each task, of two variants with seven seeds."""
    folder = quick(tmp_path_factory.mktemp("ensembles"))
    write_corpus(folder / "corpus")
    corpus = load_corpus(folder / "corpus")
    store = Store(folder / "runs")
    variants = parse_variants(["base", "position=none"])
    return {
        task: compare(Design(task_of(task), corpus, variants, tuple(range(7)), TINY | length), store, here)
        for task, length in LENGTH.items()
    }


def store_of(comparison: Comparison) -> Store:
    assert comparison.store is not None
    return comparison.store


def runs_of(comparison: Comparison, variant: str = "base") -> list[Run]:
    return comparison.runs()[variant]


def test_the_mean_probability_does_not_underflow() -> None:
    nats = np.array([[1.0, 800.0], [2.0, 900.0]])
    by_hand = [-np.log((np.exp(-1) + np.exp(-2)) / 2), 800 + np.log(2)]
    assert mean_nats(nats) == pytest.approx(by_hand)


def test_a_language_model_is_averaged_token_by_token(made: dict[str, Comparison]) -> None:
    comparison = made["lm"]
    found = ensemble(comparison.id, runs=store_of(comparison).folder).to_dict()
    each = [np.array(run.items()["nats"], np.float64) for run in runs_of(comparison)]
    by_hand = np.exp(-np.log(np.exp(-np.stack(each)).mean(axis=0)).mean())
    assert found["variants"]["base, ensemble of 7"]["all"]["mean"] == pytest.approx(by_hand, rel=1e-9)
    members = np.exp(np.mean(each))
    assert found["variants"]["base, mean of 7"]["all"]["mean"] == pytest.approx(members, rel=1e-9)
    assert by_hand < members


def test_different_shares_in_the_mean() -> None:
    nats = np.array([[1.0], [2.0]])
    assert mean_nats(nats, np.array([0.25, 0.75])) == pytest.approx([-np.log(0.25 * np.exp(-1) + 0.75 * np.exp(-2))])


def test_an_ensemble_is_mixed_with_the_counts_of_train(made: dict[str, Comparison]) -> None:
    comparison = made["lm"]
    store, runs = store_of(comparison), runs_of(comparison)
    found = ensemble(comparison.id, runs=store.folder, counts=0.25)
    corpus, tokenizer = load_corpus(store.folder.parent / "corpus"), runs[0].tokenizer
    encoded = encode_lm(corpus, tokenizer)
    counts = NgramCounts(encoded["train"].ids, len(tokenizer), 5)
    counted = np.concatenate(
        [
            counts.probabilities(counts.match(encoded[name].ids, 5), counts.modified(5))
            for name in corpus.need_lm().tests
        ]
    )
    each = np.exp(-np.stack([np.array(run.items()["nats"], np.float64) for run in runs]))
    variants = found.to_dict()["variants"]
    mixed = 0.75 * each.mean(axis=0) + 0.25 * counted
    whole = "base, ensemble of 7, hybrid with n-grams"
    assert variants[whole]["all"]["mean"] == pytest.approx(np.exp(-np.log(mixed).mean()), rel=1e-9)
    single = np.exp(-np.log(0.75 * each + 0.25 * counted).mean())
    assert variants["base, mean of 7, hybrid with n-grams"]["all"]["mean"] == pytest.approx(single, rel=1e-9)
    assert load_result(found.id, store.folder).to_dict() == found.to_dict()
    assert "--counts 0.25" in command_of(found)
    assert found.id != ensemble(comparison.id, runs=store.folder).id


def test_one_run_alone_is_mixed_with_the_counts_of_train(made: dict[str, Comparison]) -> None:
    store, runs = store_of(made["lm"]), runs_of(made["lm"])
    alone = ensemble(runs[0].id, runs=store.folder, counts=0.25)
    found = alone.to_dict()
    own, mixed = found["variants"].values()
    assert list(found["variants"]) == [runs[0].id, f"{runs[0].id}, hybrid with n-grams"]
    nats = np.array(runs[0].items()["nats"], np.float64)
    assert own["all"]["mean"] == pytest.approx(np.exp(nats.mean()), rel=1e-9)
    several = ensemble(*(run.id for run in runs[:3]), runs=store.folder, counts=0.25)
    members = several.to_dict()["against_baselines"]
    singly = next(row for row in members if row["variant"].endswith("hybrid with n-grams, single models"))
    against = next(row for row in found["against_baselines"] if row["variant"].endswith("n-grams"))
    assert mixed["all"]["mean"] < own["all"]["mean"]
    assert against["parts"]["all"]["difference"] == pytest.approx(
        singly["parts"]["all"]["seed_differences"][0], rel=1e-6
    )
    assert against["verdict_text"] == "no verdict: one model, whose interval is for new items alone"
    assert "another seed may differ by more" in found["in_train"] + str(alone.tables()[0].note)
    assert not alone.warnings
    assert load_result(alone.id, store.folder).to_dict() == found


@pytest.mark.parametrize(("task", "share"), [("lm", 1.0), ("lm", 0.0), ("classifier", 0.5)])
def test_a_mixture_that_makes_no_sense_is_refused(made: dict[str, Comparison], task: str, share: float) -> None:
    sentence = "--counts is for language models" if task == "classifier" else f"--counts {share:g}: the share"
    with pytest.raises(InputError, match=sentence):
        ensemble(made[task].id, runs=store_of(made[task]).folder, counts=share)


def test_language_models_stand_against_kneser_ney_on_the_same_tokens(made: dict[str, Comparison]) -> None:
    comparison = made["lm"]
    store = store_of(comparison)
    found = ensemble(comparison.id, runs=store.folder, counts=0.25).to_dict()
    rows = {row["variant"]: row for row in found["against_baselines"] if row["against"] == "modified-kneser-ney-5"}
    parts = (", single models", ", ensembles of 2", ", ensemble of 7")
    hybrids = (" hybrid with n-grams, single models", " ensemble of 7, hybrid with n-grams")
    assert {name for name in rows if name.startswith("base")} == {
        *(f"base{part}" for part in parts),
        *(f"base,{part}" for part in hybrids),
    }
    measured = made["lm"].task.baselines(load_corpus(store.folder.parent / "corpus"), _tokenizers(comparison))
    [perplexity] = [each.models["modified-kneser-ney-5"] for each in measured]
    by_text = {name: text.perplexity for name, text in perplexity.texts.items()}
    single = rows["base, single models"]
    for text, of_counts in by_text.items():
        own = found["variants"]["base, mean of 7"][text]["mean"]
        assert single["parts"][text]["ratio"] == pytest.approx(own / of_counts, rel=1e-6)
    low, high = single["parts"]["all"]["interval"]
    assert low < single["parts"]["all"]["difference"] < high
    assert (single["verdict"] in ("better", "worse")) == (single["p"] < 0.05)
    whole = rows["base, ensemble of 7"]
    assert whole["p"] is None
    assert whole["parts"]["all"]["interval"] is not None
    assert whole["verdict_text"] == "no verdict: one model, whose interval is for new items alone"


def _tokenizers(comparison: Comparison) -> dict[str, Tokenizer]:
    return {"char": runs_of(comparison)[0].tokenizer}


def test_a_share_for_new_tokens_is_what_good_turing_reserves(tmp_path: Path) -> None:
    for name, lines in {"train_LM": "a b b\na c e\n", "test_LM_new": "a d b\n", "dev_LM": "d a\n"}.items():
        (tmp_path / f"{name}.txt").write_text(lines)
    corpus = load_corpus(tmp_path)
    tokenizer = train_tokenizer(corpus, "word")
    ids = encode_lm(corpus, tokenizer)["new"].ids
    items = pa.table({"text": ["new"] * len(ids), "nats": np.ones(len(ids))})
    plain, reserving = (np.array(table["nats"]) for table in rivals(corpus, tokenizer, items).values())
    counts = np.bincount(encode_lm(corpus, tokenizer)["train"].ids, minlength=len(tokenizer))
    share, new = (counts == 1).sum() / counts.sum(), counts == 0
    assert new[ids].any()
    assert not new[ids].all()
    by_hand = (1 - share) * np.exp(-plain) + share * new[ids] / new.sum()
    assert np.exp(-reserving) == pytest.approx(by_hand)


def test_classifiers_stand_against_the_svm_on_the_same_texts(made: dict[str, Comparison]) -> None:
    comparison = made["classifier"]
    found = ensemble(comparison.id, runs=store_of(comparison).folder).to_dict()
    rows = {row["variant"]: row for row in found["against_baselines"]}
    assert {row["against"] for row in rows.values()} == {"tfidf-svm"}
    for part, svm in found["baselines"]["tfidf-svm"].items():
        own = found["variants"]["base, mean of 7"][part]["mean"]
        assert rows["base, single models"]["parts"][part]["difference"] == pytest.approx(own - svm)
    folder = store_of(comparison).folder
    page, *_ = report(found["ensemble"], folder.parent / "rivals.md", runs=folder)
    assert "Whether it beats the baselines" in page.read_text()
    assert "tfidf-svm" in page.read_text()


def test_a_classifier_is_averaged_class_by_class(made: dict[str, Comparison]) -> None:
    comparison = made["classifier"]
    found = ensemble(comparison.id, runs=store_of(comparison).folder).to_dict()
    tables = [run.items() for run in runs_of(comparison)]
    test = np.array(tables[0]["split"].to_pylist()) == "test"
    mean = np.mean([np.stack(table["probabilities"].to_numpy()) for table in tables], axis=0)
    right = (mean.argmax(1) == np.array(tables[0]["label"]))[test]
    assert found["variants"]["base, ensemble of 7"]["all"]["mean"] == pytest.approx(right.mean())
    assert set(found["baselines"]) == {"majority", "lookup", "tfidf-svm"}


def test_groups_share_no_run_and_the_difference_is_that_of_the_groups(made: dict[str, Comparison]) -> None:
    comparison = made["lm"]
    found = ensemble(comparison.id, runs=store_of(comparison).folder)
    assert found.groups == ((0, 1), (2, 3), (4, 5))
    assert "1 of 7 seeds are in no group of 2" in " ".join(found.warnings)
    base, none, against = found.pairings
    assert (base.against, none.against, against.against) == ("its single models",) * 2 + ("ensembles of base",)
    nats = [np.array(run.items()["nats"], np.float64) for run in runs_of(comparison)]
    groups = [np.stack(nats[at : at + 2]) for at in (0, 2, 4)]
    by_hand = [float(mean_nats(group).mean() - group.mean()) for group in groups]
    assert base.whole.seed_differences == pytest.approx(by_hand)
    assert base.whole.wins == 3


@pytest.mark.parametrize(("places", "size", "groups"), [(7, 2, 3), (10, 5, 2), (3, 4, 0), (6, 3, 2)])
def test_disjoint_groups(places: int, size: int, groups: int) -> None:
    found = disjoint(list(range(places)), size)
    assert len(found) == groups
    assert all(len(group) == size for group in found)
    assert len({place for group in found for place in group}) == groups * size


def test_too_few_groups_give_no_verdict(made: dict[str, Comparison]) -> None:
    found = ensemble(made["lm"].id, size=3, runs=store_of(made["lm"]).folder)
    assert found.pairings[0].p is None
    assert "takes 9 seeds" in " ".join(found.warnings)
    assert found.verdict_text(found.pairings[0]) == "no verdict: two groups of seeds; at least three are needed"


@pytest.mark.parametrize("task", ["classifier", "lm"])
def test_it_is_kept_found_again_and_reported(made: dict[str, Comparison], task: str, tmp_path: Path) -> None:
    store = store_of(made[task])
    runs = [run.id for run in runs_of(made[task])]
    found = ensemble(*runs, runs=store.folder)
    json.dumps(found.to_dict(), allow_nan=False)
    assert load_result(found.id, store.folder).to_dict() == found.to_dict()
    assert found.id in [entry.id for entry in list_results(store.folder).entries]
    pages = report(found.id, tmp_path / "all", store.folder)
    text = next(page for page in pages if page.suffix == ".md").read_text()
    assert "ensemble of 7" in text
    assert f"oratory ensemble {runs[0]}" in text


def test_a_damaged_record_is_refused(made: dict[str, Comparison]) -> None:
    store = store_of(made["lm"])
    found = ensemble(made["lm"].id, runs=store.folder, metric="bits-per-byte")
    path = store.folder / "ensembles" / f"{found.id}.json"
    path.write_text(path.read_text().replace('"size": 2', '"size": 3'))
    with pytest.raises(InputError, match="damaged"):
        load_result(found.id, store.folder)
    path.unlink()


def test_what_cannot_be_one_model_is_refused(made: dict[str, Comparison]) -> None:
    store = store_of(made["lm"])
    corpus = load_corpus(made["lm"].source or "")
    first, second = runs_of(made["lm"])[:2]
    word = train("lm", corpus, TINY | LENGTH["lm"] | {"tokenizer": "word"}, seed=1, runs=store.folder)
    refused = {
        "at least two runs.* can be mixed with n-grams": [first.id],
        "different vocabularies": [first.id, word.id],
        "position is learned in one": [first.id, runs_of(made["lm"], "position=none")[1].id],
        "one is a language model, the other a classifier": [first.id, runs_of(made["classifier"])[1].id],
        "The seed 1 is there twice": [first.id, second.id, second.id],
        "or one comparison": [made["lm"].id, first.id],
    }
    for sentence, names in refused.items():
        with pytest.raises(InputError, match=sentence):
            ensemble(*names, runs=store.folder)
    with pytest.raises(InputError, match="at least two runs"):
        ensemble(made["lm"].id, size=1, runs=store.folder)


def test_an_unfinished_run_is_refused(made: dict[str, Comparison]) -> None:
    store = store_of(made["lm"])
    first, second = runs_of(made["lm"])[:2]
    try:
        second.write(status="interrupted")
        with pytest.raises(InputError, match="is not finished"):
            ensemble(first.id, second.id, runs=store.folder)
    finally:
        second.write()
