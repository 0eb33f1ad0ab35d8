"""Parameters are counted without a model, and one that is too large is refused."""

import time
from pathlib import Path
from typing import Any

import pytest

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY
from oratory.mechanisms.kinds import KINDS
from oratory.model import ModelConfig, Transformer, count, count_parameters, parameters_of
from oratory.training.tasks import base

CHOICES = [(kind, name) for kind in KINDS for name in REGISTRY[kind]]


@pytest.mark.parametrize(("kind", "name"), CHOICES)
@pytest.mark.parametrize("task", ["classifier", "lm"])
def test_the_count_is_that_of_the_model(kind: str, name: str, task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = base(task, 50, **({"classes": 2} if task == "classifier" else {})).to_dict()
    try:
        config = ModelConfig.from_dict(values | {kind: name, "layers": 5})
    except InputError:
        pytest.skip("not in such a model")
    built = count_parameters(Transformer(config))
    assert parameters_of(config) == built
    monkeypatch.setattr(count, "MOST_BUILT", 4)
    assert parameters_of(config) == built
    assert list(parameters_of(config).components) == list(built.components)


@pytest.mark.parametrize(
    "changes",
    [
        {"width": 100_000_000},
        {"context": 1_000_000_000},
        {"layers": 10_000_000_000},
        {"width": 10**12},
        {"width": 10**30},
        {"context": 10**30},
    ],
)
def test_a_model_that_no_machine_holds(changes: dict[str, Any]) -> None:
    began = time.process_time()
    with pytest.raises(InputError, match=r"A model with layers=\d+, width=\d+, .* has .* parameters"):
        parameters_of(base("classifier", 50, classes=2, **changes))
    assert time.process_time() - began < 2


def test_many_layers_take_no_time() -> None:
    began = time.process_time()
    assert parameters_of(base("classifier", 50, classes=2, width=8, layers=20_000)).total > 10_000_000
    assert time.process_time() - began < 2


def test_the_sentence_has_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    config = base("classifier", 50, classes=2, width=1024)
    total = parameters_of(config).total
    monkeypatch.setattr(count, "memory", lambda: total * count.BYTES)
    assert parameters_of(config).total == total
    monkeypatch.setattr(count, "memory", lambda: 1 << 20)
    with pytest.raises(
        InputError, match=f"has {total:,} parameters. To train them takes 0.4 GiB at the least, and this"
    ):
        parameters_of(config)


def test_a_container_has_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "_LIMIT", tmp_path / "max")
    whole = count.memory()
    assert whole is None or whole > 1 << 28
    (tmp_path / "max").write_text("max\n")
    assert count.memory() == whole
    (tmp_path / "max").write_text("1048576\n")
    assert count.memory() == 1 << 20
