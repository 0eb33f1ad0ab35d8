"""Corpora that would take hours or gigabytes: linear, or refused with the limit."""

import io
import json
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oratory.errors import InputError
from oratory.text import load_corpus
from oratory.text.formats import read_table
from oratory.text.sources.folder import MOST_LABELS
from oratory.text.table import Wanted

MAY_BE_MISSING, MAY_NOT_BE_MISSING = b"\x25\x02\x18\x04text", b"\x25\x00\x18\x04text"
"""What the schema of a Parquet file says of the column `text`."""


def test_a_small_file_that_unpacks_to_gigabytes(tmp_path: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 3_000, pa.int32()), pa.array(["x" * 900_000]))
    pq.write_table(pa.table({"text": texts, "label": ["a", "b"] * 1_500}), tmp_path / "train.parquet")
    assert (tmp_path / "train.parquet").stat().st_size < 2e6
    began = time.process_time()
    with pytest.raises(InputError, match="is 1,800,002,000 bytes or more once it is unpacked; at most 1,073,741,824"):
        load_corpus(tmp_path)
    assert time.process_time() - began < 5


def test_a_table_that_says_that_it_is_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"text": ["a", "b", "c"], "label": ["x", "y", "x"]}), tmp_path / "train.parquet")
    assert load_corpus(tmp_path).need_classifier().train.texts == ("a", "b", "c")
    monkeypatch.setattr("oratory.text.formats.MOST_ROWS", 2)
    with pytest.raises(InputError, match="has 3 rows; at most 2 are read"):
        load_corpus(tmp_path)


def test_numbers_and_missing_texts_of_a_table(tmp_path: Path) -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"text": ["a", "b"], "label": [1, 2], "more": pa.array([None, "x"])}), sink)
    (tmp_path / "train.parquet").write_bytes(sink.getvalue())
    assert load_corpus(tmp_path).need_classifier().label_names == ("1", "2")


def test_too_many_labels(tmp_path: Path) -> None:
    lines = [f"text {at}\tlabel {at}\n" for at in range(MOST_LABELS + 1)]
    (tmp_path / "train.tsv").write_text("text\tlabel\n" + "".join(lines))
    with pytest.raises(InputError, match=r"train.tsv: 1,001 different labels; at most 1,000 are read"):
        load_corpus(tmp_path)
    (tmp_path / "train.tsv").write_text("text\tlabel\n" + "".join(lines[:-1]))
    assert len(load_corpus(tmp_path).need_classifier().label_names) == MOST_LABELS


@pytest.mark.parametrize("name", ["corpus\udcff", "corpus"])
def test_names_that_are_not_utf8(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "train_LM.txt").write_text("a\nb\n")
    if name == "corpus":
        (folder / "test_LM_\udcff.txt").write_text("a\n")
    with pytest.raises(InputError, match=r"\\udcff.* has a name that is not UTF-8; rename it"):
        load_corpus(folder)


def refused(folder: Path, sentence: str) -> None:
    """The corpus is refused at once, with a sentence."""
    began = time.process_time()
    with pytest.raises(InputError, match=sentence):
        load_corpus(folder)
    assert time.process_time() - began < 5


def test_columns_that_nobody_wants_are_not_read(tmp_path: Path) -> None:
    rows = 3_000
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * 900_000]))
    more = {f"none {at}": pa.nulls(rows) for at in range(300)}
    more["inside"] = pa.StructArray.from_arrays([texts], ["it"])
    more["bytes"] = pa.DictionaryArray.from_arrays(texts.indices, texts.dictionary.cast(pa.binary()))
    words = {"text": [f"a {at}" for at in range(rows)], "label": ["a", "b"] * (rows // 2)}
    pq.write_table(pa.table(words | more), tmp_path / "train.parquet")
    began = time.process_time()
    assert len(load_corpus(tmp_path).need_classifier().train) == rows
    assert time.process_time() - began < 5


@pytest.mark.parametrize("kind", ["struct", "binary", "list"])
def test_a_column_that_is_neither_text_nor_numbers(tmp_path: Path, kind: str) -> None:
    values = {"struct": [{"it": "a"}] * 2, "binary": [b"a", b"b"], "list": [["a"], ["b"]]}[kind]
    pq.write_table(pa.table({"text": values, "label": ["x", "y"]}), tmp_path / "train.parquet")
    refused(tmp_path, f"the column 'text' is of the type {kind}.*; only text and numbers are read")


def test_only_wanted_columns_are_measured_and_nothing_is_kept_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"text": ["a" * 500, "b" * 600], "label": ["x", "y"], "more": ["c" * 9000, "d"]})
    pq.write_table(table, tmp_path / "train.parquet")
    monkeypatch.setattr("oratory.text.formats.MOST_BYTES", 1102)
    assert len(load_corpus(tmp_path).need_classifier().train) == 2
    monkeypatch.setattr("oratory.text.formats.MOST_BYTES", 500)
    monkeypatch.setattr("oratory.text.formats.ROWS_AT_ONCE", 1)
    refused(tmp_path, "is 501 bytes or more once it is unpacked; at most 500 are read")


