"""A direct model computes what the model computes, to the bit, whatever it is made of."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY
from oratory.mechanisms.kinds import KINDS, TrainingText
from oratory.model import ModelConfig, Transformer, generate
from oratory.model.direct import direct
from oratory.model.promises import ids_for
from oratory.training.tasks import base

CHOICES = [(kind, name) for kind in KINDS for name in REGISTRY[kind]]


def made(kind: str, name: str) -> Transformer:
    try:
        values = base("lm", 20, layers=2, width=16, context=8).to_dict() | {kind: name}
        model = Transformer(ModelConfig.from_dict(values))
    except InputError:
        pytest.skip("not in such a model")
    if model.counts_text:
        model.learn_from(TrainingText(list(ids_for(model.config, 4, 30)), [f"word{index}" for index in range(20)], []))
    return model


@pytest.mark.parametrize(("kind", "name"), CHOICES, ids=[f"{kind}={name}" for kind, name in CHOICES])
def test_it_computes_the_same(kind: str, name: str) -> None:
    model, ids = made(kind, name), ids_for(made(kind, name).config, 3)
    found = direct(model.train())(ids).logits  # It is measured, in whichever mode the model is.
    assert torch.equal(found, model.eval()(ids).logits)


def test_what_is_learned_is_seen_by_both() -> None:
    model = made("position", "rope").eval()
    quick = direct(model)
    before = generate(model, [1], 6, seed=3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(-1)
    ids = ids_for(model.config, 1)
    assert generate(model, [1], 6, seed=3) != before
    assert torch.equal(quick(ids).logits, model(ids).logits)
    assert dict(quick.named_parameters()) == dict(model.named_parameters())


class Counting(nn.Module):
    """A part that keeps something in itself."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.register_buffer("sum", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        self.sum: Tensor = self.sum + x.sum()
        return x


def test_what_a_part_keeps_is_in_the_original() -> None:
    model = nn.Sequential(Counting(), Counting())
    model.append(model[0])  # One part in two places.
    quick = direct(model)
    for _ in range(2):
        quick(torch.ones(3))
    parts: list[Any] = list(model)
    for part, calls in ((parts[0], 4), (parts[1], 2)):
        assert (part.calls, float(part.sum)) == (calls, 3.0 * calls)
    assert float(model.state_dict()["0.sum"]) == 12


@pytest.mark.parametrize("hook", ["register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook"])
def test_hooks_are_called(hook: str) -> None:
    model: Any = made("position", "rope")
    heard: list[Any] = []
    getattr(model.blocks[1].feedforward, hook)(lambda *given: heard.append(given))
    direct(model)(ids_for(model.config, 2)).logits.sum().backward()
    assert len(heard) == 1


def test_a_part_with_a_forward_of_its_own_keeps_it() -> None:
    model: Any = made("position", "rope").eval()
    ids, heard, part = ids_for(model.config, 2), list[Any](), model.blocks[0].feedforward
    usual, own = part.forward, model(ids).logits

    def forward(x: Tensor) -> Any:
        heard.append(x)
        return 2 * usual(x)

    part.forward = forward
    found = direct(model)(ids).logits
    assert len(heard) == 1
    assert not torch.equal(found, own)


def test_it_is_measured_and_the_model_stays_as_it_is() -> None:
    model = made("position", "rope").train()
    assert not any(part.training for part in direct(model).modules())
    assert all(part.training for part in model.modules())


def test_what_a_part_does_not_have_is_an_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = direct(made("position", "rope")).nothing
