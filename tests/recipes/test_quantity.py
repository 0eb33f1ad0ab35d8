"""Published figures: which kinds there are, how they are written, and how they are shown."""

import pytest

from oratory.errors import InputError
from oratory.recipes import load_recipe
from oratory.recipes.quantities.accuracy import SplitAccuracy
from oratory.recipes.quantities.perplexity import LinePerplexity, TextPerplexity
from oratory.recipes.quantity import KINDS, Quantity, parse_quantity
from tests.recipes.test_recipes import TRAINED

NAMES = [
    "dev accuracy",
    "line perplexity",
    "parameters",
    "perplexity",
    "seconds",
    "test accuracy",
    "train accuracy",
    "train loss",
]


def test_all_kinds_are_found() -> None:
    with pytest.raises(InputError, match=f"Known: {', '.join(NAMES)}\\."):
        parse_quantity("nothing")
    used = {type(reference.quantity) for name in TRAINED for reference in load_recipe(name).references}
    assert len(used) == 6, "every kind is in some recipe"
    assert all(kind.__module__.startswith(KINDS) for kind in used)


@pytest.mark.parametrize(
    "text", ["test accuracy", "perplexity: obama", "line perplexity: dev", "parameters: attention"]
)
def test_a_figure_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_quantity(text)) == text
    assert parse_quantity(text) == parse_quantity(text.replace(":", " : "))


def test_equal_names_of_different_kinds_differ() -> None:
    assert TextPerplexity("perplexity", "train") != LinePerplexity("perplexity", "train")
    assert SplitAccuracy("test accuracy") == parse_quantity("test accuracy")


@pytest.mark.parametrize(
    ("text", "label", "value", "shown", "spread"),
    [
        ("test accuracy", "test accuracy, %", 84.666, "84.67", "0.05"),
        ("perplexity: train", "perplexity of train", 2178713.25, "2.18e+06", "5.0%"),
        ("train loss", "train loss", 1.04396, "1.0440", "0.0500"),
        ("seconds", "seconds", 3.044, "3.04", "0.05"),
        ("parameters", "parameters", 1576467.0, "1,576,467", "0"),
    ],
)
def test_how_it_is_shown(text: str, label: str, value: float, shown: str, spread: str) -> None:
    quantity = parse_quantity(text)
    assert quantity.label == label
    assert quantity.show(value) == shown
    assert quantity.metric.show_spread(0.05, quantity.digits) == spread
    assert quantity.show(None) == quantity.metric.show_spread(None) == quantity.show_interval(None) == "–"
    assert quantity.show_interval((value, value)) == f"{shown} to {shown}"


def test_scales() -> None:
    accuracy, perplexity, loss = map(parse_quantity, ("dev accuracy", "perplexity: a", "train loss"))
    assert (accuracy.metric.scaled(0.5), loss.metric.scaled(0.5)) == (50.0, 0.5)
    assert perplexity.metric.scaled(0.0) == 1.0
    assert accuracy.metric.scaled(1.02) == pytest.approx(102.0), "an interval is not cut off at the ends of the scale"
    assert accuracy.difference(60.0, 50.0) == 10.0
    assert loss.difference(60.0, 50.0) == pytest.approx(20.0)


def test_what_an_evaluation_has() -> None:
    entry = {"test_accuracy": 0.5, "train_loss": None, "seconds": 2.0, "perplexity": {"george-w-bush": 1.0, "b": None}}

    def value(text: str) -> float | None:
        return parse_quantity(text).at_evaluation(entry)

    assert value("test accuracy") == 0.5
    assert value("seconds") == 2.0
    assert value("perplexity: wbush") == 0.0, "sotu has the text under another name"
    for text in ("dev accuracy", "train loss", "perplexity: b", "perplexity: c", "line perplexity: b", "parameters"):
        assert value(text) is None


def test_which_part_of_test_it_is() -> None:
    parts = ("all", "seen", "obama", "george-h-w-bush")

    def part(text: str) -> str | None:
        return parse_quantity(text).part(parts)

    assert part("test accuracy") == "all"
    assert (part("perplexity: obama"), part("perplexity: hbush")) == ("obama", "george-h-w-bush")
    for text in ("train accuracy", "perplexity: train", "line perplexity: obama", "train loss", "parameters"):
        assert part(text) is None


def test_a_new_kind_needs_little() -> None:
    class Norm(Quantity):
        names = ("norm",)

        def at_evaluation(self, entry: object) -> float | None:
            return 1.0

    assert (Norm("norm").label, Norm("norm").show(1.0)) == ("norm", "1.00")
    assert not Norm("norm").metric.logarithmic
