"""Tokenizers of runs as those of the library `tokenizers`."""

from pathlib import Path
from typing import Any

import pytest
import tokenizers

from oratory.text import load_corpus
from oratory.tokens import train_tokenizer


@pytest.mark.parametrize("kind", ["bpe(size=300)", "char"])
def test_it_gives_the_same_ids(folder: Any, tmp_path: Path, kind: Any) -> None:
    own = train_tokenizer(load_corpus(folder), kind)
    found = own.for_tokenizers()
    assert found is not None
    (tmp_path / "tokenizer.json").write_text(found.to_str())
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in ("We will go on.", "God  bless\nzounds, café!"):
        assert theirs.encode(text, add_special_tokens=False).ids == own.encode(text)


def test_the_word_rules_of_nltk_have_no_such_form(folder: Any) -> None:
    assert train_tokenizer(load_corpus(folder), "word").for_tokenizers() is None
