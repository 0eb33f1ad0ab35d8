from typing import Any

import pytest

from oratory.baselines import Baselines
from oratory.baselines.scores import ClassifierFacts, LanguageFacts, Share, TextFacts
from oratory.pictures import Mark
from oratory.reports.baselines import accuracy, perplexity


def facts(**given: Any) -> Baselines:
    plain = {"corpus": "c", "fingerprint": "f", "tokenizer": "word", "vocabulary": 9, "discount": None, "chosen": None}
    return Baselines(**{**plain, "test": 0, "seen": 0, "classifier": {}, "lm": {}, **given})


def test_accuracy_has_a_bar_in_every_group_that_has_items() -> None:
    scores = ClassifierFacts("", Share(6, 8), Share(0, 0), Share(6, 8))
    bars = accuracy(facts(test=8, seen=0, classifier={"majority": scores}))
    assert bars.groups == ["all (8)", "unseen (8)"]
    [first, second] = bars.variants["majority"]
    assert first == second
    assert isinstance(first, Mark)
    assert first.value == 75
    low, high = Share(6, 8).interval or (0, 0)
    assert first.interval == pytest.approx((100 * low, 100 * high))


def test_perplexity_is_drawn_against_the_order_of_the_model() -> None:
    models = {
        f"kneser-ney-{order}": LanguageFacts(order, 0.7, None, {"a": TextFacts(300 / order, None, None, 1.0)})
        for order in (1, 2, 3)
    }
    curves = perplexity(facts(lm=models), ["a"])
    assert curves.series == {"a": ([1, 2, 3], [[300, 150, 100]])}
    assert (curves.log, curves.dots) == (True, True)
