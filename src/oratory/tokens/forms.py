"""The form of a token: how it is written in a text, which some tokenizers do not tell.

To `word`, "the" is one token, whether a blank, a line end or nothing comes before it. Its form is the stretch of text
that it covers, with a mark in place of the token. Forms are counted in train, and interpolated as by Witten and Bell
(1991) from three contexts: all tokens, the token before, and the token itself. Each gives what it has not seen
to the one before it, and the first gives it to the spelling of the form, byte by byte:

    p(form | context) = (c(context, form) + n(context) p(form | shorter context)) / (c(context) + n(context))

with n for the number of distinct forms in a context.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oratory.tokens.pairs import PairCounts

if TYPE_CHECKING:
    from oratory.tokens.spelling import Stretch

MARK = b"\xff"
"""In place of the token; no text has this byte, since UTF-8 does not use it."""

Counts = Mapping[int, Mapping[bytes, int]]
_FIRST = -1
"""In place of the token before the first one of a text."""


@dataclass(frozen=True, eq=False)
class Forms:
    """How often train has each form: by the token, and by the token before it."""

    of_token: Counts
    after: Counts

    @classmethod
    def count(cls, parts: "Iterable[Iterable[Stretch]]") -> "Forms":
        """From the stretches of train, some lines at a time."""
        numbers: dict[bytes, int] = {}  # Of the forms, in the order in which they come.
        of_token, after = PairCounts(), PairCounts()
        for stretches in parts:
            tokens, befores, forms = array("q"), array("q"), array("q")
            for token, before, form, _ in stretches:
                tokens.append(token)
                befores.append(_FIRST if before is None else before)
                forms.append(numbers.setdefault(form, len(numbers)))
            of_token.add(np.frombuffer(tokens, np.int64), np.frombuffer(forms, np.int64))
            after.add(np.frombuffer(befores, np.int64), np.frombuffer(forms, np.int64))
        names = list(numbers)
        return cls(_by_first(of_token, names), _by_first(after, names))

    def nats(
        self, stretches: "Sequence[Stretch]", spell: Callable[[Sequence[bytes]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """What each form costs, given its token and the one before; `spell` says what bytes cost."""
        kinds = list(dict.fromkeys(stretch.form for stretch in stretches))
        spelled = dict(zip(kinds, spell(kinds).tolist(), strict=True))
        # The same few combinations come again and again.
        combined = dict.fromkeys(stretch[:3] for stretch in stretches)
        known = {key: self._nats(*key, spelled[key[2]]) for key in combined}
        return np.array([known[stretch[:3]] for stretch in stretches])

    def _nats(self, token: int, before: int | None, form: bytes, spelled: float) -> float:
        nats = spelled
        for counts in (self._all, self.after.get(_FIRST if before is None else before), self.of_token.get(token)):
            if counts:
                count, kinds = counts.get(form, 0), len(counts)
                # The probability of many bytes can be too small for a number; their nats are not.
                share = log(count + kinds * exp(-nats)) if count else log(kinds) - nats
                nats = log(sum(counts.values()) + kinds) - share
        return nats

    @cached_property
    def _all(self) -> Counter[bytes]:
        total: Counter[bytes] = Counter()
        for counts in self.of_token.values():
            total.update(counts)
        return total

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"of_token": _plain(self.of_token), "after": _plain(self.after)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Forms":
        """The forms that `to_dict` described."""
        return cls(_read(values["of_token"]), _read(values["after"]))


def _by_first(counts: PairCounts, names: Sequence[bytes]) -> dict[int, dict[bytes, int]]:
    """Counts of forms by what they belong to; both in the order in which they came first."""
    found: dict[int, dict[bytes, int]] = {}
    for key, form, count in counts.in_order():
        found.setdefault(key, {})[names[form]] = count
    return found


def _plain(counts: Counts) -> dict[str, dict[str, int]]:
    """JSON has no bytes, so each is written as one letter."""
    return {str(key): {form.decode("latin-1"): n for form, n in forms.items()} for key, forms in counts.items()}


def _read(values: Mapping[str, Mapping[str, int]]) -> dict[int, dict[bytes, int]]:
    return {int(key): {form.encode("latin-1"): n for form, n in forms.items()} for key, forms in values.items()}
