"""Attention by hand in the API: the numbers of `solve`, and exercises."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from oratory.inspect import solve

KEYS = [[0.9, 0.3], [0.2, 0.9], [-0.8, 0.5]]


@pytest.mark.parametrize(
    "asked",
    [
        {"keys": KEYS, "select": 0},
        {"keys": KEYS, "average": [0, 1], "scale": True},
        {"keys": KEYS, "weights": [0.2, 0.5, 0.3], "values": [[1, 0], [0, 1], [1, 1]]},
        {"keys": KEYS, "identity": True},
        {"keys": KEYS, "select": 2, "query": [1, 1], "replace_key": 2, "length": 1},
        {"keys": [[0, 0], [1, 1], [-1, -1]], "select": 0},
    ],
)
def test_solve_is_solve(client: TestClient, asked: dict[str, Any]) -> None:
    answer = client.post("/api/hand/solve", json=asked)
    assert answer.status_code == 200
    found = solve(**asked)
    expected = json.loads(json.dumps(found.to_dict() | {"possible": found.possible, "exact": found.exact}))
    assert {name: answer.json()[name] for name in expected} == expected
    assert answer.json()["says"] == found.sentences()


def test_an_impossible_wish_has_its_certificate(client: TestClient) -> None:
    found = client.post("/api/hand/solve", json={"keys": [[0, 0], [1, 1], [-1, -1]], "select": 0}).json()
    assert not found["possible"]
    assert found["certificate"]["kind"] == "hull"
    assert found["certificate"]["right"] == pytest.approx({"1": 0.5, "2": 0.5})


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"keys": KEYS}, 400, "exactly one of select"),
        ({"keys": KEYS, "select": 3}, 400, "There is no key 3"),
        ({"keys": [[1, 2], [1]], "select": 0}, 400, "row 1 has 1 numbers"),
        ({"keys": [[1.0]] * 25, "select": 0}, 422, "24 items"),
        ({"keys": [[1.0] * 65], "select": 0}, 422, "64 items"),
        ({"keys": KEYS, "select": 0, "path": "/etc/passwd"}, 422, "Extra inputs"),
        ({"keys": "x", "select": 0}, 422, "list"),
        ({"keys": KEYS, "select": 0, "method": "guess"}, 400, "method"),
    ],
)
def test_bad_input_is_a_sentence(client: TestClient, body: dict[str, Any], status: int, says: str) -> None:
    answer = client.post("/api/hand/solve", json=body)
    assert (answer.status_code, says in answer.json()["error"]) == (status, True), answer.json()


def test_numbers_that_are_none(client: TestClient) -> None:
    body = '{"keys": [[NaN, 1], [1, 0]], "select": 0}'
    assert client.post("/api/hand/solve", content=body, headers={"content-type": "application/json"}).status_code in (
        400,
        422,
    )


def test_exercises_are_checked(client: TestClient) -> None:
    exercises = client.get("/api/hand/exercises").json()
    assert exercises[0]["name"] == "select the first value"
    assert len(exercises) == 6
    solved = client.post("/api/hand/exercises/0", json={"queries": [[44.6093, 28.4705, 31.0986]]}).json()
    assert (solved["solved"], solved["exact"]) == (True, True)
    wrong = client.post("/api/hand/exercises/0", json={"queries": [[1, 1, 1]]}).json()
    assert (wrong["solved"], wrong["says"].startswith("Not yet")) == (False, True)
    for key, right in (([0.6039, 0.7964, -0.0141], True), ([1, 2, 3], False), ([0, 0, -1], False)):
        answer = client.post("/api/hand/exercises/5", json={"key": key})
        assert (answer.status_code, answer.json()["solved"]) == (200, right)
    assert client.post("/api/hand/exercises/0", json={"key": [1]}).status_code == 400
    assert "There is no exercise 6" in client.post("/api/hand/exercises/6", json={}).json()["error"]
