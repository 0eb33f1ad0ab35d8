import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oratory.errors import InputError
from oratory.text import ClassifierData, Corpus, Labelled, LanguageData, export, load_corpus
from oratory.text.corpus import label_order
from oratory.text.normal import one_line


def test_an_exported_corpus_reads_back_as_it_was(sotu: Corpus, tmp_path: Path) -> None:
    files = export(sotu, str(tmp_path / "out" / "sotu"))
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


line = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12).map(one_line).filter(bool)
)


@settings(deadline=None)
@given(
    st.lists(st.tuples(line, line), min_size=2, max_size=8, unique_by=lambda row: row[1]), st.lists(line, min_size=1)
)
def test_any_text_survives_the_way_out_and_in(rows: list[tuple[str, str]], lines: list[str]) -> None:
    names = label_order({label for _, label in rows})
    data = ClassifierData(names, Labelled(tuple(t for t, _ in rows), tuple(names.index(label) for _, label in rows)))
    corpus = Corpus("any", data, LanguageData(tuple(lines), None, {"t": tuple(lines)}))
    with tempfile.TemporaryDirectory() as folder:
        export(corpus, Path(folder) / "out")
        assert load_corpus(Path(folder) / "out").fingerprint == corpus.fingerprint
