"""What a tokenizer makes of a corpus, and of single texts."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from oratory.tables import Table, Tabled, number, percent
from oratory.text import Corpus
from oratory.tokens.corpus import encode_classifier, encode_lm
from oratory.tokens.encoded import Encoded
from oratory.tokens.tokenizer import Tokenizer
from oratory.tokens.unknown import named


@dataclass(frozen=True)
class PartFacts:
    """One split or text as tokens."""

    texts: int
    tokens: int
    unknown: float
    """The share of tokens that are the one for unknown text."""
    bytes_per_token: float
    longest: int


@dataclass(frozen=True)
class TokenFacts:
    """One token of a text."""

    id: int
    token: str
    bytes: int


@dataclass(frozen=True)
class Summary(Tabled):
    """What a tokenizer does."""

    tokenizer: str
    vocabulary: int
    fingerprint: str
    parts: dict[str, PartFacts]
    """Running text where the corpus has it, else the labelled texts."""
    texts: list[list[TokenFacts]]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def tables(self) -> list[Table]:
        columns = ("text", "lines", "tokens", "unknown %", "bytes per token", "longest")
        rows = tuple(
            (
                name,
                number(part.texts),
                number(part.tokens),
                percent(part.unknown),
                number(part.bytes_per_token, 2),
                number(part.longest),
            )
            for name, part in self.parts.items()
        )
        tables = [Table("Encoded", columns, rows)]
        for tokens in self.texts:
            cells = tuple((token.token, number(token.id), number(token.bytes)) for token in tokens)
            tables.append(Table("Token by token", ("token", "id", "bytes"), cells))
        return tables


def summarise(corpus: Corpus, tokenizer: Tokenizer, settings: str, texts: Sequence[str]) -> Summary:
    """Encode the corpus, and the texts token by token."""
    encoded = encode_lm(corpus, tokenizer) if corpus.lm else encode_classifier(corpus, tokenizer)
    return Summary(
        tokenizer=settings,
        vocabulary=len(tokenizer),
        fingerprint=tokenizer.fingerprint,
        parts={name: _part(part, tokenizer) for name, part in encoded.items()},
        texts=[
            [
                TokenFacts(index, token, size)
                for index, size, token in zip(*measured, named(tokenizer, measured[0], text), strict=True)
            ]
            for text, measured in ((text, tokenizer.measure(text)) for text in texts)
        ],
    )


def _part(part: Encoded, tokenizer: Tokenizer) -> PartFacts:
    return PartFacts(
        texts=len(part),
        tokens=len(part.ids),
        unknown=float(np.mean(part.ids == tokenizer.unk_id)) if tokenizer.unk_id is not None else 0.0,
        bytes_per_token=float(part.sizes.sum() / len(part.ids)),
        longest=int(part.lengths.max()),
    )
