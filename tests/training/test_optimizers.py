"""Optimisers: what they move, and what they leave alone."""

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import nn

from oratory.errors import InputError
from oratory.mechanisms import KINDS, REGISTRY
from oratory.model import Transformer
from oratory.settings import choose
from oratory.training.optimizers import OPTIMIZERS, Adam, Muon, Sgd, split_decay
from oratory.training.optimizers.muon import orthogonal
from oratory.training.optimizers.uncompiled import uncompiled
from oratory.training.tasks import base


def model(**changes: Any) -> Transformer:
    return Transformer(base("classifier", vocabulary=11, classes=3, layers=2, width=8, context=6, **changes), 0)


def decayed(made: nn.Module, rule: Any) -> dict[str, float]:
    """The weight decay of every parameter, by name."""
    names = {id(parameter): name for name, parameter in made.named_parameters()}
    found: dict[str, float] = {}
    for optimizer in rule.make(list(made.named_parameters()), 0.1, 0.5):
        for group in optimizer.param_groups:
            found |= {names[id(parameter)]: group["weight_decay"] for parameter in group["params"]}
    return found


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_parameter_is_in_one_group(name: str) -> None:
    made = model()
    assert decayed(made, OPTIMIZERS[name]()).keys() == dict(made.named_parameters()).keys()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_norms_and_biases_do_not_decay(name: str) -> None:
    made = model()
    inside = {key for key, module in made.named_modules() if isinstance(module, nn.LayerNorm | nn.RMSNorm)}
    for parameter, decay in decayed(made, OPTIMIZERS[name]()).items():
        of_norm = parameter.rpartition(".")[0] in inside
        assert decay == (0.0 if of_norm or parameter.endswith("bias") else 0.5), parameter


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "objective"])
def test_norms_and_biases_of_every_mechanism(kind: str) -> None:
    for name, cls in REGISTRY[kind].items():
        if not cls().serves("classes", False):
            continue
        for parameter, decay in decayed(model(**{kind: name}), Adam()).items():
            if "norm" in parameter or parameter.endswith("bias"):
                assert decay == 0.0, (name, parameter)


def test_decay_moves_matrices_and_nothing_else() -> None:
    """Without a gradient, decay apart from the gradient is all there is."""
    made = model()
    (optimizer,) = OPTIMIZERS["adamw"]().make(list(made.named_parameters()), 0.1, 0.5)
    before = {name: value.detach().clone() for name, value in made.named_parameters()}
    for parameter in made.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    for name, value in made.named_parameters():
        torch.testing.assert_close(value.detach(), before[name] * (0.95 if value.dim() > 1 else 1.0))


def test_muon_takes_the_matrices_of_the_blocks() -> None:
    made = model()
    muon, rest = Muon().make(list(made.named_parameters()), 0.1, 0.0)
    names = {id(parameter): name for name, parameter in made.named_parameters()}
    inner = {names[id(parameter)] for group in muon.param_groups for parameter in group["params"]}
    assert inner == {name for name, value in made.named_parameters() if name.startswith("blocks.") and value.dim() == 2}
    assert isinstance(rest, torch.optim.AdamW)


def test_muon_is_that_of_the_framework_in_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.Tensor, "bfloat16", torch.Tensor.float)  # The framework's would round to three digits.
    shapes = [(6, 9), (9, 6), (6, 9), (8, 8), (130, 140)]  # The last through the library of wide products.
    ours, theirs = ([nn.Parameter(torch.ones(shape)) for shape in shapes] for _ in range(2))
    (muon,) = Muon().make([(f"blocks.0.{index}", one) for index, one in enumerate(ours)], 0.1, 0.3)
    other = torch.optim.Muon(theirs, lr=0.1, weight_decay=0.3, momentum=0.95, adjust_lr_fn="match_rms_adamw")
    for step in range(5):
        give_gradients(step, ours, theirs)
        muon.step()
        other.step()  # type: ignore[no-untyped-call]
    same(ours, theirs)


