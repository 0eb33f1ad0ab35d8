"""Norms and feed-forward parts, against published code or the formula written out."""

import pytest
import torch
from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY
from oratory.model import ModelConfig

X = torch.randn(3, 5, 16, generator=torch.Generator().manual_seed(0))


def close(found: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=0)


def test_norms_are_those_of_x_transformers() -> None:
    x_transformers = pytest.importorskip("x_transformers.x_transformers")
    scale = REGISTRY.choose("norm", "scale").build(16)
    theirs = x_transformers.ScaleNorm(16)
    theirs.g.data = torch.tensor([1.7])
    scale.length.data = theirs.g.data * theirs.scale
    close(scale(X), theirs(X))
    bend = REGISTRY.choose("norm", "dynamic-tanh(start=0.8)").build(16)
    other = x_transformers.DynamicTanh(16, init_alpha=0.8)
    close(bend(X), other(X))
    with pytest.raises(InputError, match="eps would change nothing"):
        ModelConfig.from_dict({"output": "vectors", "vocabulary": 3, "norm": "dynamic-tanh(eps=0.1)"})


def test_scale_norm_is_the_formula() -> None:
    made = REGISTRY.choose("norm", "scale").build(16)
    close(made(X).norm(dim=-1), torch.full((3, 5), 4.0))


def test_gated_maps() -> None:
    for name, activation in (("geglu", torch.nn.functional.gelu), ("reglu", torch.relu)):
        made = REGISTRY.choose("feedforward", f"{name}(hidden=12)").build(16)
        close(made(X), made.down(activation(made.gate(X)) * made.up(X)))
        assert REGISTRY.choose("feedforward", name).build(48).up.out_features == 128


def test_squared_relu_is_that_of_transformers() -> None:
    activations = pytest.importorskip("transformers.activations")
    made = REGISTRY.choose("feedforward", "relu2(hidden=12)").build(16)
    close(made(X), made.down(activations.ACT2FN["relu2"](made.up(X))))


def test_experts_token_by_token() -> None:
    made = REGISTRY.choose("feedforward", "experts(count=3,chosen=2,hidden=12)").build(16)
    found = made(X)
    for b in range(3):
        for t in range(5):
            scores = made.router(X[b, t])
            best = sorted(range(3), key=lambda number: -scores[number].item())[:2]
            weights = scores[best].softmax(-1)
            wanted = sum(weight * made.experts[number](X[b, t]) for weight, number in zip(weights, best, strict=True))
            close(found[b, t], wanted)
    with pytest.raises(InputError, match="from 1 to count=4"):
        ModelConfig.from_dict({"output": "vectors", "vocabulary": 3, "feedforward": "experts(chosen=5)"})
