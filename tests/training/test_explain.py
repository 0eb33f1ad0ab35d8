"""Settings explain themselves: each has a meaning, values, a default, and the runs that it is for."""

from dataclasses import fields
from typing import Any

import pytest

from oratory.errors import InputError
from oratory.model import ModelConfig
from oratory.settings import convert, parameters_of
from oratory.training.config import TrainConfig
from oratory.training.explain import SettingFacts, explain
from oratory.training.origins import all_settings, origins
from oratory.training.origins.published.config import FineTuneConfig
from oratory.training.setting import Setting, kind_of, settings_in, shown
from oratory.training.tasks import tasks

SETTINGS = [(origin.name, setting) for origin in origins() for setting in origin.settings()]


def only(name: str) -> SettingFacts:
    (found,) = explain(name).settings
    return found


@pytest.mark.parametrize("config", [ModelConfig, TrainConfig, FineTuneConfig])
def test_every_field_has_a_meaning(config: type) -> None:
    for parameter in parameters_of(config):
        assert parameter.help.endswith("."), parameter.name
        assert "\n" not in parameter.help


@pytest.mark.parametrize(("origin", "setting"), SETTINGS, ids=lambda part: getattr(part, "name", part))
def test_every_setting_says_what_it_can_be(origin: str, setting: Setting) -> None:
    assert setting.meaning.endswith(".")
    assert setting.default != "must be given"
    assert setting.values not in ("", "text")
    for choice in setting.choices.values():
        assert all(parameter.meaning.endswith(".") for parameter in settings_in(choice))
    if not setting.choices:
        convert(setting.default, setting.type, setting.name)


def test_all_are_there() -> None:
    assert {setting.name for setting in explain().settings} == set(all_settings())
    for origin in origins():
        own = {setting.name for setting in explain().settings if origin.name in setting.origins}
        assert own <= set(origin.known())
    assert len(SETTINGS) > len(fields(TrainConfig)) * len(origins())


def test_a_setting_of_training_is_found_without_its_beginning() -> None:
    found = only("optimizer")
    assert found == only("train.optimizer")
    assert found.default == "adam"
    assert [str(base) for base in found.bases] == ["published: adamw"]
    assert found.origins == ("scratch", "own", "published")
    sgd = next(value for value in found.choices if value.name == "sgd")
    assert [(one.name, one.values, one.default) for one in sgd.parameters] == [
        ("momentum", "number", "0.9"),
        ("nesterov", "on, off", "off"),
    ]


def test_tasks_say_what_they_begin_with_and_what_they_use() -> None:
    assert [str(base) for base in only("feedforward").bases] == ["lm: relu(hidden=100)"]
    assert only("train.iterations").row[3] == "none; lm: 500; mlm: 3000"
    for name in ("tied", "head_bias", "train.stride", "train.items", "train.truncate"):
        assert only(name).tasks == ("lm", "mlm")
        assert only(name).origins == (("scratch", "own") if name.startswith("train.") else ("scratch",))
    assert only("head_hidden").tasks == ("classifier",)
    assert only("layers").tasks == tuple(tasks())
    assert only("layers").row[-1] == "all"


def test_two_settings_of_one_name_are_both_explained() -> None:
    new, published = explain("context").settings
    assert (new.default, new.origins) == ("32", ("scratch", "own"))
    assert [str(base) for base in new.bases] == ["own: that of the run"]
    assert (published.default, published.origins, published.tasks) == ("64", ("published",), ("classifier",))


def test_unused_settings_really_change_nothing() -> None:
    """What a task says it does not use has no part in its model."""
    from oratory.model import Transformer

    other: dict[str, Any] = {"tied": "on", "head_bias": "off", "pool": "attention", "head_hidden": "7"}
    other |= {"objective": "z-loss", "classes": 3}
    for task in tasks().values():
        small: dict[str, Any] = {"vocabulary": 5, "classes": 2, "layers": "1", "width": "4", "heads": "1"}
        base = Transformer(task.config(**small)).state_dict()
        for name in task.unused:
            changed = Transformer(task.config(**{**small, name: other[name]})).state_dict()
            assert changed.keys() == base.keys()
            assert all(changed[key].equal(base[key]) for key in base)


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(InputError, match=r"There is no setting 'optimzer'. Did you mean 'train.optimizer'"):
        explain("optimzer")


def test_values_in_words() -> None:
    assert shown(None) == "none"
    assert shown(False) == "off"
    assert shown(("a", "b")) == "a+b"
    assert shown(1e-3) == "0.001"
    assert kind_of(int | None) == "whole number, none"
    assert kind_of(tuple[str, ...]) == "text, several joined by +"


def test_tables_and_details() -> None:
    assert [len(table.columns) for table in explain().tables()] == [5] * 6
    settings, values, parameters = explain("position").tables()
    assert settings.rows[0][0] == "position"
    assert {"rope", "alibi"} <= {row[0] for row in values.rows}
    assert ("rope", "base") in {row[:2] for row in parameters.rows}
    assert len(explain("layers").tables()) == 1
    for name in all_settings():
        assert explain(name).tables()
