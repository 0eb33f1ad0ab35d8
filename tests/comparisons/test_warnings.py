"""What a comparison warns of: seeds added later, unequal training texts, and a test that is one document."""

import json
from pathlib import Path

import pytest

from oratory.comparisons import Comparison, Design, compare, parse_variants
from oratory.runs import Store
from oratory.text import Corpus, load_corpus
from oratory.training.tasks import task_of
from tests.execution.training import write_corpus
from tests.execution.workers import here

TINY = {"layers": "1", "width": "8", "context": "8", "tokenizer": "char", "train.epochs": "1"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return load_corpus(write_corpus(tmp_path_factory.mktemp("data")))


def made(corpus: Corpus, runs: Path, *variants: str, seeds: int = 3) -> Comparison:
    design = Design(task_of("classifier"), corpus, parse_variants(variants), tuple(range(seeds)), TINY)
    return compare(design, Store(runs), here)


def said(comparison: Comparison, words: str) -> list[str]:
    return [warning for warning in comparison.warnings if words in warning]


def test_seeds_that_are_added_later(corpus: Corpus, tmp_path: Path) -> None:
    variants, before = ("base", "pool=max"), "This comparison was made before with 3 seeds."
    for seeds in (2, 3, 3):  # Two seeds gave no verdict to look at.
        assert not said(made(corpus, tmp_path, *variants, seeds=seeds), "was made before")
    assert len(said(made(corpus, tmp_path, *variants, seeds=4), before)) == 1
    assert not said(made(corpus, tmp_path, "base", "pool=last", seeds=4), "was made before")


def test_a_variant_that_chooses_on_dev_learns_from_less(corpus: Corpus, tmp_path: Path) -> None:
    found = made(corpus, tmp_path, "base", "train.keep=best")
    assert said(found, "train.keep=best had less text to learn from than the others: the corpus has no dev split")
    assert not said(made(corpus, tmp_path, "base", "pool=max"), "less text")


def test_one_group_gives_no_verdict(tmp_path: Path) -> None:
    rows = [{"text": f"text number {at} of {at % 2}", "label": at % 2, "doc": "one"} for at in range(20)]
    for name, part in (("train", rows), ("test", rows[:8])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part))
    found = made(load_corpus(f"folder(path={tmp_path}, group=doc)"), tmp_path / "runs", "base", "pool=max")
    facts = found.to_dict()["variants"][1]
    assert facts["verdict"] == "none: all of test is one doc, which says nothing of others"
    assert facts["difference"] is facts["p"] is None
    assert found.new_items.startswith("New items are new texts of this one doc")
