"""What the trials of a search say of single settings, and of ties."""

from types import SimpleNamespace
from typing import Any

from oratory.searches.effects import against, interaction, levels, tied_sentence, ties
from oratory.searches.result import COMPLETE, FAILED, PRUNED, TrialFacts
from oratory.training.tasks import task_of


def trial(number: Any, value: Any, state: Any = COMPLETE, interval: Any = None, **settings: Any) -> Any:
    named = {"train.lr": settings["lr"], "train.batch": settings["batch"]}
    return TrialFacts(number, state, named, () if value is None else (value,), interval, ())


def search() -> Any:
    trials = (
        trial(0, 0.60, lr="0.1", batch="16"),
        trial(1, 0.70, interval=(0.64, 0.76), lr="0.01", batch="16"),
        trial(2, 0.66, lr="0.01", batch="32"),
        trial(3, 0.50, PRUNED, lr="0.1", batch="32"),
        trial(4, None, FAILED, lr="0.1", batch="32"),
    )
    metric = task_of("classifier").metric()
    space = {"train.lr": "0.1,0.01", "train.batch": "16,32"}
    return SimpleNamespace(
        trials=trials,
        ranked=sorted(trials, key=lambda t: -(t.mean or 0)),
        best=trials[1],
        metric=metric,
        space=space,
        importance={"train.lr": 0.8, "train.batch": 0.2},
        unit="accuracy on dev, %",
    )


def test_a_tie_is_said() -> None:
    found = search()
    assert [each.number for each in ties(found)] == [2]
    assert "1 other trial lies in its interval (2)" in tied_sentence(found)
    found.best = trial(1, 0.7, interval=(0.69, 0.71), lr="1", batch="1")
    assert tied_sentence(found) == "No other trial lies in its interval."
    found.best = trial(1, 0.7, lr="1", batch="1")
    assert "it is not known which" in tied_sentence(found)


def test_every_trial_with_a_figure_is_shown_against_a_setting() -> None:
    assert against(search(), "train.lr") == {
        COMPLETE: [("0.1", 0.6), ("0.01", 0.7), ("0.01", 0.66)],
        PRUNED: [("0.1", 0.5)],
    }


def test_two_settings_together() -> None:
    table = interaction(search())
    assert table is not None
    assert table.columns == ("train.lr", "train.batch 16", "train.batch 32")
    assert table.rows == (("0.01", "70.0 (1)", "66.0 (1)"), ("0.1", "60.0 (1)", "50.0 (1)"))


def test_many_numbers_are_two_levels() -> None:
    assert set(levels([str(number) for number in range(9)]).values()) == {"up to 4", "above 4"}
    assert levels(["rope", "alibi"]) == {"alibi": "alibi", "rope": "rope"}
