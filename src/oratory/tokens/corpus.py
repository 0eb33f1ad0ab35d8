"""A corpus through a tokenizer, once: encoded texts are kept in a cache."""

import dataclasses
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from oratory import __version__
from oratory.errors import InputError
from oratory.files import cache_folder, read_object
from oratory.ids import key_of
from oratory.settings import choose, written
from oratory.text import Corpus
from oratory.tokens.bpe import Bpe, BpeTokenizer
from oratory.tokens.char import Char, CharTokenizer
from oratory.tokens.encoded import Encoded
from oratory.tokens.kept import read_encoded, read_kept, write_encoded, write_kept
from oratory.tokens.pretrained import EncoderTokenizer, Pretrained, PretrainedTokenizer
from oratory.tokens.spelling import Spelling
from oratory.tokens.tokenizer import Tokenizer
from oratory.tokens.word import Word, WordTokenizer

SETTINGS: dict[str, type] = {"word": Word, "char": Char, "bpe": Bpe, "pretrained": Pretrained}
"""What `tokenizer=...` can be."""

TOKENIZERS: dict[str, type[Tokenizer]] = {
    cls.kind: cls for cls in (WordTokenizer, CharTokenizer, BpeTokenizer, PretrainedTokenizer, EncoderTokenizer)
}

KEPT = 4
"""Tokenizers that are kept in memory, since one run after the other asks for the same."""
_MADE: dict[tuple[str, str, bool], Tokenizer] = {}


class Trainable(Protocol):
    """Settings of a tokenizer."""

    def train(self, lines: Sequence[str]) -> Tokenizer: ...


def train_tokenizer(corpus: Corpus, settings: str | Trainable = "word", *, spelling: bool = False) -> Tokenizer:
    """A tokenizer whose vocabulary comes from the training texts of both tasks, and from nothing else.

    These are the texts of the corpus as it was given: the vocabulary does not depend on whether a dev was carved from
    them. With `spelling`, it also learns to spell what its tokens leave open, as a language model needs it.
    """
    chosen: Trainable = choose(settings, SETTINGS, "tokenizer") if isinstance(settings, str) else settings
    given = corpus.given or corpus
    if not isinstance(settings, str) or isinstance(chosen, Pretrained):  # Whose file may change.
        return _trained(given, settings, chosen, spelling)
    key = (given.fingerprint, settings, spelling)
    made = _MADE.get(key)
    if made is None:
        made = _MADE[key] = _trained(given, settings, chosen, spelling)
        if len(_MADE) > KEPT:
            del _MADE[next(iter(_MADE))]
    return made


def _trained(given: Corpus, settings: str | Trainable, chosen: Trainable, spelling: bool) -> Tokenizer:
    lines = given.training_lines()
    large = not isinstance(lines, tuple | list) and not isinstance(chosen, Pretrained)
    path = _place(given, settings, spelling) if large and isinstance(settings, str) else None
    known = path and read_kept(path)
    if known:
        return tokenizer_of(json.loads(known), str(path))
    tokenizer = chosen.train(lines)
    if spelling:
        tokenizer.spelling = Spelling.learn(lines, tokenizer)
    if path:
        write_kept(path, tokenizer.content().encode())
    return tokenizer


def _place(corpus: Corpus, settings: str, spelling: bool) -> Path:
    """Where the tokenizer of a corpus with large files is kept, for which training takes minutes."""
    key = key_of(["tokenizer", corpus.fingerprint, settings, spelling, __version__])
    return cache_folder() / f"{key[:32]}-tokenizer.json"


def with_special(settings: str, token: str) -> str:
    """The settings of a tokenizer with one more special token; a published one has those it has."""
    chosen = choose(settings, SETTINGS, "tokenizer")
    if token in getattr(chosen, "specials", (token,)):
        return settings
    return written(dataclasses.replace(chosen, specials=(*chosen.specials, token)), settings.partition("(")[0])


def load_tokenizer(path: str | os.PathLike[str]) -> Tokenizer:
    """The tokenizer that `save` wrote."""
    return tokenizer_of(read_object(Path(path)), path)


def tokenizer_of(values: dict[str, Any], path: str | os.PathLike[str]) -> Tokenizer:
    """The tokenizer that was saved as these values, in a file of this name."""
    kind, spelling = values.pop("kind", None), values.pop("spelling", None)
    if not isinstance(kind, str) or kind not in TOKENIZERS:
        raise InputError(f"{path} is not a tokenizer that Oratory saved; for others write pretrained:PATH.")
    try:
        tokenizer = TOKENIZERS[kind].from_dict(values)
        tokenizer.spelling = None if spelling is None else Spelling.from_dict(spelling)
        return tokenizer
    except Exception as error:  # a damaged file can be wrong in any way, and the library raises plain Exception
        raise InputError(f"{path} is not a whole {kind} tokenizer ({type(error).__name__}: {error}).") from None


def encode_classifier(corpus: Corpus, tokenizer: Tokenizer) -> dict[str, Encoded]:
    """The labelled texts as ids, by split; from the cache when they were encoded before."""
    texts = {name: split.texts for name, split in corpus.need_classifier().splits()}
    return _cached(corpus, tokenizer, "classifier", texts, tokenizer.measure_all)


def encode_lm(corpus: Corpus, tokenizer: Tokenizer) -> dict[str, Encoded]:
    """The running text as ids: train, dev and each test text; from the cache when it was encoded before.

    It is encoded line by line, each with the end of its line, and between <START> and <STOP> where the tokenizer
    has them. Joined to one stream, this is what language models learn from and are measured on.
    """
    return _cached(corpus, tokenizer, "lm", dict(corpus.need_lm().texts()), tokenizer.measure_lines)


def _cached(
    corpus: Corpus,
    tokenizer: Tokenizer,
    task: str,
    texts: Mapping[str, Sequence[str]],
    encode: Callable[[Sequence[str]], Encoded],
) -> dict[str, Encoded]:
    """Texts by name as ids: read from the file that an earlier call wrote, or encoded and written.

    Large ones are mapped from that file, so that they take no memory but for what is looked at.
    """
    path = cache_folder() / f"{corpus.fingerprint}-{tokenizer.fingerprint}-{task}.safetensors"
    known = read_encoded(path, texts)
    if known is not None:
        return known
    encoded = {name: encode(lines) for name, lines in texts.items()}
    write_encoded(path, encoded)
    return encoded
