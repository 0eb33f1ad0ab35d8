import time
from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.text import Corpus, audit, load_corpus


def test_the_reference_speeches(speeches: Corpus) -> None:
    facts = audit(speeches).to_dict()
    assert (facts["train"], facts["test"], facts["test_in_train"], facts["unseen"]) == (2092, 750, 551, 199)
    assert facts["overlaps"]["test in train"]["same_label"] == 551
    in_both = {
        name: (text["in_lm_train"]["exact"], text["in_classifier_train"]["exact"]) for name, text in facts["lm"].items()
    }
    assert in_both == {"obama": (2, 151), "hbush": (3, 162), "wbush": (0, 151)}


def test_what_is_odd_is_found(folder: Path) -> None:
    with (folder / "train_CLS.tsv").open("a") as file:
        file.write("1\tYES we can!\n0\tYes, we can.\n0\tone two three four five six seven eight nine\n")
    with (folder / "test_CLS.tsv").open("a") as file:
        file.write("1\tzero one two three four five six seven eight ten\n0\tGod bless you all!\n")
    found = audit(load_corpus(folder))
    train, test = found.splits["train"], found.splits["test"]
    assert (train.items, train.duplicates, train.conflicts) == (7, 2, 1)
    assert train.conflict_examples == ["Yes, we can.", "YES we can!"]
    assert train.labels == {"0": 4, "1": 3}
    assert (test.duplicates, test.conflicts) == (0, 0)
    overlap = found.overlaps["test in train"]
    assert (overlap.items, overlap.exact, overlap.same_label) == (4, 2, 1)
    assert overlap.ngrams == {"8": 1, "13": 0}
    assert overlap.near == 1
    assert overlap.near_examples[0].other == "one two three four five six seven eight nine"
    assert overlap.unknown_words == pytest.approx(4 / 20)
    assert found.lm["a"].in_lm_train.exact == 1
    assert found.largest_leak == 0.5
    assert any("2 of 4 test items (50.0%) are also in train, 1 with the same label" in s for s in found.sentences())


def test_without_test_and_without_labels(folder: Path) -> None:
    (folder / "test_CLS.tsv").unlink()
    facts = audit(load_corpus(folder)).to_dict()
    assert (facts["test"], facts["test_in_train"], facts["unseen"]) == (None, None, None)
    (folder / "train_CLS.tsv").unlink()
    found = audit(load_corpus(folder))
    assert (found.splits, found.overlaps) == ({}, {})
    assert found.lm["a"].in_classifier_train is None
    assert found.tables()
    assert found.sentences()


def test_near_must_be_a_share(folder: Path) -> None:
    with pytest.raises(InputError, match="above 0 and up to 1"):
        audit(load_corpus(folder), near=0.0)


@pytest.mark.long
def test_the_whole_sotu_takes_less_than_a_minute(whole_sotu: Corpus) -> None:
    started = time.process_time()
    found = audit(whole_sotu)
    assert time.process_time() - started < 60
    assert found.largest_leak < 0.1
    assert found._repr_html_().startswith("<table>")


def test_repeated_texts_cost_nothing(folder: Path) -> None:
    (folder / "train_CLS.tsv").write_text("0\tThank you very much.\n" * 6000 + "1\tAnother one here.\n")
    (folder / "test_CLS.tsv").write_text("0\tThank you very much.\n" * 2000 + "1\tThank you very much indeed.\n" * 2)
    started = time.process_time()
    overlap = audit(load_corpus(folder)).overlaps["test in train"]
    assert time.process_time() - started < 5
    assert (overlap.exact, overlap.near) == (2000, 2)
    assert [pair.text for pair in overlap.near_examples] == ["Thank you very much indeed."]
