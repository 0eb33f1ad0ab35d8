import os
from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.text import Corpus, export, load_corpus


def test_an_exported_corpus_reads_back_as_it_was(sotu: Corpus, tmp_path: Path) -> None:
    files = export(sotu, tmp_path / "out" / "sotu")
    assert {path.name for path in files} == {path.name for path in (tmp_path / "out" / "sotu").iterdir()}
    assert load_corpus(tmp_path / "out" / "sotu").fingerprint == sotu.fingerprint


def test_carved_dev_is_exported_too(folder: Path, tmp_path: Path) -> None:
    rows = [f"{i % 2}\tSentence number {i}." for i in range(40)]
    (folder / "train_CLS.tsv").write_text("\n".join(rows))
    (folder / "train_LM.txt").write_text("\n".join(f"Line {i}." for i in range(40)))
    carved = load_corpus(folder).with_dev()
    export(carved, tmp_path / "new")
    assert load_corpus(tmp_path / "new").fingerprint == carved.fingerprint


def test_an_empty_folder_is_filled_and_a_full_one_refused(folder: Path, tmp_path: Path) -> None:
    corpus = load_corpus(folder)
    (tmp_path / "empty").mkdir()
    export(corpus, tmp_path / "empty")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(InputError, match="not an empty folder"):
        export(corpus, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_nothing_is_left_behind_when_writing_fails(folder: Path, tmp_path: Path) -> None:
    corpus = load_corpus(folder)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot be written"):
        export(corpus, tmp_path / "file" / "below")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus", "file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(InputError, match="cannot be written"):
        export(load_corpus(folder), tmp_path / "locked" / "new")
