"""What the trained and the pretrained subword tokenizer share: a tokenizer of the library `tokenizers`."""

import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, Self

import tokenizers

from oratory.records import checked
from oratory.tokens.encoded import Encoded
from oratory.tokens.tokenizer import Tokenizer, byte_sizes

AT_ONCE = 10_000
"""Texts that are encoded together."""


class SubwordTokenizer(Tokenizer):
    """A tokenizer of the library `tokenizers`; nothing is added to a text, and nothing is cut off."""

    def __init__(self, inner: tokenizers.Tokenizer, pad_id: int, unk_id: int | None) -> None:
        self.inner = inner
        self.inner.no_padding()
        self.inner.no_truncation()
        # Published vocabularies can have gaps, so the largest id counts and not the number of entries.
        self._size = max(inner.get_vocab(with_added_tokens=True).values()) + 1
        self.pad_id = pad_id
        self.unk_id = unk_id

    def __len__(self) -> int:
        return self._size

    def for_tokenizers(self) -> tokenizers.Tokenizer:
        return self.inner

    @cached_property
    def exact(self) -> bool:
        """True for byte-level BPE that knows all 256 bytes and does not normalise."""
        made = json.loads(self.inner.to_str())
        before = made["pre_tokenizer"] or {}
        return (
            made["normalizer"] is None
            and made["model"]["type"] == "BPE"
            and before.get("type") == "ByteLevel"
            and not before.get("add_prefix_space")
            and not any(token["lstrip"] or token["rstrip"] for token in made["added_tokens"])
            and all(self.find(byte) is not None for byte in tokenizers.pre_tokenizers.ByteLevel.alphabet())
        )

    def measure(self, text: str) -> tuple[list[int], list[int]]:
        return _measured(text, self.inner.encode(text, add_special_tokens=False))

    def measure_all(self, texts: Iterable[str]) -> Encoded:
        return Encoded.of(self._measured(iter(texts)))

    def _measured(self, texts: Iterator[str]) -> Iterator[tuple[list[int], list[int]]]:
        # What the library knows of a text takes many times its room, so only some have it at once.
        while some := list(islice(texts, AT_ONCE)):
            encodings = self.inner.encode_batch(some, add_special_tokens=False)
            yield from map(_measured, some, encodings)

    def decode(self, ids: Iterable[int]) -> str:
        return str(self.inner.decode(self.check_ids(ids), skip_special_tokens=True))

    def token(self, index: int) -> str:
        return str(self.inner.id_to_token(self.check_ids([index])[0]) or "")

    def find(self, token: str) -> int | None:
        found: int | None = self.inner.token_to_id(token)
        return found

    def to_dict(self) -> dict[str, Any]:
        return {"pad_id": self.pad_id, "unk_id": self.unk_id, "tokenizer": json.loads(self.inner.to_str())}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        inner = tokenizers.Tokenizer.from_str(json.dumps(values["tokenizer"]))
        pad_id, unk_id = checked(int, values["pad_id"], "pad_id"), checked(int | None, values["unk_id"], "unk_id")
        made = cls(inner, pad_id, unk_id)
        made.check_ids([pad_id, *([] if unk_id is None else [unk_id])])
        return made


def _measured(text: str, encoding: Any) -> tuple[list[int], list[int]]:
    # A character of several bytes can be several tokens: the first one counts all of its bytes.
    return encoding.ids, byte_sizes(text, [end for _, end in encoding.offsets])
