"""`oratory solve`, as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_bad_input import refused

KEYS = "[[0.47, 0.65, 0.60], [0.64, 0.50, -0.59], [-0.03, -0.48, -0.88], [0.43, -0.83, 0.35]]"


def test_json_and_picture(oratory: Run, tmp_path: Path) -> None:
    out = tmp_path / "keys.svg"
    done = oratory("solve", "--keys", KEYS, "--average", "0,1", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    pair = json.loads(done.stdout)
    assert pair["exact"] is True
    assert pair["margin"] > 1
    assert pair["weights"] == pytest.approx([0.5, 0.5, 0, 0], abs=1e-6)
    assert "certificate" not in pair
    assert out.read_text().startswith("<?xml")
    fixed = ["--query", json.dumps(pair["query"]), "--replace-key", "2", "--length", "1", "--json"]
    alone = json.loads(oratory("solve", "--keys", KEYS, *fixed, "--select", "2").stdout)
    assert alone["exact"] is True
    assert sum(number**2 for number in alone["key"]) == pytest.approx(1)


def test_identity_by_least_squares(oratory: Run) -> None:
    done = oratory("solve", "--keys", KEYS, "--identity", "--method", "lstsq", "--json")
    assert done.returncode == 0
    assert [round(number, 4) for number in json.loads(done.stdout)["queries"][0]] == [44.6093, 28.4705, 31.0986]


def test_a_tiny_margin_is_no_traceback(oratory: Run) -> None:
    done = oratory("solve", "--keys", "[[1, 0], [-1, 0], [0, 1e-8]]", "--select", "2", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["margin"] == pytest.approx(1e-8)


def test_impossible_is_a_failed_check(oratory: Run) -> None:
    arguments = ["solve", "--keys", "[[0, 0], [1, 0], [-1, 0]]", "--select", "0"]
    done = oratory(*arguments, "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["exact"] is False
    assert found["certificate"]["right"] == pytest.approx({"1": 0.5, "2": 0.5})
    done = oratory(*arguments)
    assert done.returncode == 1
    assert "0.5 key 1 + 0.5 key 2" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--keys", "[[1, 2", "--select", "0"], "--keys must be numbers in brackets"),
        (["--keys", "3", "--select", "0"], "The keys must be a matrix"),
        (["--keys", "[[1, NaN]]", "--select", "0"], "not nan"),
        (["--keys", "[[1, 0]]", "--select", "1"], "There is no key 1; there are 1, from 0 to 0."),
        (["--keys", "[[1, 0]]", "--average", "zero"], "--average must be numbers"),
        (["--keys", "[[1, 0]]"], "given: none"),
        (["--keys", "[[1, 0]]", "--select", "0", "--identity"], "given: select and identity"),
        (["--keys", "[[1, 0]]", "--select", "0", "--replace-key", "0"], "give the query that stays too"),
        (["--keys", "[[1, 0]]", "--select", "0", "--out", "keys.bmp"], "keys.bmp must end in"),
    ],
)
def test_words_that_do_not_fit(oratory: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    assert message in " ".join(refused(oratory, "solve", *arguments, cwd=tmp_path).split())
    assert not list(tmp_path.iterdir())
