"""The tasks of attention by hand as exercises."""

import numpy as np
import pytest

from oratory.errors import InputError
from oratory.recipes.by_hand import solve_by_hand
from oratory.recipes.exercise import Exercise, check_exercise, exercises_of
from oratory.recipes.hand_recipe import HandRecipe
from oratory.recipes.read import load_any_recipe


@pytest.fixture(scope="module")
def recipe() -> HandRecipe:
    found = load_any_recipe("r3-by-hand")
    assert isinstance(found, HandRecipe)
    return found


@pytest.fixture(scope="module")
def exercises(recipe: HandRecipe) -> tuple[Exercise, ...]:
    return exercises_of(recipe)


def test_the_solver_solves_all_six_exactly(recipe: HandRecipe, exercises: tuple[Exercise, ...]) -> None:
    assert len(exercises) == 6
    for exercise, answer in zip(exercises, solve_by_hand(recipe).answers, strict=True):
        found = check_exercise(exercise, answer.exact.queries, answer.exact.key)
        assert (found.solved, found.exact) == (True, True), exercise.name
        np.testing.assert_allclose(found.weights, answer.exact.weights, atol=1e-12)


def test_a_published_average_is_not_near_enough(recipe: HandRecipe, exercises: tuple[Exercise, ...]) -> None:
    """R3's weights are 0.549 and 0.446, where 0.5 and 0.5 are wanted."""
    answer = solve_by_hand(recipe).answers[3]
    found = check_exercise(exercises[3], answer.least_squares.queries)
    assert not found.solved
    assert found.error == pytest.approx(0.0535, abs=1e-3)
    assert found.says.startswith("Not yet")


def test_near_enough_is_solved_but_not_exact(exercises: tuple[Exercise, ...]) -> None:
    found = check_exercise(exercises[2], [[0.01, 0, 0]])
    weights = np.exp(0.01 * np.array(exercises[2].keys)[:, 0])
    np.testing.assert_allclose(found.weights[0], weights / weights.sum())
    assert (found.solved, found.exact) == (True, False)


def test_a_new_key_must_have_its_length(exercises: tuple[Exercise, ...]) -> None:
    query = np.array(exercises[5].query)
    unit = query / np.linalg.norm(query)
    assert check_exercise(exercises[5], key=unit.tolist()).solved
    longer = check_exercise(exercises[5], key=(2 * unit).tolist())
    assert not longer.solved
    assert "must be 1 long; this one is 2" in longer.says


@pytest.mark.parametrize("queries", [None, [], [[1, 2]], [[1, 2, 3], [1, 2, 3]], [[1, 2, float("nan")]]])
def test_a_wrong_answer_is_a_sentence(exercises: tuple[Exercise, ...], queries: list[list[float]] | None) -> None:
    with pytest.raises(InputError, match="one query of 3 numbers"):
        check_exercise(exercises[0], queries)
    with pytest.raises(InputError, match="new key 2: 3 numbers"):
        check_exercise(exercises[4], queries)
