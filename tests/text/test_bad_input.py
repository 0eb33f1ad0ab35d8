"""Every bad input gets one sentence with file and line; here from Python, in tests/cli from the command line."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.text import load_corpus

Break = Callable[[Path], object]


def append(name: str, content: bytes) -> Break:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes() + content)


def replace(name: str, content: bytes) -> Break:
    return lambda folder: (folder / name).write_bytes(content)


def as_folder(name: str) -> Break:
    def change(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).mkdir()

    return change


BROKEN: dict[str, tuple[Break, str]] = {
    "empty file": (replace("train_LM.txt", b""), r"train_LM.txt is empty"),
    "blank file": (replace("train_LM.txt", b" \n\n"), r"train_LM.txt holds no text"),
    "no tab": (append("train_CLS.tsv", b"no tab here\n"), r"train_CLS.tsv, line 5: no tab"),
    "no label": (append("train_CLS.tsv", b"\ttext\n"), r"train_CLS.tsv, line 5: the label is missing"),
    "no text": (append("train_CLS.tsv", b"1\t \n"), r"train_CLS.tsv, line 5: the text is missing"),
    "new label in test": (
        append("test_CLS.tsv", b"7\tA text.\n"),
        r"test_CLS.tsv, line 3: the label '7' is not in train, which has 0, 1",
    ),
    "one label": (replace("train_CLS.tsv", b"0\ta\n0\tb\n"), r"train_CLS.tsv: every label is '0'"),
    "not UTF-8": (
        append("test_LM_a.txt", b"caf\xe9\n"),
        r"test_LM_a.txt, line 3: byte 0xE9 at offset 36 is not UTF-8",
    ),
    "not UTF-8 after a byte order mark": (
        replace("test_LM_a.txt", b"\xef\xbb\xbfok\ncaf\xe9\n"),
        r"test_LM_a.txt, line 2: byte 0xE9 at offset 9 is not UTF-8",
    ),
    "NUL byte": (append("train_LM.txt", b"a\0b\n"), r"train_LM.txt, line 3: a NUL byte"),
    "10 MB line": (
        append("train_LM.txt", b"x" * 10_000_000),
        r"train_LM.txt, line 3: 10,000,000 characters in one line; at most 1,000,000",
    ),
    "folder for a file": (as_folder("train_CLS.tsv"), r"train_CLS.tsv is a folder; a file was expected"),
    "test text without a name": (
        lambda folder: (folder / "test_LM.txt").write_text("A line.\n"),
        r"test_LM.txt is not a name of this layout",
    ),
    "test text called train": (
        lambda folder: (folder / "test_LM_train.txt").write_text("A line.\n"),
        r"test_LM_train.txt: a test text may not be called 'train'",
    ),
    "no train": (lambda folder: (folder / "train_CLS.tsv").unlink(), r"has no train_CLS.tsv"),
    "no train text": (lambda folder: (folder / "train_LM.txt").unlink(), r"has no train_LM.txt"),
    "two layouts": (
        lambda folder: (folder / "train.csv").write_text("text,label\na,b\n"),
        r"mixes two layouts \(train.csv and",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_reference_folder(folder: Path, case: str) -> None:
    change, message = BROKEN[case]
    change(folder)
    with pytest.raises(InputError, match=message):
        load_corpus(folder)


TABLES: dict[str, tuple[str, bytes, str]] = {
    "row too long": ("train.csv", b"text,label\nWell, you know,1\n", r"train.csv, line 2: 3 column\(s\) where"),
    "two columns of one name": ("train.csv", b"text,label,text\na,b,c\n", r"2 columns are called 'text'"),
    "surrogate": ("train.jsonl", b'{"text": "\\ud800", "label": 1}\n', r"half of a surrogate pair in 'text'"),
    "NaN for a label": ("train.jsonl", b'{"text": "a", "label": NaN}\n', r"line 1: the label is missing"),
    "row too short": ("train.tsv", b"text\tlabel\na b\tx\nc d\n", r"train.tsv, line 3: 1 column"),
    "three columns, no header": ("train.tsv", b"1\ta b\tx\n2\tc d\ty\n", r"train.tsv, line 1: 3 column"),
    "either could be the label": ("train.tsv", b"up\tdown\nleft\tright\n", r"train.tsv: either column could be"),
    "header only": ("train.csv", b"text,label\n", r"train.csv holds no rows"),
    "open quote": ("train.csv", b'text,label\n"a,b\n', r"train.csv, line 2: not CSV"),
    "not JSON": ("train.jsonl", b'{"text": "a", "label": 1}\n{oops\n', r"train.jsonl, line 2: not JSON"),
    "not an object": ("train.jsonl", b"[1, 2]\n", r"train.jsonl, line 1: not an object"),
    "missing label": ("train.jsonl", b'{"text": "a", "label": 1}\n{"text": "b"}\n', r"line 2: the label is missing"),
    "nested text": ("train.jsonl", b'{"text": {"a": 1}, "label": 1}\n', r"line 1: the text is missing"),
    "NUL in JSON": ("train.jsonl", b'{"text": "a\\u0000", "label": 1}\n', r"line 1: a NUL byte in 'text'"),
    "not Parquet": ("train.parquet", b"PAR1 not really", r"train.parquet is not a Parquet file"),
    "no columns of these names": (
        "train.csv",
        b"label,stars\na,1\n",
        r"none of the columns label, stars is called text",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_broken_table(tmp_path: Path, case: str) -> None:
    name, content, message = TABLES[case]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_corpus(tmp_path)


def test_folder_that_is_none(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(InputError, match="does not exist; give sotu, a folder, a table such as"):
        load_corpus(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is a file; give the folder"):
        load_corpus(folder / "train_LM.txt")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="is an empty folder"):
        load_corpus(tmp_path / "empty")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.md").write_text("hello")
    with pytest.raises(InputError, match="holds no corpus"):
        load_corpus(tmp_path / "other")
    with pytest.raises(InputError, match="an empty name"):
        load_corpus("")
    with pytest.raises(InputError, match="cannot be read: File name too long"):
        load_corpus("x" * 300)


def test_two_files_for_one_split(tmp_path: Path) -> None:
    for name in ("train.csv", "train.tsv"):
        (tmp_path / name).write_text("x")
    with pytest.raises(InputError, match=r"two files for train: train.csv and train.tsv"):
        load_corpus(tmp_path)


def test_columns_cannot_be_named_where_there_are_none(folder: Path) -> None:
    with pytest.raises(InputError, match="no columns to name"):
        load_corpus(f"folder(path={folder},text=text)")


def test_a_pipe_is_no_file(folder: Path) -> None:
    (folder / "train_LM.txt").unlink()
    os.mkfifo(folder / "train_LM.txt")
    with pytest.raises(InputError, match="is not a regular file"):
        load_corpus(folder)


@pytest.fixture
def not_root() -> Iterator[None]:
    """To root every file is open, so root becomes somebody else for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_no_read_permission(folder: Path, request: pytest.FixtureRequest) -> None:
    (folder / "train_LM.txt").chmod(0)
    for parent in folder.parents[:4]:
        parent.chmod(0o755)
    request.getfixturevalue("not_root")
    with pytest.raises(InputError, match=r"train_LM.txt may not be read: no permission"):
        load_corpus(folder)


def test_no_permission_for_the_folder(folder: Path, request: pytest.FixtureRequest) -> None:
    folder.chmod(0)
    for parent in folder.parents[:4]:
        parent.chmod(0o755)
    request.getfixturevalue("not_root")
    with pytest.raises(InputError, match=r"corpus may not be read: no permission"):
        load_corpus(folder)


def test_one_column_cannot_be_both(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("text,label\na,b\n")
    with pytest.raises(InputError, match="'label' cannot be text and label at once"):
        load_corpus(f"folder(path={tmp_path},text=label)")


def test_a_third_column_in_test_alone(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("a b c\t0\nd e f\t1\n")
    (tmp_path / "test.tsv").write_text("a b c\t0\tmore\n")
    with pytest.raises(InputError, match=r"test.tsv, line 1: 3 column\(s\) where there should be 2"):
        load_corpus(tmp_path)


def test_what_is_not_asked_for_may_be_odd(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text(
        '{"text": "a", "label": 1, "x": NaN}\n{"text": "b", "label": 2.0, "x": [1]}\n'
    )
    assert load_corpus(tmp_path).need_classifier().label_names == ("1", "2")
