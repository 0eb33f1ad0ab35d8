"""A corpus through a tokenizer, once: encoded texts are kept in a cache."""

import dataclasses
import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from safetensors import SafetensorError
from safetensors.numpy import load, save

from oratory.errors import InputError
from oratory.files import read_object, write_bytes
from oratory.settings import choose, written
from oratory.text import Corpus
from oratory.tokens.bpe import Bpe, BpeTokenizer
from oratory.tokens.char import Char, CharTokenizer
from oratory.tokens.encoded import Encoded
from oratory.tokens.pretrained import EncoderTokenizer, Pretrained, PretrainedTokenizer
from oratory.tokens.spelling import Spelling
from oratory.tokens.tokenizer import Tokenizer
from oratory.tokens.word import Word, WordTokenizer

SETTINGS: dict[str, type] = {"word": Word, "char": Char, "bpe": Bpe, "pretrained": Pretrained}
"""What `tokenizer=...` can be."""

TOKENIZERS: dict[str, type[Tokenizer]] = {
    cls.kind: cls for cls in (WordTokenizer, CharTokenizer, BpeTokenizer, PretrainedTokenizer, EncoderTokenizer)
}

_DIGEST = hashlib.sha256().digest_size


class Trainable(Protocol):
    """Settings of a tokenizer."""

    def train(self, lines: tuple[str, ...]) -> Tokenizer: ...


def train_tokenizer(corpus: Corpus, settings: str | Trainable = "word", *, spelling: bool = False) -> Tokenizer:
    """A tokenizer whose vocabulary comes from the training texts of both tasks, and from nothing else.

    These are the texts of the corpus as it was given: the vocabulary does not depend on whether a dev was carved from
    them. With `spelling`, it also learns to spell what its tokens leave open, as a language model needs it.
    """
    chosen: Trainable = choose(settings, SETTINGS, "tokenizer") if isinstance(settings, str) else settings
    lines = (corpus.given or corpus).training_lines()
    tokenizer = chosen.train(lines)
    if spelling:
        tokenizer.spelling = Spelling.learn(lines, tokenizer)
    return tokenizer


def with_special(settings: str, token: str) -> str:
    """The settings of a tokenizer with one more special token; a published one has those it has."""
    chosen = choose(settings, SETTINGS, "tokenizer")
    if token in getattr(chosen, "specials", (token,)):
        return settings
    return written(dataclasses.replace(chosen, specials=(*chosen.specials, token)), settings.partition("(")[0])


def load_tokenizer(path: str | os.PathLike[str]) -> Tokenizer:
    """The tokenizer that `save` wrote."""
    values = read_object(Path(path))
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


def cache_folder() -> Path:
    """Where encoded texts are kept; what is in it can be deleted at any time."""
    given = os.environ.get("ORATORY_CACHE")
    return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "oratory"


def _cached(
    corpus: Corpus,
    tokenizer: Tokenizer,
    task: str,
    texts: dict[str, tuple[str, ...]],
    encode: Callable[[Sequence[str]], Encoded],
) -> dict[str, Encoded]:
    """Texts by name as ids: read from the file that an earlier call wrote, or encoded and written."""
    path = cache_folder() / f"{corpus.fingerprint}-{tokenizer.fingerprint}-{task}.safetensors"
    fields = [field.name for field in dataclasses.fields(Encoded)]
    try:
        content = path.read_bytes()
        if hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]:
            arrays = load(content[_DIGEST:])
            return {name: Encoded(**{field: arrays[f"{name}/{field}"] for field in fields}) for name in texts}
    except (OSError, SafetensorError):
        pass  # Not there, or not whole: encode again.
    encoded = {name: encode(lines) for name, lines in texts.items()}
    content = save({f"{name}/{field}": getattr(encoded[name], field) for name in encoded for field in fields})
    with suppress(InputError):  # A cache that cannot be written costs time and nothing else.
        write_bytes(path, hashlib.sha256(content).digest() + content)
    return encoded
