"""A model of tokens is closed over text: no tokenizer gains by what it does not know."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from oratory.text import Corpus, LanguageData
from oratory.tokens import Tokenizer, encode_lm, load_tokenizer, train_tokenizer
from oratory.tokens.ngrams import NgramCounts
from oratory.tokens.pretrained import PretrainedTokenizer
from oratory.tokens.scoring import bits_per_byte, count_words, perplexity_per_word
from oratory.tokens.spelling import Spelling, spelled

LINES = ("ab ab a.", 'a "ab" ba.', "aa ab a ba a.", "ab  a b a.", '"a" a ab.', "b ab aba bab.")
CORPUS = Corpus("letters", lm=LanguageData(LINES, None, {"t": ("ab bba.", "aab a")}))
ALPHABET = "ab .\n"


def published(folder: Path, lowercase: bool = True, drop: str = "") -> str:
    """A published tokenizer that changes the text, and perhaps leaves some of it out."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    words = {"[UNK]": 0, "a": 1, "ab": 2, "ba": 3, ".": 4, '"': 5, "b": 6}
    inner = Tokenizer(models.WordLevel(words, "[UNK]"))
    changes: list[normalizers.Normalizer] = [normalizers.Lowercase()] if lowercase else []
    changes += [normalizers.Replace(Regex(drop), "")] if drop else []
    inner.normalizer = normalizers.Sequence(changes)
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    folder.mkdir(exist_ok=True)
    inner.save(str(folder / "tokenizer.json"))
    return f"pretrained:{folder}"


@pytest.fixture(
    params=["word", "word(min_count=3)", "word(min_count=9)", "char(min_count=6)", "bpe(size=262)", "published"]
)
def tokenizer(request: pytest.FixtureRequest, tmp_path: Path) -> Tokenizer:
    name = published(tmp_path / "published") if request.param == "published" else request.param
    return train_tokenizer(CORPUS, name, spelling=True)


def texts(length: int) -> list[list[str]]:
    """Every text of so many letters and line ends, as lines of which none is blank."""
    made = ("".join(letters).split("\n") for letters in product(ALPHABET, repeat=length))
    return [lines for lines in made if all(line.strip() for line in lines)]


def costs(length: int, tokenizer: Tokenizer) -> NDArray[np.float64]:
    """For each of these texts, the nats of its tokens, and those of what they leave open."""
    counts = NgramCounts(encode_lm(CORPUS, tokenizer)["train"].ids, len(tokenizer), 2)
    found = []
    for lines in texts(length):
        encoded = tokenizer.measure_lines(lines)
        found.append((counts.nats(encoded.ids, 2, 0.75).sum(), spelled(lines, encoded, tokenizer).sum()))
    return np.array(found)


@pytest.mark.parametrize("length", [1, 2, 4])
def test_all_texts_of_one_length_together_have_at_most_all_probability(tokenizer: Tokenizer, length: int) -> None:
    assert 0 < np.exp(-costs(length, tokenizer).sum(axis=1)).sum() <= 1


def test_without_the_spelling_they_have_more() -> None:
    tokenizer = train_tokenizer(CORPUS, "word(min_count=9)", spelling=True)
    assert np.exp(-costs(4, tokenizer)[:, 0]).sum() > 5


def test_all_words_together_have_at_most_all_probability() -> None:
    spelling = Spelling(("a", "ab", "bab", "ä"), None)
    words = [bytes(word) for length in range(3) for word in product(range(256), repeat=length)]
    total = np.exp(-spelling.nats(words)).sum()
    assert 0.4 < total <= 1


def test_a_token_pays_for_what_it_leaves_open() -> None:
    tokenizer = train_tokenizer(CORPUS, "word(min_count=3)", spelling=True)
    assert tokenizer.spelling is not None
    encoded = tokenizer.measure_lines(["ab  bbb"])
    known, unknown = spelled(["ab  bbb"], encoded, tokenizer)
    plain = spelled(["ab bbb"], tokenizer.measure_lines(["ab bbb"]), tokenizer)
    assert 0 < known < 1
    assert unknown > tokenizer.spelling.nats([b"bbb"])[0]
    assert plain[1] < unknown, "two blanks are rare"


@pytest.mark.parametrize("name", ["char", "bpe(size=262)"])
def test_tokens_that_tell_everything_cost_nothing_more(name: str) -> None:
    for spelling in (True, False):
        tokenizer = train_tokenizer(CORPUS, name, spelling=spelling)
        assert tokenizer.exact
        assert not spelled(LINES, tokenizer.measure_lines(LINES), tokenizer).any()


