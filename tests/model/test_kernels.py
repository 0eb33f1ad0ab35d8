"""Both ways of the fast path give the same outputs and gradients, whichever library makes the products."""

from contextlib import nullcontext

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from oratory.batches import Batch
from oratory.model import ModelConfig, Transformer
from oratory.model.kernels import SHORT, attend
from oratory.model.products import ONEDNN, fast_products, library
from oratory.model.view import ROWS

SCALE = 0.2


def _parts(length: int = 9, values: int = 8) -> tuple[Tensor, Tensor, Tensor]:
    made = torch.Generator().manual_seed(length)
    return tuple(  # type: ignore[return-value]
        torch.randn(3, 2, length, size, generator=made, requires_grad=True) for size in (8, 8, values)
    )


def _added(kind: str, length: int) -> Tensor | None:
    """What comes to the scores, in all shapes that masks and biases have."""
    padded = torch.zeros(3, 1, 1, length)
    padded[1, ..., max(1, length // 2) :] = float("-inf")
    bias = torch.linspace(-1, 1, 2 * length * length).view(1, 2, length, length)
    return {"none": None, "padding": padded, "bias": bias, "both": bias + padded, "square": bias[0, 0]}[kind]


@pytest.mark.parametrize("length", [1, 9, SHORT + 1])
@pytest.mark.parametrize("kind", ["none", "causal", "padding", "bias", "both", "square"])
def test_it_is_what_the_fused_kernel_gives(kind: str, length: int) -> None:
    causal, added = kind == "causal", _added("none" if kind == "causal" else kind, length)
    parts = _parts(length)
    expected = scaled_dot_product_attention(*parts, attn_mask=added, is_causal=causal, scale=SCALE)
    above = torch.linspace(-1, 1, expected.numel()).view(expected.shape)
    wanted = torch.autograd.grad(expected, parts, above)
    with fast_products():
        found = attend(*parts, added, causal, SCALE, 0.0)
        gradients = torch.autograd.grad(found, parts, above)
    assert torch.allclose(found, expected, atol=2e-6)
    for one, other in zip(gradients, wanted, strict=True):
        assert torch.allclose(one, other, atol=2e-5)


def test_values_may_be_wider_than_keys() -> None:
    with fast_products():
        assert attend(*_parts(values=16), None, True, SCALE, 0.0).shape == (3, 2, 9, 16)


def test_lost_weights_are_made_up_for() -> None:
    q, k, _ = _parts(length=64)
    with fast_products(), torch.random.fork_rng():
        torch.manual_seed(0)
        found = attend(q, k, torch.ones(3, 2, 64, 8), None, False, SCALE, 0.5).detach()
    assert 0.95 < float(found.mean()) < 1.05
    assert float(found.std()) > 0.05


@pytest.mark.skipif(library() != ONEDNN, reason="this processor keeps to MKL")
def test_padding_that_comes_along_changes_nothing() -> None:
    config = ModelConfig(output="classes", causal=False, vocabulary=50, classes=3, layers=2, width=16, context=20)
    lengths = torch.tensor([20, 3, 7, 12])
    ids = torch.randint(1, 50, (4, 20), generator=torch.Generator().manual_seed(0))
    batch = Batch(ids, torch.tensor([0, 1, 2, 0]), torch.arange(20) < lengths[:, None])
    assert int(lengths.sum()) % ROWS

    def gradients(products: type[nullcontext[None]] | object) -> list[Tensor]:
        model = Transformer(config)
        with products():  # type: ignore[operator]
            loss = model(batch.ids, batch.mask).logits.log_softmax(-1)[range(4), batch.targets].sum()
            loss.backward()
        return [loss.detach(), *(one.grad for one in model.parameters() if one.grad is not None)]

    for one, other in zip(gradients(fast_products), gradients(nullcontext), strict=True):
        assert torch.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("pattern", ["window(size=8)", "longformer(size=8,global_tokens=2)", "block(size=16)"])
def test_sparse_patterns_of_long_texts_are_the_same_too(pattern: str) -> None:
    settings = {"layers": 1, "width": 16, "context": 600, "pattern": pattern}
    config = ModelConfig.from_dict({"output": "tokens", "causal": True, "vocabulary": 20, **settings})
    ids = torch.randint(0, 20, (1, 600), generator=torch.Generator().manual_seed(0))
    model = Transformer(config)
    usual = model(ids).logits
    with fast_products():
        assert torch.allclose(model(ids).logits, usual, atol=1e-5)
