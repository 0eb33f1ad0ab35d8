import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from oratory.mechanisms import REGISTRY, Merge, Shape
from oratory.mechanisms.merge.concat import Concat
from oratory.mechanisms.merge.reweight import Reweight
from oratory.mechanisms.merge.reweight_per_token import ReweightPerToken
from oratory.mechanisms.merge.shift import Shift
from oratory.mechanisms.merge.shuffle import Shuffle, Shuffler
from oratory.model import Transformer
from oratory.training.tasks import base

IDS = torch.arange(24).view(2, 12) % 11
several = settings(deadline=None, max_examples=25)
seeds = st.integers(0, 10_000)


def outputs(heads: int, seed: int = 0, batch: int = 2, tokens: int = 3) -> Tensor:
    """What heads give: B, T, H, E."""
    return torch.randn((batch, tokens, heads, 4), generator=torch.Generator().manual_seed(seed))


def shuffler(seed: int, heads: int = 6, at_inference: bool = True) -> Shuffler:
    shape = Shape(width=4 * heads, heads=heads, head_size=4, layers=1, context=8, causal=False, seed=seed)
    return Shuffle(at_inference=at_inference).build(shape)


def order_of(merge: Shuffler, training: bool = True, heads: int = 6) -> list[int]:
    """The head that stands at each place."""
    numbered = torch.arange(heads)[None, None, :, None].expand(2, 3, heads, 4)
    merged = merge.merge(numbered, training)
    assert (merged == merged[:1, :1, :, :1]).all()
    return [int(number) for number in merged[0, 0, :, 0]]


def small(merge: Merge | str, task: str = "classifier", seed: int = 0) -> Transformer:
    return Transformer(base(task, 11, classes=3, width=24, heads=6, layers=3, merge=merge), seed=seed)


def shuffles(model: Transformer) -> list[Shuffler]:
    blocks: Any = model.blocks
    return [block.attention.merge for block in blocks]


def test_concat_leaves_the_heads_as_they_are() -> None:
    assert not hasattr(Concat(), "merge")


@several
@given(st.integers(1, 8), st.integers(-9, 9), seeds, st.booleans())
def test_shift_moves_each_head_to_the_right(heads: int, places: int, seed: int, training: bool) -> None:
    x = outputs(heads, seed)
    moved = Shift(places=places).merge(x, training)
    for head in range(heads):
        assert torch.equal(moved[:, :, (head + places) % heads], x[:, :, head])


@several
@given(seeds)
def test_shuffle_draws_a_new_order_each_time_and_repeats_it_from_the_seed(seed: int) -> None:
    one, again = shuffler(seed), shuffler(seed)
    orders = [order_of(one) for _ in range(8)]
    assert orders == [order_of(again) for _ in range(8)]
    assert all(sorted(order) == list(range(6)) for order in orders)
    assert len({tuple(order) for order in orders}) > 1
    assert orders != [order_of(shuffler(seed + 1)) for _ in range(8)]


def test_shuffle_gives_every_head_every_place_about_equally_often() -> None:
    merge = shuffler(3, heads=3)
    counts = torch.zeros(3, 3)
    for _ in range(900):
        for place, head in enumerate(order_of(merge, heads=3)):
            counts[place, head] += 1
    assert ((counts - 300).abs() < 60).all()  # over four standard deviations


@several
@given(seeds)
def test_shuffle_is_fixed_outside_of_training(seed: int) -> None:
    merge = shuffler(seed)
    first = order_of(merge, training=False)
    for _ in range(3):
        order_of(merge)
        assert order_of(merge, training=False) == first
    assert int(merge.drawn) == 3
    assert order_of(shuffler(seed)) == first


def test_shuffle_off_at_inference_leaves_the_heads_as_they_are() -> None:
    merge = shuffler(5, at_inference=False)
    assert order_of(merge, training=False) == list(range(6))
    assert order_of(merge) == order_of(shuffler(5))


def test_shuffle_draws_other_orders_in_each_layer_and_for_each_seed() -> None:
    drawn = [
        tuple(tuple(order_of(merge)) for _ in range(6)) for s in (0, 1) for merge in shuffles(small("shuffle", seed=s))
    ]
    assert len(set(drawn)) == 6
    again = [tuple(tuple(order_of(merge)) for _ in range(6)) for merge in shuffles(small("shuffle", seed=0))]
    assert again == drawn[:3]


