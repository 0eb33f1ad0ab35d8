"""What the trained and the pretrained subword tokenizer share: a tokenizer of the library `tokenizers`."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Self

import tokenizers

from oratory.tokens.encoded import Encoded
from oratory.tokens.tokenizer import Tokenizer, byte_sizes


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

    def measure(self, text: str) -> tuple[list[int], list[int]]:
        return _measured(text, self.inner.encode(text, add_special_tokens=False))

    def measure_all(self, texts: Sequence[str]) -> Encoded:
        encodings = self.inner.encode_batch(list(texts), add_special_tokens=False)
        return Encoded.of(_measured(text, encoding) for text, encoding in zip(texts, encodings, strict=True))

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
        return cls(inner, values["pad_id"], values["unk_id"])


def _measured(text: str, encoding: Any) -> tuple[list[int], list[int]]:
    # A character of several bytes can be several tokens: the first one counts all of its bytes.
    return encoding.ids, byte_sizes(text, [end for _, end in encoding.offsets])
