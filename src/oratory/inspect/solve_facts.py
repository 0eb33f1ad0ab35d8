"""Attention by hand: what was found, and the tables and sentences that it makes."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from oratory.tables import Table, Tabled, number

Vector = tuple[float, ...]
SHOWN = 12
"""Keys in a table of weights beside each other."""


@dataclass(frozen=True)
class Certificate:
    """Why wanted weights cannot be had, in numbers that anyone can check."""

    kind: str
    """`hull`: the affine combination `left` of wanted keys is the convex combination `right` of the others.
    `dependency`: keys and ones both vanish under `left`, so that logarithms of weights must, and they give `value`.
    `ratio`: the weights of two keys that stay differ by a factor of e^`value`, where e^`needed` is wanted.
    `reach`: the new key would need a score of `needed`; it can have `value` at the most (or at the least)."""
    left: dict[int, float]
    right: dict[int, float]
    value: float | None
    needed: float | None
    residual: float
    """By how much the stated equation fails in floating point, relative to the size of the keys."""
    says: str


@dataclass(frozen=True)
class Reached:
    """What comes out when the query is so many times as long."""

    times: float
    wanted: float
    """The weight of all wanted keys together."""
    error: float
    """The largest difference between a weight and the wanted one."""


@dataclass(frozen=True)
class Answer:
    """One query, or one new key, and what it does."""

    wanted: Vector
    vector: Vector
    """The query, or the new key where one is replaced."""
    scores: Vector
    weights: Vector
    exact: bool
    """Weights within 1e-6 of the wanted ones, and those that should be equal equal to 1e-9."""
    error: float
    margin: float | None
    """How far the wanted keys score above the others, for a query of length 1; None where all are wanted."""
    times_needed: float | None
    """Where weights come only near: the multiple of the query that gives the wanted ones; None where none does."""
    certificate: Certificate | None
    curve: tuple[Reached, ...]
    output: Vector | None
    """The weighted mean of the values, where values were given."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values; a certificate only where there is one."""
        facts = asdict(self)
        return {name: value for name, value in facts.items() if name != "certificate" or value is not None}


