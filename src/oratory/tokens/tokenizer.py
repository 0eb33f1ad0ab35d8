"""The one interface of all tokenizers."""

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from oratory.errors import InputError
from oratory.files import write_text
from oratory.tokens.encoded import Encoded

if TYPE_CHECKING:
    import tokenizers

    from oratory.tokens.spelling import Spelling

PAD, UNK = "<pad>", "<unk>"
START, STOP, CLS = "<START>", "<STOP>", "<CLS>"


class Tokenizer(ABC):
    """Text to ids and back. A tokenizer is one JSON file; ids are 0 to len - 1."""

    kind: ClassVar[str]
    pad_id: int
    unk_id: int | None
    """None where no text is unknown."""
    spelling: "Spelling | None" = None
    """The model of the text that tokens do not determine; None if it was not fitted."""

    @property
    @abstractmethod
    def exact(self) -> bool:
        """Whether known tokens tell the text that they cover, byte by byte."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def measure(self, text: str) -> tuple[list[int], list[int]]:
        """The ids, and the bytes of the text that each covers. White space belongs to the token after it,
        at the end of the text to the last token, so that the bytes of all tokens are the bytes of the text."""

    @abstractmethod
    def decode(self, ids: Iterable[int]) -> str:
        """Readable text. Special tokens other than the one for unknown text leave no trace."""

    @abstractmethod
    def token(self, index: int) -> str:
        """The token of an id."""

    @abstractmethod
    def find(self, token: str) -> int | None:
        """The id of a token, or None when it is not in the vocabulary."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All of the tokenizer as plain values."""

    @classmethod
    @abstractmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The tokenizer that `to_dict` described."""

    def for_tokenizers(self) -> "tokenizers.Tokenizer | None":
        """The same as a tokenizer of the library `tokenizers`, without special tokens around a text.

        None where that library has no such rules, as those of NLTK for words.
        """
        return None

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        return self.measure(text)[0]

    def measure_all(self, texts: Iterable[str]) -> Encoded:
        """Many texts at once."""
        return Encoded.of(map(self.measure, texts))

    def measure_lines(self, lines: Sequence[str]) -> Encoded:
        """Lines of running text, each with its end, and between <START> and <STOP> if the tokenizer has them."""
        return self.measure_all(f"{line}\n" for line in lines).wrapped(self.find(START), self.find(STOP))

    def framed(self, encoded: Encoded, longest: int) -> Encoded:
        """Texts as a classifier is given them, of which it sees the first `longest` tokens: after <CLS> if the
        tokenizer has that."""
        return encoded.wrapped(self.find(CLS), None)

    def id(self, token: str) -> int:
        """The id of a token; that of the unknown token when it is not in the vocabulary."""
        found = self.find(token)
        if found is not None:
            return found
        if self.unk_id is None:
            raise InputError(f"The token {token!r} is not in the vocabulary, which has none for unknown text.")
        return self.unk_id

    def check_ids(self, ids: Iterable[int]) -> list[int]:
        """The ids as a list; one that is out of range is refused."""
        checked = np.fromiter(ids, dtype=np.int64)
        wrong = checked[(checked < 0) | (checked >= len(self))]
        if len(wrong):
            raise InputError(f"The id {wrong[0]} is out of range: the vocabulary has {len(self):,} entries.")
        return [int(index) for index in checked]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokenizer as one JSON file, with its spelling if it has learned one."""
        write_text(Path(path), self.content())

    def content(self) -> str:
        """What that file has in it."""
        spelling = {} if self.spelling is None else {"spelling": self.spelling.to_dict()}
        return json.dumps({"kind": self.kind, **self.to_dict(), **spelling}, ensure_ascii=False)

    @property
    def fingerprint(self) -> str:
        """A hash of all that decides how text is encoded."""
        described = json.dumps({"kind": self.kind, **self.to_dict()}, sort_keys=True)
        return hashlib.sha256(described.encode()).hexdigest()[:16]


def byte_sizes(text: str, ends: Sequence[int]) -> list[int]:
    """The bytes of the stretches of a text that end at the given characters; the last one runs to the end."""
    if not ends:
        return []
    starts = [0, *ends[:-1]]
    ends = [*ends[:-1], len(text)]
    if text.isascii():
        return [end - start for start, end in zip(starts, ends, strict=True)]
    return [len(text[start:end].encode()) for start, end in zip(starts, ends, strict=True)]