def test_words_are_spelled_whatever_they_are() -> None:
    for words in ((), ("",), ("a", "ab")):
        found = Spelling(words, None).nats([b"", b"a", "ü漢🙂".encode(), b"z" * 5000, b"\xff"])
        assert np.isfinite(found).all()
        assert (found > 0).all()
    assert len(Spelling(("a",), None).nats([])) == 0


def test_a_stretch_too_unlikely_for_a_number_has_a_finite_cost(tmp_path: Path) -> None:
    tokenizer = train_tokenizer(CORPUS, published(tmp_path / "published", drop="[xyz]"), spelling=True)
    line = "a " + "xyz" * 500 + "ab"
    found = spelled([line], tokenizer.measure_lines([line]), tokenizer)
    assert found.max() > 1000
    assert np.isfinite(found).all()


def test_capitals_that_a_tokenizer_drops_are_paid_for(tmp_path: Path) -> None:
    tokenizer = train_tokenizer(CORPUS, published(tmp_path / "published"), spelling=True)
    small, large = (spelled([line], tokenizer.measure_lines([line]), tokenizer).sum() for line in ("ab ba", "AB ba"))
    assert large > small + 5


def test_text_that_has_no_token_cannot_be_known(tmp_path: Path) -> None:
    tokenizer = train_tokenizer(CORPUS, published(tmp_path / "published", drop="[0-9]+"), spelling=True)
    lines = ["ab a.", "1999"]
    found = spelled(lines, tokenizer.measure_lines(lines), tokenizer)
    assert len(found) == 3
    assert np.isnan(found).all()
    assert np.isnan(bits_per_byte(np.ones(3), found, 10))
    assert np.isnan(perplexity_per_word(np.ones(3), found, 4))


def test_a_tokenizer_that_learned_no_spelling_says_so() -> None:
    tokenizer = train_tokenizer(CORPUS)
    assert tokenizer.spelling is None
    assert np.isnan(spelled(["ab"], tokenizer.measure_lines(["ab"]), tokenizer)).all()
    chars = train_tokenizer(CORPUS, "char")
    assert np.isnan(spelled(["az"], chars.measure_lines(["az"]), chars)).tolist() == [False, True, False]


def test_the_spelling_is_saved_and_changes_no_fingerprint(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "tokenizer.json")
    again = load_tokenizer(tmp_path / "tokenizer.json")
    lines = ["ab bbb zz", 'a "ü" b.']
    one, other = (spelled(lines, each.measure_lines(lines), each) for each in (tokenizer, again))
    np.testing.assert_array_equal(one, other)
    assert again.spelling is not None
    assert tokenizer.spelling is not None
    assert again.spelling.fingerprint == tokenizer.spelling.fingerprint
    values = json.loads((tmp_path / "tokenizer.json").read_text())
    del values["spelling"]
    (tmp_path / "old.json").write_text(json.dumps(values))
    old = load_tokenizer(tmp_path / "old.json")
    assert old.spelling is None
    assert old.fingerprint == tokenizer.fingerprint


def test_which_published_tokenizers_tell_everything(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, normalizers, pre_tokenizers

    made = train_tokenizer(CORPUS, "bpe(size=262)").to_dict()["tokenizer"]
    inner = Tokenizer.from_str(json.dumps(made))
    assert PretrainedTokenizer(inner, 0, None).exact
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    assert not PretrainedTokenizer(inner, 0, None).exact
    inner = Tokenizer.from_str(json.dumps(made))
    inner.normalizer = normalizers.Lowercase()
    assert not PretrainedTokenizer(inner, 0, None).exact
    assert not train_tokenizer(CORPUS, published(tmp_path / "published", lowercase=False)).exact


def test_words_of_a_text() -> None:
    assert count_words(["It isn't, is it?", "No."]) == 7 + 2
    assert perplexity_per_word(np.log([2.0, 2.0]), np.log([1.0, 4.0]), 2) == pytest.approx(4)
    assert np.isnan(perplexity_per_word(np.ones(1), np.ones(1), 0))


def test_the_vocabulary_does_not_depend_on_a_carved_dev() -> None:
    lines = tuple(f"word{number} comes again" for number in range(20))
    corpus = Corpus("numbers", lm=LanguageData(lines))
    for name in ("word", "bpe(size=270)"):
        whole, carved = (train_tokenizer(each, name, spelling=True) for each in (corpus, corpus.with_dev()))
        assert whole.fingerprint == carved.fingerprint
        assert whole.spelling is not None
        assert carved.spelling is not None
        assert whole.spelling.fingerprint == carved.spelling.fingerprint
    assert len(corpus.with_dev().need_lm().train) < len(lines)
