"""What holds for every tokenizer."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oratory.errors import InputError
from oratory.text import Corpus, LanguageData
from oratory.tokens import Tokenizer, encode_lm, load_tokenizer, train_tokenizer
from oratory.tokens.encoded import Encoded

LINES = tuple(f"The state of our union, in year {i}, is naïve and strong: it's “good” – isn't it?" for i in range(60))
CORPUS = Corpus("lines", lm=LanguageData(LINES, None, {"t": ("A new line with Zürich.",)}))


@pytest.fixture(scope="module")
def wordpiece(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published tokenizer as a folder: BERT's kind, from the library that published ones come from."""
    from tokenizers import BertWordPieceTokenizer

    folder = tmp_path_factory.mktemp("published")
    tokenizer = BertWordPieceTokenizer()
    tokenizer.train_from_iterator(LINES, vocab_size=200, show_progress=False)
    tokenizer.enable_padding(length=64)
    tokenizer.enable_truncation(8)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"pad_token": "[PAD]", "unk_token": {"content": "[UNK]"}, "tokenizer_class": "BertTokenizer"})
    )
    return folder


@pytest.fixture(scope="module", params=["word", "char", "bpe(size=300)", "pretrained"])
def tokenizer(request: pytest.FixtureRequest, wordpiece: Path) -> Tokenizer:
    name = f"pretrained:{wordpiece}" if request.param == "pretrained" else request.param
    return train_tokenizer(CORPUS, name)


def test_ids_tokens_and_range(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(LINES[0])
    assert ids
    assert all(0 <= index < len(tokenizer) for index in ids)
    assert [tokenizer.id(tokenizer.token(index)) for index in ids] == ids
    assert 0 <= tokenizer.pad_id < len(tokenizer)
    for wrong in (-1, len(tokenizer)):
        with pytest.raises(InputError, match=f"The id {wrong} is out of range"):
            tokenizer.token(wrong)
        with pytest.raises(InputError, match="out of range"):
            tokenizer.decode([0, wrong])


@settings(deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=80))
def test_sizes_are_the_bytes_of_the_text(tokenizer: Tokenizer, text: str) -> None:
    ids, sizes = tokenizer.measure(text)
    assert tokenizer.encode(text) == ids
    assert all(size >= 0 for size in sizes)
    if ids:
        assert sum(sizes) == len(text.encode())


def test_many_at_once_is_one_by_one(tokenizer: Tokenizer) -> None:
    texts = [*LINES[:5], "", "x"]
    many = tokenizer.measure_all(texts)
    one = Encoded.of(map(tokenizer.measure, texts))
    assert len(many) == 7
    for field in ("ids", "sizes", "starts"):
        np.testing.assert_array_equal(getattr(many, field), getattr(one, field))
    assert many[2].tolist() == tokenizer.encode(LINES[2])


def test_saving_and_loading(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "tokenizer.json")
    again = load_tokenizer(tmp_path / "tokenizer.json")
    assert type(again) is type(tokenizer)
    assert again.fingerprint == tokenizer.fingerprint
    assert (again.pad_id, again.unk_id, len(again)) == (tokenizer.pad_id, tokenizer.unk_id, len(tokenizer))
    text = "A naïve new state – it's “Zürich”."
    assert again.measure(text) == tokenizer.measure(text)


def test_decoding_gives_known_text_back(tokenizer: Tokenizer) -> None:
    decoded = tokenizer.decode([*tokenizer.encode("The state of our union is strong?"), tokenizer.pad_id])
    assert decoded.casefold() == "the state of our union is strong?"


def test_training_again_gives_the_same(tokenizer: Tokenizer, wordpiece: Path) -> None:
    names = {"word": "word", "char": "char", "bpe": "bpe(size=300)", "pretrained": f"pretrained:{wordpiece}"}
    assert train_tokenizer(CORPUS, names[tokenizer.kind]).fingerprint == tokenizer.fingerprint


def test_bpe_knows_every_text() -> None:
    tokenizer = train_tokenizer(CORPUS, "bpe(size=300,specials=<CLS>)")
    assert tokenizer.decode(tokenizer.encode("Ünknown 漢字 🙂\n")) == "Ünknown 漢字 🙂\n"
    assert tokenizer.find("<CLS>") == 2
    with pytest.raises(InputError, match="the size must be at least 258"):
        train_tokenizer(CORPUS, "bpe(size=100)")


def test_special_tokens_in_a_text_are_text_to_bpe() -> None:
    tokenizer = train_tokenizer(CORPUS, "bpe(size=300,specials=<START>)")
    for text in ("use <pad> here", "<START>", "a <unk> b"):
        ids = tokenizer.encode(text)
        assert min(ids) > 2
        assert tokenizer.decode(ids) == text


