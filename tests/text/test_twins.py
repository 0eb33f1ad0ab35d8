"""Held-out texts and their twins in train."""

from dataclasses import replace
from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.text import Corpus, audit, load_corpus, normalise
from oratory.text.twins import held_out, twins_of


def test_a_leaked_text_has_its_twin(folder: Path) -> None:
    corpus = load_corpus(folder)
    assert held_out(corpus) == ["test", "text a"]
    found = twins_of(corpus)
    [twin] = found.found
    assert (twin.item, twin.text, twin.twin, twin.other) == (0, "yes we can", "Yes, we can.", 1)
    assert (twin.label, twin.twin_label, twin.exact, twin.times) == ("0", "0", True, 1)
    [line] = twins_of(corpus, "text a").found
    assert (line.text, line.label, line.other) == ("We will go on.", None, 0)


def test_a_twin_with_the_same_label_comes_first(folder: Path) -> None:
    with (folder / "train_CLS.tsv").open("a") as file:
        file.write("1\tFreedom will prevail.\n0\tfreedom will prevail\n1\tYes we can!\n")
    found = twins_of(load_corpus(folder))
    assert [(each.twin_label, each.times) for each in found.found] == [("0", 2), ("1", 2)]
    (folder / "test_CLS.tsv").write_text("1\tWe will go on.\n")
    [other] = twins_of(load_corpus(folder)).found
    assert (other.label, other.twin_label) == ("1", "0")


def test_twins_set_aside_count_as_they_do_for_seen(folder: Path) -> None:
    corpus = load_corpus(folder)
    assert corpus.classifier is not None
    data = corpus.classifier
    moved = replace(corpus, classifier=replace(data, train=data.train.pick([0, 2, 3]), aside=("Yes, we can.",)))
    assert moved.classifier is not None
    [twin] = twins_of(moved).found
    assert (twin.other, twin.twin) == (None, "Yes, we can.")
    assert sum(moved.classifier.seen) == twins_of(moved).exact == 1


def test_the_counts_are_those_of_the_audit(speeches: Corpus) -> None:
    found, facts = twins_of(speeches), audit(speeches)
    assert found.exact == facts.test_in_train == 551
    assert len(found.found) - found.exact == facts.overlaps["test in train"].near
    assert speeches.classifier is not None
    for twin in found.found[:200]:
        assert twin.other is not None
        assert speeches.classifier.train.texts[twin.other] == twin.twin
        assert (normalise(twin.twin) == normalise(twin.text)) == twin.exact


def test_another_split_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="held-out split"):
        twins_of(load_corpus(folder), "train")
