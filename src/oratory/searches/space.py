"""The space of a search: ranges and lists of settings, as people write them.

`train.lr=1e-4..1e-2` is a range, `train.batch=16,32,64` a list; a comma inside parentheses belongs to its value.
"""

import math
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Union, get_args, get_origin

from oratory.errors import InputError, unknown
from oratory.settings import parse_words
from oratory.training.origins import Origin, architecture

DECADE = 10
"""The ratio of its ends from which on a range of positive numbers is drawn from by its logarithm."""
SCALES = ("linear", "log")
PROBED = 64
"""Whole numbers in a range up to which each of them is checked before a search begins."""
CORNERS = 256
"""Combinations of ends and choices up to which each of them is checked before a search begins."""
POINTS = 10_000
"""Points that a grid may have; a larger one would take too long."""


@dataclass(frozen=True)
class Choices:
    """Some values of a setting, as text."""

    values: tuple[str, ...]

    @property
    def probes(self) -> tuple[str, ...]:
        return self.values

    @property
    def ends(self) -> tuple[str, ...]:
        return self.values

    @property
    def listed(self) -> tuple[str, ...] | None:
        return self.values

    def text(self, value: Any) -> str:
        return str(value)

    def __str__(self) -> str:
        return ",".join(self.values)


@dataclass(frozen=True)
class Range:
    """Every number from `low` to `high`, both included."""

    low: float
    high: float
    whole: bool
    log: bool

    @property
    def ends(self) -> tuple[str, ...]:
        return self.text(self.low), self.text(self.high)

    @property
    def listed(self) -> tuple[str, ...] | None:
        """Its values, if they can be counted and are few enough for a grid."""
        if not self.whole or self.high - self.low >= POINTS:
            return None
        return tuple(map(str, range(int(self.low), int(self.high) + 1)))

    @property
    def probes(self) -> tuple[str, ...]:
        """Values to check in place of all of them."""
        few = self.whole and self.high - self.low < PROBED
        return self.listed or self.ends if few else self.ends

    def text(self, value: Any) -> str:
        """A number as a run gets it: short, and within the range."""
        if self.whole:
            return str(int(value))
        short = f"{value:.4g}"
        return short if self.low <= float(short) <= self.high else repr(float(value))

    def __str__(self) -> str:
        return f"{'..'.join(self.ends)}:{SCALES[self.log]}"


@dataclass(frozen=True)
class Space:
    """The values that each searched setting may have."""

    parts: Mapping[str, Range | Choices]

    @classmethod
    def parse(cls, words: Iterable[str], kinds: Mapping[str, type | None]) -> "Space":
        """The space of a command line; `kinds` has all settings, with int or float where they are numbers."""
        given = parse_words(words, list(kinds))
        if not given:
            raise InputError("A search needs something to choose from, such as train.lr=1e-4..1e-2.")
        return cls({name: _part(name, text, kinds[name]) for name, text in given.items()})

    @property
    def size(self) -> int | None:
        """How many points there are, if they can be counted."""
        counts = [None if part.listed is None else len(part.listed) for part in self.parts.values()]
        return None if None in counts else math.prod(count for count in counts if count is not None)

    def listed(self) -> "Space":
        """The same space as lists of choices; a grid needs that."""
        made = {}
        for name, part in self.parts.items():
            values = part.listed
            if values is None:
                if isinstance(part, Range) and part.whole:
                    raise InputError(
                        f"{name}={part} has more than the {POINTS:,} values of the largest grid; search with --method "
                        "random."
                    )
                raise InputError(
                    f"A grid needs lists of values, and {name}={part} is a range; write {name}={','.join(part.ends)} "
                    "with what lies between, or search with --method random."
                )
            made[name] = Choices(values)
        return Space(made)

    def grid(self) -> int:
        """How many points a grid has."""
        size = self.listed().size or 0
        if size > POINTS:
            raise InputError(f"The grid has {size:,} points; at most {POINTS:,} are tried. Use --method random.")
        return size

    def point(self, number: int) -> dict[str, str]:
        """A point of the grid by its number, the last setting changing fastest."""
        found: dict[str, str] = {}
        for name, part in reversed(list(self.parts.items())):
            values = part.listed or ()
            number, at = divmod(number, len(values))
            found[name] = values[at]
        return dict(reversed(found.items()))

    def probes(self) -> Iterator[dict[str, str]]:
        """Points to check in place of all: every single value, and the combinations of the ends."""
        first = {name: part.ends[0] for name, part in self.parts.items()}
        for name, part in self.parts.items():
            for value in part.probes:
                yield first | {name: value}
        if math.prod(len(part.ends) for part in self.parts.values()) <= CORNERS:
            for point in product(*(part.ends for part in self.parts.values())):
                yield dict(zip(self.parts, point, strict=True))

    def to_dict(self) -> dict[str, str]:
        return {name: str(part) for name, part in self.parts.items()}


def setting_kinds(origin: Origin) -> dict[str, type | None]:
    """The settings of an origin, with int or float for those that are numbers.

    Those that only other models choose are there as well: the design refuses them with a sentence of its own.
    """
    return {name: _number(hint) for name, hint in (architecture() | origin.known()).items()}


def _number(hint: Any) -> type | None:
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    return next((kind for kind in (int, float) if kind in options), None)


def _part(name: str, text: str, kind: type | None) -> Range | Choices:
    span, colon, scale = text.rpartition(":") if text.endswith(tuple(f":{word}" for word in SCALES)) else (text, "", "")
    low, dots, high = span.partition("..")
    numbers = _float(low), _float(high)
    if kind is None and dots and None not in numbers:
        raise InputError(f"{name}={text}: {name} is no number, so it has no range; list its values with commas.")
    if kind is None or not dots:
        return _choices(name, text)
    if numbers[0] is None or numbers[1] is None:
        if colon == "" and ":" in high and _float(high.partition(":")[0]) is not None:
            raise unknown("scale", high.partition(":")[2], SCALES)
        raise InputError(f"{name}={text} is not a range; write two numbers, as in {name}=1..8, or a list with commas.")
    return _range(name, text, kind, numbers[0], numbers[1], scale)


def _range(name: str, text: str, kind: type, low: float, high: float, scale: str) -> Range:
    if not low < high:
        raise InputError(f"{name}={text}: the first end of a range must be below the second one.")
    whole = kind is int
    if whole and not (low.is_integer() and high.is_integer()):
        raise InputError(f"{name}={text}: {name} is a whole number, and so must be both ends of its range.")
    if scale == "log" and low <= 0:
        raise InputError(f"{name}={text}: a logarithmic range must begin above 0.")
    wide = low > 0 and high / low >= DECADE
    return Range(low, high, whole, scale == "log" or (not scale and wide and not whole))


def _choices(name: str, text: str) -> Choices:
    values = _split(text)
    if "" in values:
        raise InputError(f"{name}={text}: there is nothing between two of the commas.")
    if len(values) < 2:
        raise InputError(f"{name}={text} leaves nothing to choose; give a list or a range, or --set {name}={text}.")
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise InputError(f"{name}={text}: {twice} is listed twice.")
    return Choices(tuple(values))


def _split(text: str) -> list[str]:
    """The parts between commas; a comma inside parentheses separates nothing."""
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _float(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
