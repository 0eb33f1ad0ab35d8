"""Numbers that a processor announces and does not have."""

import pytest
import torch

from oratory.errors import InputError
from oratory.execution.machine import place_of
from oratory.training import precision
from oratory.training.config import TrainConfig
from oratory.training.precision import numbers, works_here


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor on which products in short numbers end the process, as they do on some virtual machines."""
    monkeypatch.setattr(precision, "TRIAL", "import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    monkeypatch.setattr(precision, "works_here", works_here.__wrapped__)


@pytest.mark.parametrize("setting", ["precision=bfloat16", "precision=float16"])
def test_numbers_that_end_the_process_are_refused(setting: str, broken: None) -> None:
    name, _, value = setting.partition("=")
    training = TrainConfig.from_dict({"iterations": 1, name: value, "device": "cpu"})
    with pytest.raises(InputError) as refused:
        place_of(training)
    assert str(refused.value).startswith(f"train.{setting} does not work on this processor")


def test_usual_numbers_are_not_tried(broken: None) -> None:
    assert place_of(TrainConfig(iterations=1, device="cpu")) == torch.device("cpu")


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_numbers_that_must_be_imitated_are_slow(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    for has in (True, False):
        for instructions in ("avx512_bf16", "amx_tile", "amx_fp16"):
            monkeypatch.setattr(torch.cpu, f"_is_{instructions}_supported", lambda has=has: has)
        said = precision.slow_numbers(name, cpu)
        assert said == "" if has else said.startswith(f"This processor has no instructions for {name}: updates")
    assert precision.slow_numbers("auto", cpu) == precision.slow_numbers(name, gpu) == ""
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    assert precision.slow_numbers(name, cpu) == ""


def test_auto_is_float32_on_a_processor() -> None:
    assert numbers("auto", torch.device("cpu")) == torch.float32