@pytest.mark.parametrize("name", ["bpe(specials=<pad>)", "bpe(min_count=-1)", "bpe(size=99999999999999999999)"])
def test_bpe_that_makes_no_sense(name: str) -> None:
    with pytest.raises(InputError):
        train_tokenizer(CORPUS, name)


def test_a_published_vocabulary_with_gaps(tmp_path: Path) -> None:
    from tokenizers import Tokenizer as Published
    from tokenizers import models, pre_tokenizers

    published = Published(models.WordLevel({"[UNK]": 0, "a": 10, "b": 20}, unk_token="[UNK]"))
    published.pre_tokenizer = pre_tokenizers.Whitespace()
    published.save(str(tmp_path / "tokenizer.json"))
    tokenizer = train_tokenizer(CORPUS, f"pretrained:{tmp_path}")
    assert len(tokenizer) == 21
    assert tokenizer.decode(tokenizer.encode("a b")) == "a b"
    assert tokenizer.token(15) == ""


def test_char_marks_what_it_does_not_know() -> None:
    tokenizer = train_tokenizer(CORPUS, "char")
    assert tokenizer.decode(tokenizer.encode("one 漢\n")) == "one \N{REPLACEMENT CHARACTER}\n"
    assert tokenizer.measure("ü漢")[1] == [2, 3]


def test_pretrained_takes_no_padding_and_no_truncation_along(wordpiece: Path) -> None:
    tokenizer = train_tokenizer(CORPUS, f"pretrained:{wordpiece / 'tokenizer.json'}")
    assert len(tokenizer.encode(LINES[0])) > 8
    assert tokenizer.token(tokenizer.pad_id) == "[PAD]"
    assert tokenizer.unk_id == tokenizer.find("[UNK]")
    assert tokenizer.id("never seen") == tokenizer.unk_id


def test_start_and_stop_stand_around_every_line() -> None:
    plain, wrapped = (train_tokenizer(CORPUS, name) for name in ("word", "word(specials=<START>+<STOP>)"))
    before, after = encode_lm(CORPUS, plain)["train"], encode_lm(CORPUS, wrapped)["train"]
    assert len(after.ids) == len(before.ids) + 2 * len(LINES)
    for index in range(len(LINES)):
        tokens = [wrapped.token(i) for i in after[index]]
        assert (tokens[0], tokens[-1]) == ("<START>", "<STOP>")
        assert tokens[1:-1] == [plain.token(i) for i in before[index]]
    assert after.sizes.sum() == before.sizes.sum() == sum(len(line.encode()) + 1 for line in LINES)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wrod", "There is no tokenizer 'wrod'. Did you mean 'word'"),
        ("word(min_cont=3)", "There is no parameter of word 'min_cont'. Did you mean 'min_count'"),
        ("word(min_count=three)", "'three' is not a whole number"),
        ("word(min_count)", "is not parameter=value"),
        ("word(", "is not a tokenizer"),
        ("pretrained", "pretrained needs its parameter 'path'"),
    ],
)
def test_settings_that_are_wrong(name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        train_tokenizer(CORPUS, name)
    assert message in str(caught.value)


def test_pretrained_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no tokenizer.json; save it with transformers"):
        train_tokenizer(CORPUS, f"pretrained:{tmp_path}")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match="is not a tokenizer of the library tokenizers"):
        train_tokenizer(CORPUS, f"pretrained:{tmp_path}")
    (tmp_path / "tokenizer.json").write_text("nonsense")
    with pytest.raises(InputError, match="is not a JSON file"):
        train_tokenizer(CORPUS, f"pretrained:{tmp_path}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"kind": "morse"}', "is not a tokenizer that Oratory saved"),
        ('{"kind": "word"}', "is not a whole word tokenizer"),
        ('{"kind": []}', "is not a tokenizer that Oratory saved"),
        ('{"kind": "char", "tokens": ["<pad>", "<unk>", "a"], "specials": null}', "specials must be a whole number"),
        ('{"kind": "char", "tokens": ["<pad>", "<unk>", "a"], "specials": 4}', "4 of 3 tokens cannot be special"),
        ('{"kind": "word", "tokens": ["<pad>", "<unk>", 1], "specials": 2}', r"tokens\[2\] must be text"),
        ('{"kind": "bpe", "tokenizer": {}, "pad_id": 0, "unk_id": 1}', "is not a whole bpe tokenizer"),
        ("[1]", "is not a JSON object"),
        ("{", "is not a JSON file"),
        ("", "is empty"),
    ],
)
def test_files_that_are_no_tokenizer(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "t.json").write_text(content)
    with pytest.raises(InputError, match=message):
        load_tokenizer(tmp_path / "t.json")
