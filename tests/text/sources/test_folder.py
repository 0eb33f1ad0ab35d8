import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oratory.errors import InputError
from oratory.text import Corpus, load_corpus
from oratory.text.sources.folder import Folder

ROWS = [("it was good", "pos"), ("it was, sadly, bad", "neg"), ('he said "good"', "pos"), ("a\tb bad", "neg")]


def write(path: Path, rows: list[tuple[str, str]], header: tuple[str, ...] | None = None) -> None:
    """Rows in the format of the file's ending."""
    names = header or ("text", "label")
    if path.suffix == ".tsv":
        lines = ["\t".join(header)] if header else []
        path.write_text("".join(f"{line}\n" for line in [*lines, *("\t".join(row) for row in rows)]))
    elif path.suffix == ".csv":
        import csv

        with path.open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows] if header else rows)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    else:
        pq.write_table(pa.table({name: [row[at] for row in rows] for at, name in enumerate(names)}), path)


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_the_same_rows_in_every_format(tmp_path: Path, ending: str) -> None:
    write(tmp_path / f"train{ending}", ROWS, ("text", "label"))
    write(tmp_path / f"test{ending}", ROWS[:1], ("text", "label"))
    corpus = load_corpus(tmp_path)
    data = corpus.need_classifier()
    assert data.label_names == ("neg", "pos")
    assert data.train.texts == ("it was good", "it was, sadly, bad", 'he said "good"', "a b bad")
    assert data.train.labels == (1, 0, 1, 0)
    assert corpus.need_lm().train == data.train.texts
    assert corpus.need_lm().tests == {"test": ("it was good",)}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("ending", [".tsv", ".csv"])
def test_columns_either_way_round_with_and_without_header(
    tmp_path: Path, ending: str, header: bool, turned: bool
) -> None:
    rows = [(text.replace("\t", " "), label) for text, label in ROWS]
    names = ("Sentence", "Label")
    if turned:
        rows, names = [(label, text) for text, label in rows], ("Label", "Sentence")
    write(tmp_path / f"train{ending}", rows, names if header else None)
    # One row alone would not tell which column is which; train does.
    write(tmp_path / f"test{ending}", [("neg", "pos") if turned else ("pos", "neg")], names if header else None)
    data = load_corpus(tmp_path).need_classifier()
    assert data.train.texts[0] == "it was good"
    assert data.label_names == ("neg", "pos")
    assert data.test is not None
    assert (data.test.texts, data.test.labels) == (("pos",), (0,))


def test_number_labels_without_header(tmp_path: Path) -> None:
    write(tmp_path / "train.tsv", [("a fine day", "1"), ("no", "0"), ("dull", "10")])
    data = load_corpus(tmp_path).need_classifier()
    assert data.label_names == ("0", "1", "10")
    assert data.test is None


def test_dev_has_several_names(tmp_path: Path) -> None:
    write(tmp_path / "train.csv", ROWS, ("text", "label"))
    write(tmp_path / "validation.csv", ROWS[2:3], ("text", "label"))
    data = load_corpus(tmp_path).need_classifier()
    assert data.dev is not None
    assert data.dev.texts == ('he said "good"',)


def test_columns_by_option(tmp_path: Path) -> None:
    write(tmp_path / "train.jsonl", ROWS, ("headline", "mood"))
    data = load_corpus(f"folder(path={tmp_path}, text=headline, label=mood)").need_classifier()
    assert data.label_names == ("neg", "pos")
    with pytest.raises(
        InputError, match=r"line 1: none of the columns headline, mood is called text.*folder\(path=..., text=COLUMN\)"
    ):
        load_corpus(tmp_path)
    with pytest.raises(InputError, match=r"train.jsonl, line 1: There is no column 'headlin'. Did you mean 'headline'"):
        load_corpus(Folder(str(tmp_path), "headlin", "mood"))


def test_a_line_break_inside_a_text_becomes_a_blank(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text('text,label\n"two\nlines",a\n"x, ""y""",b\n')
    assert load_corpus(tmp_path).need_classifier().train.texts == ("two lines", 'x, "y"')


def test_the_line_of_a_broken_csv_row_counts_lines_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text('text,label\n"two\nlines",a\nonly\nz,b\n')
    with pytest.raises(InputError, match=r"train.csv, line 4: 1 column\(s\) where there should be 2"):
        load_corpus(tmp_path)


def test_reference_layout(folder: Path) -> None:
    corpus = load_corpus(folder)
    data, lm = corpus.need_classifier(), corpus.need_lm()
    assert corpus.name == "corpus"
    assert data.label_names == ("0", "1")
    assert len(data.train) == 4
    assert data.dev is None
    assert data.seen == (True, False)
    assert list(lm.tests) == ["a"]
    assert lm.seen("a") == (True, False)


def test_reference_layout_with_dev_and_many_tests(folder: Path) -> None:
    (folder / "dev_CLS.tsv").write_text("1\tA dev item.\n")
    (folder / "dev_LM.txt").write_text("A dev line.\n")
    for name in ("b", "with spaces", "x_y"):
        (folder / f"test_LM_{name}.txt").write_text("A line.\n")
    corpus = load_corpus(folder)
    assert list(corpus.need_lm().tests) == ["a", "b", "with spaces", "x_y"]
    assert corpus.need_lm().dev == ("A dev line.",)
    assert corpus.with_dev() == corpus


def test_one_task_alone(folder: Path) -> None:
    for name in ("train_LM.txt", "test_LM_a.txt"):
        (folder / name).rename(folder.parent / name)
    only_labelled = load_corpus(folder)
    assert only_labelled.need_lm().train == only_labelled.need_classifier().train.texts
    for name in ("train_CLS.tsv", "test_CLS.tsv"):
        (folder / name).unlink()
    for name in ("train_LM.txt", "test_LM_a.txt"):
        (folder.parent / name).rename(folder / name)
    assert load_corpus(folder).classifier is None


def test_byte_order_mark_and_windows_line_ends_simply_work(folder: Path) -> None:
    plain = load_corpus(folder)
    for path in folder.iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_corpus(folder).fingerprint == plain.fingerprint


def test_unusual_characters_do_not_part_lines(folder: Path) -> None:
    (folder / "train_LM.txt").write_text("one\u2028still one\x0cand one\x85too\ntwo\n")
    assert load_corpus(folder).need_lm().train == ("one still one and one too", "two")


def test_blank_lines_and_a_missing_last_line_end_do_not_matter(folder: Path) -> None:
    plain = load_corpus(folder)
    for path in folder.iterdir():
        path.write_text("\n" + path.read_text().replace("\n", "\n \n").rstrip())
    assert load_corpus(folder).fingerprint == plain.fingerprint


def test_the_reference_speeches(speeches: Corpus) -> None:
    data, lm = speeches.need_classifier(), speeches.need_lm()
    assert data.label_names == ("0", "1", "2")
    assert data.test is not None
    assert (len(data.train), len(data.test)) == (2092, 750)
    assert sorted(lm.tests) == ["hbush", "obama", "wbush"]
    assert len(lm.train) == 1553
