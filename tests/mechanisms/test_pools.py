import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from oratory.mechanisms import REGISTRY, Shape
from oratory.model.network import build

WIDTH = 5
SHAPE = Shape(width=WIDTH, heads=1, head_size=WIDTH, layers=1, context=16, causal=False)
POOLS = sorted(REGISTRY["pool"])
several = settings(deadline=None, max_examples=30)
rows = st.lists(st.booleans(), min_size=7, max_size=7)
masks = st.lists(rows, min_size=1, max_size=4).map(torch.tensor)


def pool_of(name: str) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return build(REGISTRY.choose("pool", name), SHAPE)


def vectors(mask: Tensor, seed: int = 0) -> Tensor:
    return torch.randn((*mask.shape, WIDTH), generator=torch.Generator().manual_seed(seed))


def by_hand(name: str, pool: Any, tokens: list[list[float]], first_is_kept: bool) -> list[float]:
    """The pool of the tokens that are not padding."""
    if not tokens or (name == "cls" and not first_is_kept):
        return [0.0] * WIDTH
    if name == "cls":
        return tokens[0]
    if name == "last":
        return tokens[-1]
    columns = list(zip(*tokens, strict=True))
    if name == "max":
        return [max(column) for column in columns]
    weights = [1.0] * len(tokens)
    if name == "attention":
        query = pool.query.weight[0].tolist()
        weights = [math.exp(sum(a * b for a, b in zip(query, token, strict=True))) for token in tokens]
    return [
        sum(weight * value for weight, value in zip(weights, column, strict=True)) / sum(weights) for column in columns
    ]


@pytest.mark.parametrize("name", POOLS)
@several
@given(mask=masks, seed=st.integers(0, 99))
def test_a_pool_equals_one_by_hand(name: str, mask: Tensor, seed: int) -> None:
    pool, x = pool_of(name), vectors(mask, seed)
    pooled = pool.pool(x, mask)
    assert pooled.shape == (len(mask), WIDTH)
    for row in range(len(mask)):
        expected = by_hand(name, pool, x[row][mask[row]].tolist(), bool(mask[row, 0]))
        assert pooled[row].tolist() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("name", POOLS)
@several
@given(mask=masks)
def test_what_stands_in_the_padding_does_not_matter(name: str, mask: Tensor) -> None:
    pool, x = pool_of(name), vectors(mask)
    other = torch.where(mask[..., None], x, 1000 * vectors(mask, seed=1))
    torch.testing.assert_close(pool.pool(other, mask), pool.pool(x, mask))


@pytest.mark.parametrize("name", POOLS)
def test_a_text_of_padding_alone_gives_zeros_and_gradients(name: str) -> None:
    mask = torch.tensor([[False] * 4, [True, True, False, False]])
    x = vectors(mask).requires_grad_()
    pooled = pool_of(name).pool(x, mask)
    assert torch.equal(pooled[0], torch.zeros(WIDTH))
    pooled.sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()
    assert not x.grad[~mask].any()
    assert x.grad[1].any()


@pytest.mark.parametrize("name", POOLS)
def test_pools_differ(name: str) -> None:
    mask = torch.ones(1, 4, dtype=torch.bool)
    x = vectors(mask)
    others = [pool_of(other).pool(x, mask) for other in POOLS if other != name]
    assert not any(torch.allclose(pool_of(name).pool(x, mask), other) for other in others)
