"""The tokenizer of a published model."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import tokenizers

from oratory.errors import InputError
from oratory.files import exists, read_object
from oratory.text.sources.hub import offline_without_network
from oratory.tokens.encoded import Encoded
from oratory.tokens.subword import SubwordTokenizer


@dataclass(frozen=True, kw_only=True)
class Pretrained:
    """The tokenizer of a published model, as it is: nothing is trained."""

    path: str
    """A folder with tokenizer.json, that file itself, or the name of a model on the hub."""

    def train(self, lines: Sequence[str]) -> "PretrainedTokenizer":
        path = Path(self.path)
        if exists(path) and path.is_dir():
            path = path / "tokenizer.json"
            if not exists(path):
                raise InputError(
                    f"{self.path} has no tokenizer.json; save it with transformers: "
                    "AutoTokenizer.from_pretrained(...).save_pretrained(folder)."
                )
        if exists(path):
            inner = _from_json(path)
            return PretrainedTokenizer(inner, *_special_ids(inner, path.parent))
        inner = _from_hub(self.path)
        return PretrainedTokenizer(inner, *_special_ids(inner, None))


class PretrainedTokenizer(SubwordTokenizer):
    """A tokenizer that somebody else trained."""

    kind = "pretrained"


class EncoderTokenizer(PretrainedTokenizer):
    """The tokenizer of a published encoder: a text is between special tokens, for which there is always room."""

    kind = "encoder"

    @cached_property
    def specials(self) -> tuple[list[int], list[int]]:
        """The ids before and after a text."""
        encoding = self.inner.encode("a")
        inside = [place for place, special in enumerate(encoding.special_tokens_mask) if not special]
        first, last = (inside[0], inside[-1] + 1) if inside else [(len(encoding.ids) + 1) // 2] * 2
        return list(encoding.ids[:first]), list(encoding.ids[last:])

    def framed(self, encoded: Encoded, longest: int) -> Encoded:
        before, after = self.specials
        framed = encoded.cut(max(0, longest - len(before) - len(after)))
        for index in reversed(before):
            framed = framed.wrapped(index, None)
        for index in after:
            framed = framed.wrapped(None, index)
        return framed


def _from_json(path: Path) -> Any:
    values = read_object(path)
    try:
        return tokenizers.Tokenizer.from_str(json.dumps(values))
    except Exception as error:  # the library raises plain Exception
        raise InputError(f"{path} is not a tokenizer of the library tokenizers: {error}.") from None


def _from_hub(name: str) -> Any:
    offline_without_network()
    try:
        return tokenizers.Tokenizer.from_pretrained(name)
    except Exception as error:  # the library raises plain Exception
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"pretrained:{name} is neither a folder with tokenizer.json here, nor could it be had from the hub "
            f"({reason})."
        ) from None


def _special_ids(inner: Any, folder: Path | None) -> tuple[int, int | None]:
    """The ids for padding and for unknown text. Padding is never looked at, so any token will do for it."""
    config = {}
    if folder is not None and (folder / "tokenizer_config.json").is_file():
        config = read_object(folder / "tokenizer_config.json")

    def named(key: str, usual: Sequence[str]) -> int | None:
        given = config.get(key)
        given = given.get("content") if isinstance(given, dict) else given
        candidates = [given, *usual] if isinstance(given, str) else usual
        return next((index for name in candidates if (index := inner.token_to_id(name)) is not None), None)

    pad = named("pad_token", ("<pad>", "[PAD]", "<|endoftext|>", "</s>"))
    return pad if pad is not None else 0, named("unk_token", ("<unk>", "[UNK]"))
