"""What `solve` found, with the tables and sentences that show it."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from oratory.inspect.solve.answer import Answer, Vector
from oratory.inspect.solve.certificate import Certificate
from oratory.tables import Table, Tabled, number

SHOWN = 12
"""Numbers of a vector, or rows and columns of the identity, that a table shows."""


@dataclass(frozen=True)
class Solution(Tabled):
    """What `solve` found; `--json` prints its `to_dict`."""

    task: str
    """What was asked for, in words."""
    method: str
    scale: float
    """The factor that multiplies scores: 1, or one over the root of the dimension."""
    length: float | None
    keys: tuple[Vector, ...]
    """The keys, with the new key in its place where one was replaced."""
    replaced: int | None
    old_key: Vector | None
    fixed_query: Vector | None
    identity: bool
    answers: tuple[Answer, ...]

    @property
    def exact(self) -> bool:
        """Whether every row has the wanted weights."""
        return all(answer.exact for answer in self.answers)

    @property
    def certificate(self) -> Certificate | None:
        """Why the wanted weights are impossible or not reached, for the first row where they are."""
        return next((answer.certificate for answer in self.answers if answer.certificate), None)

    @property
    def possible(self) -> bool:
        """Whether no row has a certificate."""
        return self.certificate is None

    @property
    def margin(self) -> float | None:
        """The smallest margin of all rows."""
        return min((answer.margin for answer in self.answers if answer.margin is not None), default=None)

    @property
    def query(self) -> Vector:
        """The query, found or given; for the identity the first one."""
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
        """Plain values; what was found is `query`, `queries` or `key`."""
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
        """What was found, in a few sentences."""
        if self.exact:
            worst = max(answer.error for answer in self.answers)
            return [f"The weights are the wanted ones: the largest difference is {worst:.1e}."]
        rows = enumerate(self.answers)
        return [text for row, answer in rows if not answer.exact for text in self._shortfall(row, answer)]

    def _shortfall(self, row: int, answer: Answer) -> list[str]:
        """Why an answer does not have the wanted weights, and by how much they differ."""
        where = f"Row {row}: " if self.identity else ""
        if answer.certificate:
            verdict = "Not reached in floating point" if answer.certificate.kind == "length" else "Impossible"
            return [
                f"{where}{verdict}. {answer.certificate.says}",
                f"{where}{self._measure(answer)}; they differ by at most {answer.error:.4g}.",
            ]
        text = f"{where}The weights differ from the wanted ones by at most {answer.error:.4g}"
        if answer.times_needed:
            text += f"; a query {answer.times_needed:.4g} times as long gives the wanted ones"
        return [f"{text}."]

    def _measure(self, answer: Answer) -> str:
        """What the weights that are shown have the smallest of."""
        if self.method == "lstsq":
            return "The weights shown are those of the scores with the least squared distance from their targets"
        value = "" if answer.divergence is None else f", {answer.divergence:.4g} nats"
        return f"The weights shown have the smallest Kullback-Leibler divergence from the wanted ones{value}"

    def tables(self) -> list[Table]:
        """The weights, and the weights of shorter and longer queries."""
        vectors = self._identity_tables() if self.identity else [self._weights_table()]
        return vectors if self.margin is None else [*vectors, self._curve_table()]

    def _weights_table(self) -> Table:
        answer = self.answers[0]
        name = "Query" if self.replaced is None else f"New key {self.replaced}"
        rows = tuple(
            (f"{index} (new)" if index == self.replaced else str(index), words(key), *map(_figure, figures))
            for index, (key, *figures) in enumerate(
                zip(self.keys, answer.scores, answer.wanted, answer.weights, strict=True)
            )
        )
        margin = "" if answer.margin is None else f" Margin: {answer.margin:.6g}."
        output = "" if answer.output is None else f" Output: {words(answer.output)}."
        note = f"{name}: {words(answer.vector)}.{margin}{output}"
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
        return Table("Weights of shorter and longer queries", columns, rows, words=0)


def words(vector: Vector) -> str:
    """A vector as text, such as (1, 0.5)."""
    shown = ", ".join(f"{value:.6g}" for value in vector[:SHOWN])
    return f"({shown}{', ...' if len(vector) > SHOWN else ''})"


def _figure(value: float) -> str:
    return f"{value:.6f}"
