"""A first line that names columns is asked about, and never becomes an item."""

from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.text import load_corpus
from oratory.text.header import is_like_header

TEXTS = ["a film that is dull and long", "a warm and lovely story of two", "what a poor and boring plot it has"]


def rows(labels: tuple[str, str] = ("0", "1")) -> list[tuple[str, str]]:
    return [(f"{text} {at}", labels[at % 2]) for at, text in enumerate(TEXTS * 4)]


def write(folder: Path, first: str, name: str = "train.csv", labels: tuple[str, str] = ("0", "1")) -> Path:
    mark = "," if name.endswith("csv") else "\t"
    pairs = [(label, text) if "CLS" in name else (text, label) for text, label in rows(labels)]
    (folder / name).write_text("".join(f"{line}\n" for line in (first, *map(mark.join, pairs))))
    return folder


@pytest.mark.parametrize("labels", [("0", "1"), ("1.5", "4.0"), ("good", "bad")])
def test_unusual_names_are_asked_about_and_then_taken(tmp_path: Path, labels: tuple[str, str]) -> None:
    write(tmp_path, "review_body,stars", labels=labels)
    with pytest.raises(InputError, match=r"line 1: 'review_body', 'stars' .*text=review_body,label=stars"):
        load_corpus(tmp_path)
    corpus = load_corpus(f"folder(path={tmp_path},text=review_body,label=stars)")
    assert corpus.classifier is not None
    assert set(corpus.classifier.label_names) == set(labels)
    assert len(corpus.classifier.train.texts) == 12


def test_a_table_with_more_columns_asks_too(tmp_path: Path) -> None:
    lines = [f"{at},{text},{label}" for at, (text, label) in enumerate(rows())]
    (tmp_path / "train.csv").write_text("\n".join(["nr,review_body,stars", *lines]))
    with pytest.raises(InputError, match="'nr', 'review_body', 'stars' look like the names of columns"):
        load_corpus(tmp_path)


def test_the_reference_layout_has_no_header(tmp_path: Path) -> None:
    write(tmp_path, "label\ttext", "train_CLS.tsv")
    with pytest.raises(InputError, match=r"line 1: 'label' and 'text' .*name the file train.tsv"):
        load_corpus(tmp_path)


@pytest.mark.parametrize("first", ["it was so good,1", "fine,0", "Great!,good", "one film,one"])
def test_a_first_line_of_data_stays_data(tmp_path: Path, first: str) -> None:
    labels = ("0", "1") if first[-1].isdigit() else ("good", "one")
    corpus = load_corpus(write(tmp_path, first, labels=labels))
    assert corpus.classifier is not None
    assert corpus.classifier.train.texts[0] == first.partition(",")[0]


def test_a_rare_label_beside_short_texts_is_data() -> None:
    assert not is_like_header(("yes", "rare"), [("no", "usual"), ("well", "usual"), ("oh", "usual")])
    assert not is_like_header(("text", "text"), [("a b c d", "1")])
    assert not is_like_header(("text", "label"), [])
