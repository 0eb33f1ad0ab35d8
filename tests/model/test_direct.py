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
from oratory.model.promises import ids_for, loss_of
from oratory.seeds import seeded
from oratory.training.tasks import base

CHOICES = [(kind, name) for kind in KINDS for name in REGISTRY[kind]]


def made(task: str, kind: str, name: str) -> Transformer:
    values = base(task, 20, layers=2, width=16, context=8, **({"classes": 2} if task == "classifier" else {})).to_dict()
    try:
        model = Transformer(ModelConfig.from_dict(values | {kind: name}))
    except InputError:
        pytest.skip("not in such a model")
    if model.counts_text:
        labels = [0, 1, 0, 1] if task == "classifier" else []
        texts = list(ids_for(model.config, 4, 30))
        model.learn_from(TrainingText(texts, [f"word{index}" for index in range(20)], labels))
    return model


def learned(model: Transformer, owner: Transformer) -> tuple[Tensor, list[Any]]:
    """The loss, and the gradients that it leaves in the weights of their owner."""
    ids = ids_for(model.config, 3)
    owner.zero_grad()
    with seeded(5, "dropout"):
        loss = loss_of(model, ids) if model.config.output == "tokens" else model(ids).logits.log_softmax(-1)[:, 0].sum()
    loss.backward()
    return loss.detach(), [parameter.grad for parameter in owner.parameters()]


@pytest.mark.parametrize(("kind", "name"), CHOICES, ids=[f"{kind}={name}" for kind, name in CHOICES])
@pytest.mark.parametrize("task", ["classifier", "lm"])
def test_it_learns_the_same(kind: str, name: str, task: str) -> None:
    one, other = made(task, kind, name), made(task, kind, name)  # Two, as a part may draw on.
    quick = direct(other, training=True)
    assert quick is not other
    (loss, expected), (same, found) = learned(one, one), learned(quick, other)
    assert torch.equal(loss, same)
    for wanted, gradient in zip(expected, found, strict=True):
        assert wanted is gradient is None or torch.equal(wanted, gradient)


def test_what_is_learned_is_seen_by_both() -> None:
    model = made("lm", "position", "rope")
    quick = direct(model, training=True)
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
    quick = direct(model, training=True)
    for _ in range(2):
        quick(torch.ones(3))
    parts: list[Any] = list(model)
    for part, calls in ((parts[0], 4), (parts[1], 2)):
        assert (part.calls, float(part.sum)) == (calls, 3.0 * calls)
    assert float(model.state_dict()["0.sum"]) == 12


@pytest.mark.parametrize("hook", ["register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook"])
def test_hooks_are_called(hook: str) -> None:
    model: Any = made("classifier", "position", "rope")
    heard: list[Any] = []
    getattr(model.blocks[1].feedforward, hook)(lambda *given: heard.append(given))
    learned(direct(model, training=True), model)
    assert len(heard) == 1


def test_a_part_with_a_forward_of_its_own_keeps_it() -> None:
    model: Any = made("classifier", "position", "rope").eval()
    ids, heard, part = ids_for(model.config, 2), list[Any](), model.blocks[0].feedforward
    usual, own = part.forward, model(ids).logits

    def forward(x: Tensor) -> Any:
        heard.append(x)
        return 2 * usual(x)

    part.forward = forward
    found = direct(model, training=False)(ids).logits
    assert len(heard) == 1
    assert not torch.equal(found, own)


def test_it_is_in_the_mode_that_is_asked_for() -> None:
    model = made("lm", "position", "rope").train()
    measured, learning = direct(model, training=False), direct(model.eval(), training=True)
    assert not any(part.training for part in measured.modules())
    assert all(part.training for part in learning.modules())
    assert not model.training
