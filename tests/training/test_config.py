"""Training settings: they round-trip, and what makes no sense together is refused."""

import json
import re

import pytest

from oratory.errors import InputError
from oratory.training.config import TrainConfig, prefixed, training_from
from oratory.training.origins import origin_of
from oratory.training.schedules import SCHEDULES, Constant, Cosine, Linear, OneCycle
from oratory.training.tasks import task_of


def base_training(task: str, **changes: str) -> TrainConfig:
    chosen = task_of(task)
    return training_from(chosen.train_config(), chosen.training, changes)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"lr": "3e-4", "optimizer": "adamw(beta2=0.95)", "schedule": "cosine(warmup=0.1,final=0.1)"},
        {"optimizer": "sgd(momentum=0.5,nesterov=on)", "clip": "1", "patience": "3", "keep": "best"},
        {"average": "ema(decay=0.95)", "noise": "kneser-ney(rate=0.2)", "word_dropout": "0.1"},
        {"schedule": "one-cycle", "optimizer": "muon", "precision": "bfloat16", "threads": "1"},
    ],
)
@pytest.mark.parametrize("task", ["classifier", "lm"])
def test_settings_round_trip(task: str, changes: dict[str, str]) -> None:
    config = base_training(task, **changes)
    assert type(config).from_dict(json.loads(json.dumps(config.to_dict()))) == config
    as_text = {name: str(value) for name, value in config.to_dict().items() if value is not None}
    assert type(config).from_dict(as_text) == config


def test_base_settings() -> None:
    classifier, lm = base_training("classifier"), base_training("lm")
    assert (classifier.epochs, classifier.iterations, classifier.eval_every) == (15, None, None)
    assert (lm.epochs, lm.iterations, lm.eval_every) == (None, 500, 100)
    assert classifier.to_dict()["optimizer"] == "adam"
    assert (classifier.lr, classifier.batch) == (1e-3, 16)


def test_epochs_take_the_place_of_iterations() -> None:
    lm = base_training("lm", epochs="2")
    assert (lm.epochs, lm.iterations, lm.eval_every) == (2, None, None)
    assert base_training("lm", iterations="30").eval_every == 30
    assert base_training("classifier", iterations="30").epochs is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"epochs": "2", "iterations": "3"}, "one must be given, not both"),
        ({"lr": "0"}, "train.lr=0.0: it must be above 0"),
        ({"lr": "nan"}, "train.lr=nan"),
        ({"lr": "fast"}, "train.lr: 'fast' is not a number"),
        ({"batch": "0"}, "train.batch=0: it must be at least 1"),
        ({"iterations": "50", "eval_every": "100"}, "train.eval_every=100 is more than train.iterations=50"),
        ({"iterations": "50", "schedule": "linear(warmup=60)"}, "warm-up of 60 steps does not end"),
        ({"schedule": "linear(warmup=-1)"}, "must be at least 0"),
        ({"accumulate": "17"}, "cannot be made of train.batch=16"),
        ({"optimizer": "adan"}, "There is no train.optimizer 'adan'. Did you mean 'adam'?"),
        ({"optimizer": "sgd(momentum=1)"}, "momentum=1.0: it must be"),
        ({"optimizer": "adam(beta2=1.5)"}, "beta2=1.5"),
        ({"average": "ema(decay=1)"}, "ema(decay=1.0): it must lie between 0 and 1"),
        ({"average": "swa(start=-1)"}, "swa(start=-1.0): it must be at least 0"),
        ({"noise": "kneser-ney(rate=0)"}, "rate=0.0: the share of tokens"),
        ({"noise": "kneserney"}, "There is no train.noise 'kneserney'. Did you mean 'kneser-ney'?"),
        ({"keep": "first"}, "There is no train.keep 'first'"),
        ({"smoothing": "1"}, "train.smoothing=1.0"),
        ({"truncate": "9"}, "say train.items=lines too"),
        ({"precision": "float8"}, "There is no train.precision 'float8'"),
        ({"speed": "9"}, "There is no setting 'train.speed'"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, str], sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        base_training("lm", **changes)


@pytest.mark.parametrize(
    ("task", "changes", "sentence"),
    [
        ("lm", {"rdrop": "1"}, "train.rdrop is for"),
        ("classifier", {"rdrop": "-1"}, "train.rdrop=-1.0: it must be at least 0"),
        ("classifier", {"items": "lines"}, "train.items is for language models"),
        ("classifier", {"stride": "8"}, "train.stride is for language models"),
        ("lm", {"bucketing": "on"}, "all windows are of one length"),
        ("lm", {"stride": "33"}, "train.stride=33 is more than context=32"),
    ],
)
def test_what_does_not_fit_the_task_is_refused(task: str, changes: dict[str, str], sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        origin_of({}).complete(task_of(task), prefixed(changes))


def test_schedules_have_their_shapes() -> None:
    steps = 100
    assert {Constant().factor(step, steps) for step in range(steps)} == {1.0}
    linear = [Linear(warmup=10, final=0.2).factor(step, steps) for step in range(steps)]
    assert linear[:10] == [(step + 1) / 11 for step in range(10)]
    assert linear[10] == 1.0
    assert linear[-1] == pytest.approx(0.2 + 0.8 / 90)
    cosine = [Cosine(warmup=0.1).factor(step, steps) for step in range(steps)]
    assert cosine[10] == 1.0
    assert cosine[55] == pytest.approx(0.5)
    assert 0 < cosine[-1] < 0.001
    cycle = [OneCycle().factor(step, steps) for step in range(steps)]
    assert cycle[0] == pytest.approx(0.04)
    assert max(cycle) == cycle[30] == 1.0
    assert cycle[-1] < 0.001


def test_one_cycle_is_that_of_the_framework() -> None:
    import torch

    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    theirs = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=101, pct_start=30 / 101)
    for step in range(100):
        low, high = (OneCycle(warmup=30).factor(at, 100) for at in (max(0, step - 1), min(99, step + 1)))
        assert min(low, high) - 0.02 <= optimizer.param_groups[0]["lr"] <= max(low, high, 1.0) + 0.02
        optimizer.step()
        theirs.step()


def test_every_schedule_is_found() -> None:
    assert set(SCHEDULES) == {"constant", "linear", "cosine", "one-cycle", "wsd"}


def test_wsd_stays_and_then_falls_on_a_line() -> None:
    course = SCHEDULES["wsd"](warmup=10, decay=0.25, final=0.1)
    factors = [course.factor(step, 110) for step in range(110)]
    assert factors[:10] == pytest.approx([(step + 1) / 11 for step in range(10)])
    assert factors[10:85] == [1.0] * 75
    assert factors[85:] == pytest.approx([1 - 0.9 * step / 25 for step in range(25)])
