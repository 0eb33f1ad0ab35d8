"""The cost of the text that tokens do not determine, so that models with different tokenizers can be compared.

A model of tokens gives a text the probability of its tokens. Where several texts have the same tokens, that is the
probability of all of them together, and a tokenizer would gain by not knowing: `<unk>` is likely, and covers any word.
So each token also pays for the stretch of text that it covers:

- An unknown token pays for its bytes and an end mark, by an n-gram model (Kneser-Ney) that has full support: every
  word has a finite cost, and the probabilities of all words sum to at most one. The n-grams are counted in the distinct
  words of train, each once, since a word that is unknown is not one of the frequent ones. On the dev lines of two
  corpora, a word that train lacks cost 17.0 nats so, 18.0 to 19.1 if only words seen once were counted, and 19.0 if
  words were counted as often as they occur; for words seen once or a few times, this was best too. The order and the
  discount were chosen there.
- If known tokens leave something open (`word` drops white space and line ends, and writes all quotes alike), every
  token pays for its form: the stretch with a mark in place of the token. See `Forms`.

A text and the stretches of its tokens determine each other. So the probabilities of all texts of one length sum to at
most one, whatever the tokenizer is; some mass is lost, because `<unk>` could spell known words too.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oratory.records import checked
from oratory.text.lines import in_parts
from oratory.tokens.forms import MARK, Forms
from oratory.tokens.ngrams import NgramCounts

if TYPE_CHECKING:
    from oratory.tokens.encoded import Encoded
    from oratory.tokens.tokenizer import Tokenizer

ORDER = 6
DISCOUNT = 0.75
END, BEFORE = 256, 257
"""After the last byte of a word, and before its first one."""


class Stretch(NamedTuple):
    """The text that one token covers."""

    token: int
    before: int | None
    """The token before it in its line."""
    form: bytes
    unknown: bytes | None
    """What a token for unknown text covers, without white space; None for a known token."""


@dataclass(frozen=True, eq=False)
class Spelling:
    """What the text that tokens leave open costs; learned from train, and kept with the tokenizer."""

    words: tuple[str, ...]
    """The distinct words of train."""
    forms: Forms | None
    """None for a tokenizer whose known tokens leave nothing open."""

    @classmethod
    def learn(cls, lines: Sequence[str], tokenizer: "Tokenizer") -> "Spelling":
        """From the training lines of a corpus."""
        from oratory.tokens.words import split

        words = sorted({word for line in lines for word in split(line)})
        forms = None if tokenizer.exact else Forms.count(_all_stretches(lines, tokenizer))
        return cls(tuple(words), forms)

    @cached_property
    def _letters(self) -> NgramCounts:
        return NgramCounts(_stream([word.encode() for word in self.words] or [b""]), BEFORE + 1, ORDER)

    def nats(self, words: Sequence[bytes]) -> NDArray[np.float64]:
        """What each word costs, byte by byte and with its end."""
        if not words:
            return np.zeros(0)
        stream = _stream(words)
        paid = stream != BEFORE
        starts = np.cumsum([0, *(len(word) + ORDER for word in words[:-1])])
        nats = self._letters.nats(stream, ORDER, DISCOUNT)
        return np.add.reduceat(np.where(paid, nats, 0.0), starts)

    def costs(self, stretches: Sequence[Stretch]) -> NDArray[np.float64]:
        """What each stretch costs, given its token."""
        found = np.zeros(len(stretches))
        unknown = {place: s.unknown for place, s in enumerate(stretches) if s.unknown is not None}
        found[list(unknown)] = self.nats(list(unknown.values()))
        if self.forms is not None:
            found += self.forms.nats(stretches, self.nats)
        return found

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that decides what a text costs."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"words": list(self.words), "forms": None if self.forms is None else self.forms.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Spelling":
        """The spelling that `to_dict` described."""
        forms = values["forms"]
        return cls(
            checked(tuple[str, ...], values["words"], "words"), None if forms is None else Forms.from_dict(forms)
        )


def spelled(lines: Sequence[str], encoded: "Encoded", tokenizer: "Tokenizer") -> NDArray[np.float32]:
    """The nats of what each token leaves open, of lines as `Tokenizer.measure_lines` encodes them.

    NaN if the tokenizer has learned no spelling, and for all tokens if they do not cover the whole text.
    """
    found = np.zeros(len(encoded.ids), np.float32)
    if not _covers(lines, encoded):
        return np.full_like(found, np.nan)
    # A tokenizer without a token for unknown text has None here, which no id is.
    left_open = np.flatnonzero(encoded.ids == tokenizer.unk_id) if tokenizer.exact else np.arange(len(found))
    if not len(left_open):
        return found
    if tokenizer.spelling is None:
        found[left_open] = np.nan
        return found
    stretches = list(_stretches(lines, encoded, tokenizer))
    found[left_open] = tokenizer.spelling.costs([stretches[place] for place in left_open])
    return found


def _covers(lines: Sequence[str], encoded: "Encoded") -> bool:
    """Whether the tokens of each line cover all of its bytes, one after the other."""
    covered = np.diff(np.append(0, np.cumsum(encoded.sizes, dtype=np.int64))[encoded.starts])
    whole = np.array([len(line.encode()) + 1 for line in lines], np.int64)
    return bool((covered == whole).all() and (encoded.sizes >= 0).all())


def _all_stretches(lines: Sequence[str], tokenizer: "Tokenizer") -> Iterator[Iterator[Stretch]]:
    """What every token of some lines covers; some lines are encoded at once, so that all of them need not fit."""
    return (_stretches(some, tokenizer.measure_lines(some), tokenizer) for some in in_parts(lines))


def _stretches(lines: Sequence[str], encoded: "Encoded", tokenizer: "Tokenizer") -> Iterator[Stretch]:
    """What every token covers, in order."""
    names: dict[int, bytes] = {}
    for line, (start, stop) in zip(lines, pairwise(encoded.starts.tolist()), strict=True):
        text, at, before = f"{line}\n".encode(), 0, None
        for token, size in zip(encoded.ids[start:stop].tolist(), encoded.sizes[start:stop].tolist(), strict=True):
            covered = text[at : at + size]
            unknown = None
            if token == tokenizer.unk_id:
                # White space around an unknown word is a part of its form, unless there are tokens for it.
                name = unknown = covered if tokenizer.exact else covered.strip()
            elif token in names:
                name = names[token]
            else:
                name = names[token] = tokenizer.token(token).encode()
            yield Stretch(token, before, covered.replace(name, MARK, 1) if name else covered, unknown)
            at, before = at + size, token


def _stream(words: Sequence[bytes]) -> NDArray[np.int64]:
    """Words one after the other, so far apart that no n-gram has bytes of two of them."""
    padded = [[*[BEFORE] * (ORDER - 1), *word, END] for word in words]
    return np.array([symbol for word in padded for symbol in word], np.int64)