def test_damage_that_pyarrow_does_not_survive_where_sizes_are_asked(tmp_path: Path) -> None:
    """Of a histogram with a wrong length in the footer: `RowGroupMetaData.column` would end the process."""
    sink = io.BytesIO()
    pq.write_table(pa.table({"text": ["a", "b", "c"], "label": ["x", "y", "x"]}), sink)
    content = sink.getvalue()
    assert content.count(MAY_BE_MISSING) == 1
    content = content.replace(MAY_BE_MISSING, MAY_NOT_BE_MISSING)
    (tmp_path / "train.parquet").write_bytes(content)
    refused(tmp_path, "is not a Parquet file that can be read .*histogram")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_cell_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    long = "word\n" * 30
    path = tmp_path / f"train.{ending}"
    if ending == "csv":
        path.write_text(f'text,label\na,x\n"{long}",y\n')
    elif ending == "jsonl":
        path.write_text('{"text": "a", "label": "x"}\n' + json.dumps({"text": long, "label": "y"}) + "\n")
    else:
        pq.write_table(pa.table({"text": ["a", long], "label": ["x", "y"]}), path, row_group_size=1)
    assert len(load_corpus(tmp_path).need_classifier().train) == 2
    monkeypatch.setattr("oratory.text.formats.LONGEST_LINE", 149)
    place = "row 2" if ending == "parquet" else f"line {3 if ending == 'csv' else 2}"
    refused(tmp_path, f"train.{ending}, {place}: 150 characters in one cell; at most 149 are read")


def test_a_text_that_is_not_unicode(tmp_path: Path) -> None:
    texts = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")])
    pq.write_table(pa.table({"text": texts, "label": ["x"]}), tmp_path / "train.parquet")
    refused(tmp_path, r"is not a Parquet file that can be read \('utf-8' codec can't decode")


def test_a_key_of_its_own_in_every_row(tmp_path: Path) -> None:
    rows = [json.dumps({"text": f"a {at}", "label": at % 2, f"key {at}": 1}) for at in range(20_000)]
    (tmp_path / "train.jsonl").write_text("\n".join(rows[:900]))
    assert len(load_corpus(tmp_path).need_classifier().train) == 900
    (tmp_path / "train.jsonl").write_text("\n".join(rows))
    refused(tmp_path, "train.jsonl, line 999: more than 1,000 different keys up to here")
    pq.write_table(pa.table({str(at): [1] for at in range(1001)}), tmp_path / "train.parquet")
    (tmp_path / "train.jsonl").unlink()
    refused(tmp_path, "train.parquet has 1,001 columns; at most 1,000 are read")


def test_of_every_row_only_the_wanted_keys_are_kept(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"text": "a", "label": 1, "more": "x"}\n{"text": "b", "label": 2}\n')
    table = read_table(tmp_path / "train.jsonl", Wanted())
    assert (table.columns, table.cells) == (("text", "label"), (("a", "1"), ("b", "2")))


@pytest.mark.parametrize("name", ["train.tsv", "train.csv", "train.jsonl"])
def test_tables_of_text_have_a_limit_too(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = '{"text": "Yes, we can.", "label": "a"}' if name.endswith("jsonl") else "Yes we can."
    (tmp_path / name).write_text(f"{line}\n" * 10)
    monkeypatch.setattr("oratory.text.formats.MOST_BYTES", 100)
    with pytest.raises(InputError, match=r"at most 100 are read.*Files of the reference layout .* may be larger"):
        load_corpus(tmp_path)


def test_rows_of_text_have_a_limit_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.tsv").write_text("text\tlabel\n" + "Yes, we can.\ta\nNo.\tb\n" * 5)
    monkeypatch.setattr("oratory.text.formats.MOST_ROWS", 9)
    with pytest.raises(InputError, match="has 10 rows; at most 9 are read"):
        load_corpus(tmp_path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_csv_with_any_line_ends(end: str, tmp_path: Path) -> None:
    rows = ["text,label", '"Yes,', 'we can.",a', "No.,b"]
    (tmp_path / "train.csv").write_bytes(end.join(rows).encode())
    texts = load_corpus(tmp_path).need_classifier().train.texts
    assert texts == ("Yes, we can.", "No.")
