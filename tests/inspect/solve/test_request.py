"""Requests that are refused."""

from typing import Any

import pytest

from oratory.errors import InputError
from oratory.inspect import solve
from tests.inspect.solve.keys import KEYS

BAD: list[tuple[dict[str, Any], str]] = [
    ({"keys": 3, "select": 0}, "The keys must be a matrix such as"),
    ({"keys": [], "select": 0}, "The keys must be a matrix such as"),
    ({"keys": [1, 2], "select": 0}, "row 0 is no row of numbers"),
    ({"keys": [[[1]]], "select": 0}, "row 0 is no row of numbers"),
    ({"keys": [[1, 2], []], "select": 0}, "row 1 is no row of numbers"),
    ({"keys": [[1, 2], [3]], "select": 0}, "row 1 has 1 numbers, row 0 has 2"),
    ({"keys": [[1, float("nan")]], "select": 0}, "not nan"),
    ({"keys": [[1, float("inf")]], "select": 0}, "not inf"),
    ({"keys": [[1, "2"]], "select": 0}, "not '2'"),
    ({"keys": [[1, None]], "select": 0}, "not None"),
    ({"keys": [[10**400]], "select": 0}, "must be a number between"),
    ({"keys": [[1e-200, 0]], "select": 0}, "The keys are all smaller"),
    ({"select": 4}, "There is no key 4; there are 4, from 0 to 3."),
    ({"select": -1}, "There is no key -1"),
    ({"average": [0, 9]}, "There is no key 9"),
    ({"average": [0.5]}, "named by a whole number"),
    ({"average": [1, 1]}, "Key 1 is named twice"),
    ({"average": []}, "at least one key"),
    ({}, "exactly one of select, average, weights and identity; given: none"),
    ({"select": 0, "average": [0]}, "given: select and average"),
    ({"weights": [0.5, 0.5]}, "4 numbers, not 2"),
    ({"weights": [0.5, 0.4, 0, 0]}, "they sum to 0.9"),
    ({"weights": [1.5, -0.5, 0, 0]}, "cannot be negative; that of key 1 is -0.5"),
    ({"select": 0, "length": 0}, "The length must be above 0"),
    ({"select": 0, "length": -1}, "The length must be above 0"),
    ({"select": 0, "length": float("nan")}, "not nan"),
    ({"select": 0, "replace_key": 1}, "give the query that stays too"),
    ({"select": 0, "query": [1, 1, 1]}, "say which key to replace"),
    ({"select": 0, "query": [1, 1], "replace_key": 1}, "The query must be as long as a key: 3 numbers, not 2."),
    ({"select": 0, "query": [1, 1, 1], "replace_key": 7}, "There is no key 7"),
    ({"identity": True, "query": [1, 1, 1], "replace_key": 1}, "cannot make the identity"),
    ({"select": 0, "method": "exat"}, "Did you mean 'exact'?"),
    ({"select": 0, "values": [[1]]}, "There are 4 keys and 1 values"),
    ({"select": 0, "targets": [1, 0, 0, 0]}, "with the method lstsq"),
    ({"select": 0, "targets": [1], "method": "lstsq"}, "4 numbers, not 1"),
    ({"identity": True, "targets": [1, 0, 0, 0], "method": "lstsq"}, "Targets are for one query"),
]


@pytest.mark.parametrize(("wish", "message"), BAD, ids=lambda value: str(value)[:40])
def test_bad_input(wish: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        solve(**{"keys": KEYS, **wish})
    assert message in str(refused.value)
