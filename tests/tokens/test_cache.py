from pathlib import Path

import numpy as np
import pytest

from oratory import arrays
from oratory.files import cache_folder
from oratory.text import ClassifierData, Corpus, Labelled, LanguageData
from oratory.tokens import encode_classifier, encode_lm, kept, train_tokenizer
from oratory.tokens.corpus import KEPT
from oratory.tokens.word import WordTokenizer

CORPUS = Corpus(
    "small",
    ClassifierData(("a", "b"), Labelled(("one two", "three"), (0, 1)), None, Labelled(("two", ""), (0, 1))),
    LanguageData(("one two three", "four"), None, {"x/y": ("two four",)}),
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ORATORY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def count_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    calls: list[str] = []
    plain = WordTokenizer.measure

    def counted(self: WordTokenizer, text: str) -> tuple[list[int], list[int]]:
        calls.append(text)
        return plain(self, text)

    monkeypatch.setattr(WordTokenizer, "measure", counted)
    return calls


def test_the_second_time_nothing_is_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = train_tokenizer(CORPUS)
    calls = count_calls(monkeypatch)
    for encode in (encode_lm, encode_classifier):
        first = encode(CORPUS, tokenizer)
        spent = len(calls)
        second = encode(CORPUS, tokenizer)
        assert len(calls) == spent > 0
        assert list(first) == list(second)
        for name in first:
            for field in ("ids", "sizes", "starts"):
                one, other = getattr(first[name], field), getattr(second[name], field)
                np.testing.assert_array_equal(one, other)
                assert one.dtype == other.dtype


def test_another_tokenizer_has_another_entry(cache: Path) -> None:
    encode_lm(CORPUS, train_tokenizer(CORPUS))
    encode_lm(CORPUS, train_tokenizer(CORPUS, "word(min_count=2)"))
    assert len(list(cache.iterdir())) == 2


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty"])
def test_a_damaged_entry_is_made_again(cache: Path, damage: str) -> None:
    tokenizer = train_tokenizer(CORPUS)
    expected = encode_lm(CORPUS, tokenizer)["train"].ids
    (path,) = cache.iterdir()
    content = path.read_bytes()
    middle = len(content) - 8
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    path.write_bytes({"truncated": content[:-7], "flipped": flipped, "empty": b""}[damage])
    np.testing.assert_array_equal(encode_lm(CORPUS, tokenizer)["train"].ids, expected)
    assert path.read_bytes() == content


def test_a_cache_that_cannot_be_written_is_done_without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ORATORY_CACHE", str(tmp_path / "file" / "cache"))
    assert len(encode_lm(CORPUS, train_tokenizer(CORPUS))["train"]) == 2


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ORATORY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/oratory")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "oratory"


def test_large_texts_are_mapped(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    tokenizer = train_tokenizer(CORPUS, "word(specials=<START>+<STOP>)")
    expected = encode_lm(CORPUS, tokenizer)
    (path,) = cache.iterdir()
    content = path.read_bytes()
    path.unlink()
    monkeypatch.setattr(arrays, "LARGE", 8)
    monkeypatch.setattr(kept, "LARGE", 8)
    for _ in range(2):  # Encoded, and then read.
        found = encode_lm(CORPUS, tokenizer)
        for name, part in found.items():
            for field in ("ids", "sizes", "starts"):
                np.testing.assert_array_equal(getattr(part, field), getattr(expected[name], field))
        assert path.read_bytes() == content
    assert not found["train"].ids.flags.writeable
    first = expected["train"].first(3)
    assert len(first) == 1
    assert first.ids.tolist() == expected["train"][0].tolist()


def test_a_tokenizer_is_made_once_for_a_corpus_and_its_settings() -> None:
    one, same, other = (Corpus(name="c", lm=LanguageData((text, "The end."))) for text in ("A b.", "A b.", "A c."))
    made = train_tokenizer(one, "word", spelling=True)
    assert train_tokenizer(same, "word", spelling=True) is made
    assert train_tokenizer(one, "word").spelling is None
    assert train_tokenizer(one, "char").fingerprint != made.fingerprint
    assert train_tokenizer(other, "word").fingerprint != made.fingerprint
    for size in range(1, KEPT + 1):
        train_tokenizer(one, f"word(min_count={size})")
    again = train_tokenizer(one, "word", spelling=True)
    assert again is not made
    assert again.fingerprint == made.fingerprint
