"""What was asked of `solve`, read and checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oratory.errors import InputError, unknown
from oratory.inspect.solve.problem import Array

METHODS = ("exact", "lstsq")
LARGEST = 1e100
"""Larger numbers, or keys that are all smaller than one over it, could leave the range of floating point."""
SUM = 1e-6
"""Weights that sum to 1 within this are divided by their sum; others are refused."""


@dataclass(frozen=True)
class Request:
    """Keys, wanted weights, and what is fixed."""

    task: str
    """What is asked for, in words."""
    keys: Array
    wanted: Array
    """A row of weights for each query."""
    query: Array | None
    """The query that stays, where a key is replaced."""
    replaced: int | None
    length: float | None
    method: str
    values: Array | None
    targets: Array | None
    """The scores that least squares aims at: one for each key, or one for the new key."""


def read_request(
    keys: Any,
    select: int | None,
    average: Sequence[int] | None,
    weights: Sequence[float] | Array | None,
    identity: bool,
    query: Any,
    replace_key: int | None,
    length: float | None,
    method: str,
    values: Any,
    targets: Any,
) -> Request:
    """The request, or an InputError that says what is wrong with it."""
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    keys = _matrix("keys", keys)
    if keys.any() and np.abs(keys).max() < 1 / LARGEST:
        raise InputError(f"The keys are all smaller than {1 / LARGEST:g}; multiply them by a large number.")
    asked = {"select": select, "average": average, "weights": weights, "identity": identity or None}
    named = [name for name, given in asked.items() if given is not None]
    if len(named) != 1:
        given = " and ".join(named) if named else "none"
        raise InputError(f"Ask for exactly one of select, average, weights and identity; given: {given}.")
    wanted, task = _wanted(len(keys), select, average, weights)
    fixed, replaced = _fixed(keys, query, replace_key)
    if replaced is not None:
        if identity:
            raise InputError("One new key cannot make the identity; ask for select, average or weights.")
        task = f"a new key {replaced} for this query that {task.removeprefix('a query that ')}"
    length = None if length is None else _length(length)
    table = None if values is None else _values(values, len(keys))
    aims = None if targets is None else _targets(targets, method, len(keys), len(wanted), replaced)
    return Request(task, keys, wanted, fixed, replaced, length, method, table, aims)


def _matrix(what: str, given: Any) -> Array:
    """Rows of numbers, all of one length."""
    rows = _listed(given)
    if rows is None or not rows:
        raise InputError(f"The {what} must be a matrix such as [[1, 0], [0, 1]]: a row of numbers for each.")
    read = [_vector(what, row, None, f"a matrix; row {index} is no row of numbers") for index, row in enumerate(rows)]
    for index, row in enumerate(read):
        if len(row) != len(read[0]):
            raise InputError(
                f"The {what} must be a matrix: row {index} has {len(row)} numbers, row 0 has {len(read[0])}."
            )
    return np.array(read)


def _vector(what: str, given: Any, size: int | None, expected: str) -> Array:
    """Finite numbers, as many as there should be."""
    items = _listed(given)
    if items is None or not items or any(_listed(item) is not None for item in items):
        raise InputError(f"The {what} must be {expected}.")
    numbers = np.array([_number(f"A number of the {what}", item) for item in items])
    if size is not None and len(numbers) != size:
        raise InputError(
            f"The {what} must be {expected}: {size} {'number' if size == 1 else 'numbers'}, not {len(numbers)}."
        )
    return numbers


def _wanted(
    count: int, select: int | None, average: Sequence[int] | None, weights: Sequence[float] | Array | None
) -> tuple[Array, str]:
    """The wanted weights, a row for each query, and the task in words."""
    if select is not None:
        return np.eye(count)[[_index(select, count)]], f"a query that selects key {select}"
    if average is not None:
        places = _listed(average) or []
        chosen = [_index(place, count) for place in places]
        if not chosen:
            raise InputError("An average needs at least one key, such as 0,1.")
        for place in chosen:
            if chosen.count(place) > 1:
                raise InputError(f"Key {place} is named twice in the average; for unequal shares give weights.")
        row = np.zeros((1, count))
        row[0, chosen] = 1 / len(chosen)
        return row, f"a query that averages keys {', '.join(map(str, chosen))}"
    if weights is not None:
        row = _vector("weights", weights, count, "a number for each key")[None]
        if row.min() < 0:
            raise InputError(f"Weights cannot be negative; that of key {row.argmin()} is {row.min():g}.")
        if abs(row.sum() - 1) > SUM:
            raise InputError(f"The weights must sum to 1; they sum to {row.sum():.6g}.")
        return row / row.sum(), f"a query that gives weights {', '.join(f'{value:g}' for value in row[0])}"
    return np.eye(count), "a query for every key that selects it"


def _fixed(keys: Array, query: Any, replace_key: int | None) -> tuple[Array | None, int | None]:
    """The query that stays, and the number of the key to replace."""
    if query is None and replace_key is None:
        return None, None
    if query is None:
        raise InputError("To replace a key, give the query that stays too.")
    if replace_key is None:
        raise InputError("A given query stays as it is; say which key to replace.")
    place = _index(replace_key, len(keys))
    return _vector("query", query, keys.shape[1], "as long as a key"), place


def _length(given: Any) -> float:
    length = _number("The length", given)
    if not 1 / LARGEST < length < LARGEST:
        raise InputError(f"The length must be above 0 and below {LARGEST:g}, not {length:g}.")
    return length


def _values(given: Any, keys: int) -> Array:
    values = _matrix("values", given)
    if len(values) != keys:
        raise InputError(f"There are {keys} keys and {len(values)} values; each key needs one row of values.")
    return values


def _targets(given: Any, method: str, keys: int, queries: int, replaced: int | None) -> Array:
    if method != "lstsq":
        raise InputError("Targets are what least squares aims at; give them with the method lstsq.")
    if replaced is not None:
        return _vector("targets", given, 1, "the score of the new key")
    if queries > 1:
        raise InputError("Targets are for one query; the identity aims at 100 for its own key and 0 for the others.")
    return _vector("targets", given, keys, "a score for each key")


def _index(given: Any, count: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise InputError(f"A key is named by a whole number from 0 to {count - 1}, not by {given!r}.")
    if not 0 <= given < count:
        raise InputError(f"There is no key {given}; there are {count}, from 0 to {count - 1}.")
    return int(given)


def _number(what: str, given: Any) -> float:
    try:
        value = float("nan") if isinstance(given, bool | str) else float(given)
    except (TypeError, ValueError, OverflowError):
        value = float("nan")
    if not abs(value) <= LARGEST:
        raise InputError(f"{what} must be a number between -{LARGEST:g} and {LARGEST:g}, not {given!r}.")
    return value


def _listed(given: Any) -> list[Any] | None:
    """The items of a list, a tuple, an array or a tensor; None for anything else."""
    if hasattr(given, "tolist"):
        given = given.tolist()
    return list(given) if isinstance(given, list | tuple | range) else None
