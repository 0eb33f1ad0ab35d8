"""What can be compared, and what is refused before anything is trained."""

import re

import pytest

from oratory.comparisons import Design, Variant, parse_seeds, parse_variants, write_seeds
from oratory.errors import InputError
from oratory.text import Corpus
from oratory.training.tasks import task_of


@pytest.mark.parametrize(
    ("text", "name", "settings"),
    [
        ("position=rope", "position=rope", {"position": "rope"}),
        ("base", "base", {}),
        (
            "position=alibi pattern=window(size=8)",
            "position=alibi pattern=window(size=8)",
            {"position": "alibi", "pattern": "window(size=8)"},
        ),
        ("wide: width=128", "wide", {"width": "128"}),
        ("plain: base", "plain", {}),
        ("tokenizer=pretrained:folder", "tokenizer=pretrained:folder", {"tokenizer": "pretrained:folder"}),
    ],
)
def test_variants_as_they_are_written(text: str, name: str, settings: dict[str, str]) -> None:
    variant = Variant.parse(text)
    assert (variant.name, dict(variant.settings)) == (name, settings)


def test_seeds_as_they_are_written() -> None:
    assert parse_seeds("3") == (0, 1, 2)
    assert parse_seeds("4,2,9") == (4, 2, 9)
    for seeds in ((0,), (7,), (4, 2, 9)):
        assert parse_seeds(write_seeds(seeds)) == seeds
    for wrong in ("0", "many", "1,x", "-2", "9" * 9, "9" * 30, "9" * 5000):
        with pytest.raises(InputError, match="--seeds"):
            parse_seeds(wrong)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"variants": parse_variants(["base"])}, "at least two variants"),
        ({"variants": parse_variants(["base", "base"])}, "'base' is given twice"),
        ({"seeds": ()}, "at least one"),
        ({"seeds": (1, 1)}, "different from each other"),
        ({"metric": "accuracyy"}, "There is no metric of a language model 'accuracyy'"),
        ({"settings": {"position": "alibi"}}, "position is given for all variants, and again"),
    ],
)
def test_designs_that_make_no_sense(sotu: Corpus, changes: dict[str, object], sentence: str) -> None:
    values = {
        "task": task_of("lm"),
        "corpus": sotu,
        "variants": parse_variants(["base", "position=rope"]),
        "seeds": (0,),
    }
    with pytest.raises(InputError, match=re.escape(sentence)):
        Design(**(values | changes))  # type: ignore[arg-type]


def test_an_unknown_setting_names_the_nearest() -> None:
    with pytest.raises(InputError, match="Did you mean 'position'"):
        Variant.parse("positoin=rope")


def test_settings_of_training_may_leave_out_their_prefix() -> None:
    assert dict(Variant.parse("optimizer=sgd lr=0.1").settings) == {"train.optimizer": "sgd", "train.lr": "0.1"}
