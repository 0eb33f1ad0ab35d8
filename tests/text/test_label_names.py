"""Labels that are numbers or codes, by the names of `labels.json`."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from oratory.errors import InputError
from oratory.text import load_corpus
from oratory.text.label_names import read_label_names


def test_labels_of_a_folder_have_the_names_of_its_file(folder: Any) -> None:
    before = load_corpus(folder).need_classifier()
    (folder / "labels.json").write_text(json.dumps(["Obama", "Bush"]))
    after = load_corpus(folder).need_classifier()
    assert before.label_names == ("0", "1")
    assert after.label_names == ("Bush", "Obama")
    names = {"0": "Obama", "1": "Bush"}
    assert [names[before.label_names[at]] for at in before.train.labels] == [
        after.label_names[at] for at in after.train.labels
    ]


def test_labels_of_one_table(tmp_path: Path) -> None:
    rows = [f"text number {number} is here,{number % 2}" for number in range(40)]
    (tmp_path / "reviews.csv").write_text("\n".join(["text,label", *rows]))
    (tmp_path / "reviews.labels.json").write_text('{"0": "bad", "1": "good"}')
    assert load_corpus(tmp_path / "reviews.csv").need_classifier().label_names == ("bad", "good")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "is not JSON"),
        ("3", "must be a list of names"),
        ('["a", 2]', "must be a list of names"),
        ('["a", "a"]', "for two labels"),
        ('["a"]', "no name for the label '1'"),
    ],
)
def test_wrong_names_are_refused(folder: Any, content: Any, sentence: Any) -> None:
    (folder / "labels.json").write_text(content)
    with pytest.raises(InputError, match=sentence):
        load_corpus(folder)


def test_time_grows_with_the_number_of_names(tmp_path: Path) -> None:
    names = [f"name {at}" for at in range(100_000)]
    (tmp_path / "labels.json").write_text(json.dumps(names))
    began = time.process_time()
    assert len(read_label_names(tmp_path / "labels.json")) == len(names)
    (tmp_path / "labels.json").write_text(json.dumps([*names, names[-1]]))
    with pytest.raises(InputError, match="has the name 'name 99999' for two labels"):
        read_label_names(tmp_path / "labels.json")
    assert time.process_time() - began < 5