@dataclass(frozen=True)
class Solution(Tabled):
    """What `solve` found; `to_dict` is what `--json` prints."""

    task: str
    """What was asked for, in words."""
    method: str
    scale: float
    """What scores are multiplied with: 1, or one over the root of the dimension."""
    length: float | None
    keys: tuple[Vector, ...]
    """With the new key in its place, where one was replaced."""
    replaced: int | None
    old_key: Vector | None
    fixed_query: Vector | None
    identity: bool
    answers: tuple[Answer, ...]

    @property
    def exact(self) -> bool:
        return all(answer.exact for answer in self.answers)

    @property
    def certificate(self) -> Certificate | None:
        """The first reason why it is impossible, if it is."""
        return next((answer.certificate for answer in self.answers if answer.certificate), None)

    @property
    def possible(self) -> bool:
        return self.certificate is None

    @property
    def margin(self) -> float | None:
        """The smallest of all rows."""
        return min((answer.margin for answer in self.answers if answer.margin is not None), default=None)

    @property
    def query(self) -> Vector:
        """The query, found or given; the first one of a matrix."""
        return self.fixed_query or self.answers[0].vector

    @property
    def key(self) -> Vector | None:
        """The new key, where one was replaced."""
        return None if self.replaced is None else self.answers[0].vector

    @property
    def queries(self) -> tuple[Vector, ...]:
        """The query matrix: a row for each answer."""
        return (self.query,) if self.replaced is not None else tuple(answer.vector for answer in self.answers)

    @property
    def weights(self) -> tuple[Vector, ...]:
        """A row of weights for each query."""
        return tuple(answer.weights for answer in self.answers)

    def to_dict(self) -> dict[str, Any]:
        """Plain values: `query`, `queries` or `key` is what was found."""
        about: dict[str, Any] = {"task": self.task, "method": self.method, "scale": self.scale, "length": self.length}
        if self.identity:
            facts = {
                "queries": self.queries,
                "weights": self.weights,
                "exact": self.exact,
                "margin": self.margin,
                "rows": [answer.to_dict() for answer in self.answers],
            }
        else:
            facts = self.answers[0].to_dict()
            found = facts.pop("vector")
            name = "query" if self.replaced is None else "key"
            facts = {name: found, **facts}
            if self.replaced is not None:
                facts |= {"replaced": self.replaced, "fixed_query": self.fixed_query}
        if self.certificate:
            facts["certificate"] = asdict(self.certificate)
        return {**facts, **about, "keys": self.keys}

    def sentences(self) -> list[str]:
        """What a reader should take away, a sentence each."""
        if self.exact:
            worst = max(answer.error for answer in self.answers)
            return [f"The weights are the wanted ones: the largest difference is {worst:.1e}."]
        said = []
        for row, answer in enumerate(self.answers):
            if answer.exact:
                continue
            where = f"Row {row}: " if self.identity else ""
            if answer.certificate:
                said.append(f"{where}Impossible. {answer.certificate.says}")
                said.append(f"{where}The nearest weights found differ by {answer.error:.4g} at the most.")
                continue
            text = f"{where}The weights come near, with a largest difference of {answer.error:.4g}"
            if answer.times_needed:
                text += f"; a query {answer.times_needed:.4g} times as long gives the wanted ones"
            said.append(text + ".")
        return said

    def tables(self) -> list[Table]:
        vectors = self._identity_tables() if self.identity else [self._weights_table()]
        return vectors if self.margin is None else [*vectors, self._curve_table()]

    def _weights_table(self) -> Table:
        answer = self.answers[0]
        name = "query" if self.replaced is None else f"key {self.replaced}"
        rows = tuple(
            (f"{index} (new)" if index == self.replaced else str(index), words(key), *map(_figure, figures))
            for index, (key, *figures) in enumerate(
                zip(self.keys, answer.scores, answer.wanted, answer.weights, strict=True)
            )
        )
        margin = "" if answer.margin is None else f" Margin: {answer.margin:.6g}."
        output = "" if answer.output is None else f" Output: {words(answer.output)}."
        note = f"New {name}: {words(answer.vector)}.{margin}{output}" if self.replaced is not None else ""
        note = note or f"Query: {words(answer.vector)}.{margin}{output}"
        columns = ("key", "at", "score", "wanted", "weight")
        return Table("Weights", columns, rows, words=2, note=note)

    def _identity_tables(self) -> list[Table]:
        shown = self.answers[:SHOWN]
        rows = tuple(
            (str(row), words(answer.vector), *(_figure(answer.weights[at]) for at in range(len(shown))))
            for row, answer in enumerate(shown)
        )
        columns = ("row", "query", *(f"weight of {at}" for at in range(len(shown))))
        left = len(self.answers) - len(shown)
        note = f"The smallest margin: {number(self.margin, 6)}." + (f" {left} more rows are in the JSON." * bool(left))
        return [Table("Queries and their weights", columns, rows, words=2, note=note)]

    def _curve_table(self) -> Table:
        curves = [answer.curve[::2] for answer in self.answers]
        rows = tuple(
            (
                str(Fraction(points[0].times)),
                _figure(min(point.wanted for point in points)),
                f"{max(point.error for point in points):.1e}",
            )
            for points in zip(*curves, strict=True)
        )
        columns = ("times", "weight of what is wanted", "largest difference")
        return Table("The weight reached when the query is so many times as long", columns, rows, words=0)


def words(vector: Vector) -> str:
    """A vector as a person writes it."""
    shown = ", ".join(f"{value:.6g}" for value in vector[:SHOWN])
    return f"({shown}{', ...' if len(vector) > SHOWN else ''})"


def _figure(value: float) -> str:
    return f"{value:.6f}"