def test_shuffle_neither_reads_nor_moves_the_global_generator() -> None:
    before = torch.get_rng_state()
    order_of(shuffler(1))
    assert torch.equal(torch.get_rng_state(), before)


def test_a_resumed_shuffle_continues_its_sequence() -> None:
    whole = small("shuffle").train()
    run = [whole(IDS).logits for _ in range(5)]
    half, resumed = small("shuffle").train(), small("shuffle", seed=9).train()
    for _ in range(2):
        half(IDS)
    assert [int(merge.drawn) for merge in shuffles(half)] == [2, 2, 2]
    resumed.load_state_dict(half.state_dict())
    for expected in run[2:]:
        assert torch.equal(resumed(IDS).logits, expected)
    assert not torch.equal(run[0], run[2])


def test_evaluation_does_not_disturb_the_sequence_of_a_shuffle() -> None:
    one, other = small("shuffle").train(), small("shuffle").train()
    one(IDS)
    other(IDS)
    other.eval()
    assert torch.equal(other(IDS).logits, other(IDS).logits)
    other.train()
    assert torch.equal(one(IDS).logits, other(IDS).logits)


@several
@given(st.integers(1, 5), seeds, st.integers(1, 3), st.booleans())
def test_reweight_multiplies_with_the_norm_of_a_head_over_the_batch(
    heads: int, seed: int, batch: int, training: bool
) -> None:
    x = outputs(heads, seed, batch)
    merged = Reweight().merge(x, training)
    for head in range(heads):
        norm = math.sqrt(sum(float(value) ** 2 for value in x[:, :, head].flatten()))
        torch.testing.assert_close(merged[:, :, head], x[:, :, head] * norm)


def test_reweight_depends_on_the_batch() -> None:
    x = outputs(3)
    assert not torch.allclose(Reweight().merge(x, True)[:1], Reweight().merge(x[:1], True))
    assert Reweight.across_tokens


@several
@given(st.integers(1, 5), seeds, st.booleans())
def test_reweight_per_token_multiplies_with_the_norm_over_the_mean_norm(heads: int, seed: int, training: bool) -> None:
    x = outputs(heads, seed)
    merged = ReweightPerToken().merge(x, training)
    for b in range(2):
        for t in range(3):
            norms = [math.sqrt(sum(float(value) ** 2 for value in x[b, t, head])) for head in range(heads)]
            for head in range(heads):
                torch.testing.assert_close(merged[b, t, head], x[b, t, head] * norms[head] / (sum(norms) / heads))


@several
@given(st.integers(1, 5), seeds)
def test_reweight_per_token_does_not_depend_on_the_batch_or_on_other_tokens(heads: int, seed: int) -> None:
    x = outputs(heads, seed)
    merged = ReweightPerToken().merge(x, training=True)
    torch.testing.assert_close(ReweightPerToken().merge(x[1:, :2], training=True), merged[1:, :2])
    assert not ReweightPerToken.across_tokens


@pytest.mark.parametrize("merge", [Reweight(), ReweightPerToken()])
def test_heads_of_zeros_stay_zeros_and_have_gradients(merge: Reweight | ReweightPerToken) -> None:
    x = torch.zeros(1, 2, 3, 4, requires_grad=True)
    merged = merge.merge(x, training=True)
    assert torch.equal(merged, torch.zeros_like(merged))
    merged.sum().backward()  # type: ignore[no-untyped-call]
    assert x.grad is not None
    assert x.grad.isfinite().all()


@pytest.mark.parametrize("task", ["classifier", "lm"])
@pytest.mark.parametrize("name", sorted(set(REGISTRY["merge"]) - {"concat"}))
def test_off_at_inference_is_concat_outside_of_training_only(name: str, task: str) -> None:
    concat, on, off = small("concat", task), small(name, task), small(f"{name}(at_inference=off)", task)
    for model in (concat, on, off):
        model.eval()
    assert torch.equal(off(IDS).logits, concat(IDS).logits)
    assert not torch.allclose(on(IDS).logits, concat(IDS).logits)
    for model in (concat, on, off):
        model.train()
    trained = off(IDS).logits
    assert torch.equal(trained, on(IDS).logits)
    assert not torch.allclose(trained, concat(IDS).logits)
