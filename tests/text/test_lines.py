"""Lines that stay in their file are the same as those that are read."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oratory.errors import InputError
from oratory.text import Corpus, audit, lines, load_corpus
from oratory.text.lines import FileLines, JoinedTexts, file_lines
from oratory.tokens import train_tokenizer

WORDS = ("Tax", "cut", "war", "peace", "naïve", "über", "1,000", "日本", "‘quoted’", "-", "the", "of")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with whatever a line can have: blank lines, tabs, a byte order mark, CRLF, letters of several bytes."""
    place = tmp_path_factory.mktemp("corpus")
    chance = np.random.default_rng(0)

    def text(at: int) -> str:
        return " ".join(chance.choice(WORDS, chance.integers(1, 12))) + (" \t x" if at % 7 == 0 else "")

    for split, count in (("train", 200), ("test", 40)):
        rows = [f"{'ab'[at % 2]}\t{text(at)}" for at in range(count)]
        (place / f"{split}_CLS.tsv").write_text("\ufeff" + "\r\n".join(rows) + "\r\n\r\n")
    (place / "train_LM.txt").write_text("\n\n".join(text(at) for at in range(300)))
    (place / "test_LM_one.txt").write_text("\n".join(text(at) for at in range(50)) + "\n")
    return place


@pytest.fixture
def large(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    monkeypatch.setattr(lines, "LARGE", 0)
    monkeypatch.setattr(lines, "BLOCK", 300)
    found = load_corpus(folder)
    assert isinstance(found.need_lm().train, FileLines)
    assert isinstance(found.need_classifier().train.texts, FileLines)
    return found


def test_a_corpus_is_the_same(folder: Path, large: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LARGE", 1 << 30)
    read = load_corpus(folder)
    assert isinstance(read.need_lm().train, tuple)
    assert large == read
    assert read == large
    assert large.fingerprint == read.fingerprint
    assert audit(large).to_dict() == audit(read).to_dict()
    assert large.need_lm().seen("one") == read.need_lm().seen("one")
    assert large.need_classifier().seen == read.need_classifier().seen
    assert list(large.training_lines()) == list(read.training_lines())
    assert large.need_lm().train[5:9] == read.need_lm().train[5:9]


def test_dev_is_carved_alike(folder: Path, large: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    carved = large.with_dev()
    monkeypatch.setattr(lines, "LARGE", 1 << 30)
    read = load_corpus(folder).with_dev()
    assert carved == read
    assert carved.fingerprint == read.fingerprint
    assert isinstance(carved.need_lm().dev, FileLines)


def test_a_tokenizer_is_trained_once(
    large: Corpus, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORATORY_CACHE", str(tmp_path))
    first = train_tokenizer(large, "word", spelling=True)
    (kept,) = tmp_path.glob("*-tokenizer.json")
    again = train_tokenizer(large, "word", spelling=True)
    assert again.content() == first.content()
    kept.write_bytes(kept.read_bytes()[:-1])  # Damaged: it is trained again.
    assert train_tokenizer(large, "word", spelling=True).content() == first.content()
    monkeypatch.setattr(lines, "LARGE", 1 << 30)
    assert train_tokenizer(load_corpus(folder), "word", spelling=True).content() == first.content()


def test_a_file_that_changes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("one\ntwo\n")
    found = file_lines(path)
    assert list(found) == ["one", "two"]
    path.write_text("one\nother\n")
    with pytest.raises(InputError, match="has changed since it was read"):
        list(found)
    path.unlink()
    with pytest.raises(InputError, match="does not exist"):
        found[0]


def test_it_goes_to_other_processes(large: Corpus) -> None:
    assert pickle.loads(pickle.dumps(large)) == large


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), min_size=1, max_size=30),
    st.lists(st.integers(0, 29), max_size=40),
    st.integers(1, 60),
)
def test_any_lines_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], chosen: list[int], block: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "x"
    path.write_bytes("\n".join(texts).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", block)
        try:
            found = file_lines(path)
        except InputError:
            return  # Nothing in it, or no text.
        every = [found[at] for at in range(len(found))]
        assert list(found) == every
        picked = [at for at in chosen if at < len(found)]
        assert list(found.pick(picked)) == [every[at] for at in picked]
        joined = JoinedTexts(found, tuple(every))
        assert list(joined) == [joined[at] for at in range(len(joined))] == every * 2