@pytest.mark.parametrize(("shape", "size"), [((20, 30), 1e-3), ((30, 20), 1e3)])
def test_muon_makes_singular_values_alike(shape: tuple[int, int], size: float) -> None:
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(0)) * size
    before, after = torch.linalg.svdvals(matrix), torch.linalg.svdvals(orthogonal(matrix))
    assert before[0] > 5 * before[-1]
    assert ((after > 0.5) & (after < 1.5)).all()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimiser_goes_downhill(name: str) -> None:
    made = model()
    optimizers = OPTIMIZERS[name]().make(list(made.named_parameters()), 0.01, 0.0)
    ids, labels = torch.arange(6).repeat(3, 1) + torch.arange(3)[:, None], torch.arange(3)
    losses = []
    for _ in range(20):
        loss = nn.functional.cross_entropy(made(ids, None).logits, labels)
        losses.append(float(loss.detach()))
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for optimizer in optimizers:
            if hasattr(optimizer, "take_curvature"):
                optimizer.take_curvature(len(ids))
            optimizer.step()
    assert losses[-1] < losses[0]


def pair() -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """The same matrix and vector, twice."""
    one, other = (
        [nn.Parameter(torch.linspace(-1, 1, 12).view(3, 4)), nn.Parameter(torch.linspace(-1, 1, 5))] for _ in range(2)
    )
    return one, other


def give_gradients(step: int, *each: list[nn.Parameter]) -> None:
    for index, same in enumerate(zip(*each, strict=True)):
        gradient = torch.randn(same[0].shape, generator=torch.Generator().manual_seed(10 * step + index))
        for parameter in same:
            parameter.grad = gradient.clone()


def ours_of(name: str, parameters: list[nn.Parameter], lr: float, decay: float = 0.0) -> Any:
    (made,) = choose(name, OPTIMIZERS, "train.optimizer").make(
        [(f"parameter {index}", parameter) for index, parameter in enumerate(parameters)], lr, decay
    )
    return made


def same(one: list[nn.Parameter], other: list[nn.Parameter]) -> None:
    for ours, theirs in zip(one, other, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


def groups_of(parameters: list[nn.Parameter], decay: float) -> Any:
    """Matrices decay and vectors do not."""
    return [{"params": [one], "weight_decay": decay if one.dim() > 1 else 0.0} for one in parameters]


def test_lion_is_the_published_one() -> None:
    published = pytest.importorskip("pytorch_optimizer")
    ours, theirs = pair()
    lion = ours_of("lion", ours, 0.01, 0.1)
    other = published.Lion(groups_of(theirs, 0.1), lr=0.01, betas=(0.9, 0.99), weight_decouple=True)
    for step in range(5):
        give_gradients(step, ours, theirs)
        lion.step()
        other.step()
    same(ours, theirs)


@pytest.mark.parametrize("most", [100, 3, 1])
def test_soap_is_the_published_one(most: int) -> None:
    published = pytest.importorskip("pytorch_optimizer")
    ours, theirs = pair()
    soap = ours_of(f"soap(every=3,most={most})", ours, 0.01, 0.1)
    other = published.SOAP(groups_of(theirs, 0.1), lr=0.01, precondition_frequency=3, max_precondition_dim=most)
    for step in range(11):
        give_gradients(step, ours, theirs)
        soap.step()
        other.step()
        same(ours, theirs)


@pytest.mark.parametrize("rates", [[0.01] * 12, [0.002, 0.004, 0.01, 0.01, 0.01, 0.005, 0.001]])
def test_schedule_free_is_the_published_one(rates: list[float]) -> None:
    published = pytest.importorskip("pytorch_optimizer")
    ours, theirs = pair()
    free = ours_of("schedule-free", ours, 0.01, 0.1)
    other = published.ScheduleFreeAdamW(groups_of(theirs, 0.1), lr=0.01)
    for step, rate in enumerate(rates):
        for group in (*free.param_groups, *other.param_groups):
            group["lr"] = rate
        give_gradients(step, ours, theirs)
        free.step()
        other.step()
    same(ours, theirs)
    other.eval()
    averaged = free.averaged()
    assert not torch.allclose(averaged[ours[0]], ours[0])
    same([nn.Parameter(averaged[one]) for one in ours], theirs)


def test_sophia_is_the_published_one() -> None:
    """The published code is given the curvature, which it would else estimate in another way."""
    published = pytest.importorskip("pytorch_optimizer")
    ours, theirs = pair()
    sophia = ours_of("sophia(gamma=0.5,eps=1e-6)", ours, 0.01, 0.1)
    other = published.SophiaH(groups_of(theirs, 0.1), lr=0.01, betas=(0.965, 0.99), p=1.0, eps=1e-6, update_period=2)
    for step in range(8):
        given = None
        if step % 2 == 0:
            give_gradients(100 + step, ours)
            sophia.take_curvature(7)
            given = [0.5 * 7 * one.grad.square() for one in ours if one.grad is not None]
        give_gradients(step, ours, theirs)
        sophia.step()
        other.step(hessian=given)
    same(ours, theirs)


def test_settings_reach_the_framework() -> None:
    named = list(model().named_parameters())
    (adam,) = choose("adam(beta1=0.5,beta2=0.6,eps=0.1)", OPTIMIZERS, "train.optimizer").make(named, 0.1, 0.0)
    assert (adam.defaults["betas"], adam.defaults["eps"]) == ((0.5, 0.6), 0.1)
    (sgd,) = Sgd(momentum=0.3, nesterov=True).make(named, 0.1, 0.0)
    assert (sgd.defaults["momentum"], sgd.defaults["nesterov"]) == (0.3, True)


def test_groups_that_would_be_empty_are_left_out() -> None:
    vector = nn.Parameter(torch.zeros(3))
    assert split_decay([("a", vector)], 0.5) == [{"params": [vector], "weight_decay": 0.0}]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("adam(beta1=1)", "beta1=1.0: it must be at least 0 and below 1"),
        ("adamw(eps=-1)", "eps=-1.0: it must be at least 0"),
        ("sgd(momentum=1)", "momentum=1.0"),
        ("sgd(momentum=0,nesterov=on)", "needs a momentum above 0"),
        ("muon(momentum=1)", "momentum=1.0"),
        ("adagrad(eps=-1)", "eps=-1.0"),
        ("lion(beta2=1)", "beta2=1.0"),
        ("soap(every=0)", "every=0: it must be at least 1"),
        ("schedule-free(beta1=0)", "beta1=0.0: it must be above 0"),
        ("sophia(gamma=0)", "gamma=0.0: it must be above 0"),
        ("liom", "There is no train.optimizer 'liom'"),
    ],
)
def test_bad_settings(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence.replace("(", r"\(")):
        choose(text, OPTIMIZERS, "train.optimizer")


