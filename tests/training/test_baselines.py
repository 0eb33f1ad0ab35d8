import pytest

from oratory.baselines.share import Share
from oratory.pictures import Bars, Curves, Mark
from oratory.training.running_text.baselines import CountedText, CountFacts
from oratory.training.tasks.classifier.baselines import ClassifierBaselines, ClassifierFacts
from oratory.training.tasks.lm.baselines import LanguageBaselines


def test_accuracy_has_a_bar_in_every_group_that_has_items() -> None:
    scores = ClassifierFacts("", Share(6, 8), Share(0, 0), Share(6, 8))
    [drawn] = ClassifierBaselines({"majority": scores}, test=8, seen=0).pictures()
    bars = drawn.picture
    assert isinstance(bars, Bars)
    assert bars.groups == ["all (8)", "unseen (8)"]
    [first, second] = bars.variants["majority"]
    assert first == second
    assert isinstance(first, Mark)
    assert first.value == 75
    low, high = Share(6, 8).interval or (0, 0)
    assert first.interval == pytest.approx((100 * low, 100 * high))


def test_perplexity_is_drawn_against_the_order_of_the_model() -> None:
    models = {
        f"kneser-ney-{order}": CountFacts(order, 0.7, None, {"a": CountedText(300 / order, None, None, 1.0, 400.0)})
        for order in (1, 2, 3)
    }
    [drawn] = LanguageBaselines(models).pictures()
    curves = drawn.picture
    assert isinstance(curves, Curves)
    assert curves.series == {"a": ([1, 2, 3], [[300, 150, 100]])}
    assert (curves.log, curves.dots) == (True, True)


def test_nothing_is_drawn_where_nothing_was_measured() -> None:
    for nothing in (ClassifierBaselines(), LanguageBaselines()):
        assert not nothing.pictures()
        assert not nothing.tables()
