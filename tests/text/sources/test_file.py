"""One table as a corpus."""

from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.text import load_corpus


def write(path: Path, rows: int = 100, first: str = "text,label") -> Path:
    lines = [f"the text number {at // 2} of {at % 2},{'no' if at % 3 else 'yes'}" for at in range(rows)]
    path.write_text("\n".join([first, *lines, lines[0], lines[0]]))
    return path


def test_one_table_is_split_the_same_way_every_time(tmp_path: Path) -> None:
    path = write(tmp_path / "reviews.csv")
    corpus = load_corpus(path)
    assert corpus.name == "reviews"
    data = corpus.classifier
    assert data is not None
    sizes = {name: len(split) for name, split in data.splits()}
    assert sum(sizes.values()) == 102
    assert sizes["test"] == pytest.approx(20, abs=2)
    assert sizes["dev"] == pytest.approx(10, abs=2)
    assert data.label_names == ("no", "yes")
    parts = [set(split.texts) for _, split in data.splits()]
    assert sum(map(len, parts)) == len(set.union(*parts))
    assert corpus.source is not None
    assert load_corpus(corpus.source).fingerprint == corpus.fingerprint
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *reversed(lines[1:])]))
    other = load_corpus(path).classifier
    assert other is not None
    assert [set(split.texts) for _, split in other.splits()] == parts


def test_shares_and_columns_are_chosen(tmp_path: Path) -> None:
    path = write(tmp_path / "reviews.csv", first="said,mood")
    with pytest.raises(InputError, match=r'Name them: "file\(path=.*reviews.csv,text=said,label=mood\)"'):
        load_corpus(path)
    corpus = load_corpus(f"file(path={path},text=said,label=mood,test=0.5,dev=0)")
    assert corpus.classifier is not None
    assert corpus.classifier.dev is None
    assert corpus.classifier.test is not None
    assert len(corpus.classifier.test) == pytest.approx(51, abs=2)
    for shares in ("test=0", "test=0.6,dev=0.4", "test=1", "dev=-1"):
        with pytest.raises(InputError, match="must leave something to train on"):
            load_corpus(f"file(path={path},{shares})")


def test_groups_stay_together(tmp_path: Path) -> None:
    lines = [f"a text of number {at},{at % 2},speech{at // 5}" for at in range(100)]
    (tmp_path / "a.csv").write_text("\n".join(["text,label,speech", *lines]))
    data = load_corpus(f"file(path={tmp_path / 'a.csv'},group=speech)").classifier
    assert data is not None
    groups = [set(split.groups) for _, split in data.splits()]
    assert sum(map(len, groups)) == 20


def test_a_text_of_two_groups_is_on_one_side(tmp_path: Path) -> None:
    lines = [f"a text of number {at},{at % 2},speech{at // 5}" for at in range(100)]
    lines += [f"Thank you very much.,{at % 2},speech{at}" for at in range(20)]
    (tmp_path / "a.csv").write_text("\n".join(["text,label,speech", *lines]))
    data = load_corpus(f"file(path={tmp_path / 'a.csv'},group=speech)").classifier
    assert data is not None
    assert sum("Thank you very much." in split.texts for _, split in data.splits()) == 1


def test_too_few_groups(tmp_path: Path) -> None:
    lines = [f"a text of number {at},{at % 2},speech{at % 2}" for at in range(100)]
    (tmp_path / "a.csv").write_text("\n".join(["text,label,speech", *lines]))
    with pytest.raises(InputError, match="too few groups to hold out whole ones of each label"):
        load_corpus(f"file(path={tmp_path / 'a.csv'},group=speech)")