UNCOMPILED = """
import sys
from oratory.model.count import parameters_of
from oratory.model import Transformer
from oratory.training.optimizers import OPTIMIZERS
from oratory.training.optimizers.uncompiled import uncompiled
from oratory.training.tasks import base
config = base("lm", vocabulary=11, layers=2, width=8, context=6)
assert parameters_of(config).total == sum(one.numel() for one in Transformer(config).parameters())
for rule in OPTIMIZERS.values():
    model = Transformer(config)
    for optimizer in rule().make(list(model.named_parameters()), 0.1, 0.5):
        for parameter in model.parameters():
            parameter.grad = parameter.detach().clone()
        optimizer.step()
        optimizer.load_state_dict(optimizer.state_dict())
        optimizer.zero_grad()
print([name for name in ("torch._dynamo", "sympy", "pandas") if name in sys.modules])
"""


def test_no_optimiser_loads_the_compiler() -> None:
    """Which would take a second and 140 MB in every process that trains."""
    found = subprocess.run([sys.executable, "-c", UNCOMPILED], capture_output=True, text=True, check=False)
    assert (found.stdout, found.returncode) == ("[]\n", 0), found.stderr


@pytest.mark.parametrize("name", ["Adam", "AdamW", "SGD", "Adagrad"])
def test_without_the_compiler_an_optimiser_is_the_same(name: str) -> None:
    one, other = model(), model()
    optimizers = [uncompiled(name)(one.parameters(), 0.1), getattr(torch.optim, name)(other.parameters(), 0.1)]
    for _ in range(3):
        for made, optimizer in zip((one, other), optimizers, strict=True):
            for parameter in made.parameters():
                parameter.grad = parameter.detach().clone()
            optimizer.step()
    assert all(mine.equal(theirs) for mine, theirs in zip(one.parameters(), other.parameters(), strict=True))
