"""The recipe of attention by hand: the published queries again, and what they are worth."""

from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.execution.local import Local
from oratory.recipes import HandResult, load_reproduction, plan
from oratory.recipes.by_hand import hand_document
from oratory.recipes.read import load_recipe, read_recipe
from oratory.runs import Store

FILE = """
title = "t"
about = "a"
keys = [[1, 0], [0, 1]]

[[problem]]
name = "first"
select = 0
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> HandResult:
    [planned] = plan(["r3-by-hand"])
    found = planned.run(Store(tmp_path_factory.mktemp("runs")), Local())
    assert isinstance(found, HandResult)
    return found


def test_least_squares_gives_what_was_published(made: HandResult) -> None:
    assert [answer.agrees for answer in made.answers] == [True, True, True, True, None, None]


def test_the_published_average_is_not_one(made: HandResult) -> None:
    errors = {answer.problem.name: answer.published_error for answer in made.answers}
    assert errors["average the first two"] == pytest.approx(0.054)
    assert errors["select the first value"] == pytest.approx(0, abs=1e-12)
    assert [answer.exact.exact for answer in made.answers] == [True] * 6
    assert sum(answer.least_squares.exact for answer in made.answers) == 3


def test_its_report_and_json(made: HandResult, tmp_path: Path) -> None:
    document = hand_document(made)
    assert len(document.figures) == 6
    assert document.sections[-1].code == "oratory reproduce r3-by-hand"
    facts = made.to_dict()
    assert [task["published"]["agrees"] for task in facts["tasks"]] == [True, True, True, True, None, None]
    assert isinstance(load_reproduction("r3-by-hand", Store(tmp_path)), HandResult)
    with pytest.raises(InputError, match="r3-by-hand trains nothing"):
        load_recipe("r3-by-hand")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "t"', "", "lacks title"),
        ("keys =", "kees =", "There is no key 'kees'"),
        ("select = 0", "selct = 0", "There is no key 'selct'"),
        ('name = "first"', "", "a problem lacks its name"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(FILE.replace(old, new))
    with pytest.raises(InputError, match=message):
        read_recipe(path)
