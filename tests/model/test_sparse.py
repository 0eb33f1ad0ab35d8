from dataclasses import dataclass
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from oratory.mechanisms import REGISTRY, Pattern
from oratory.mechanisms.pattern.block import Block
from oratory.mechanisms.pattern.dilated import Dilated
from oratory.mechanisms.pattern.full import Full
from oratory.mechanisms.pattern.longformer import Longformer
from oratory.mechanisms.pattern.strided import Strided
from oratory.mechanisms.pattern.window import Window
from oratory.model import Transformer, sparse
from oratory.model.sparse import SHORTEST, Plan, allow, plan
from oratory.training.tasks import base


@dataclass(frozen=True, kw_only=True)
class Odd(Pattern):
    """A user's own: a window that tokens at 3, 13, 23 ... have closed, so that they see nothing at all."""

    def allow(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        return ((q_positions - k_positions).abs() < 5) & (q_positions % 10 != 3)


CASES = [
    (Window(size=9), "encoder", 512),
    (Window(size=9), "lm", 777),
    (Window(size=1), "lm", 600),
    (Block(size=24), "encoder", 777),
    (Block(size=7), "lm", 600),
    (Dilated(size=9, gap=3), "encoder", 600),
    (Dilated(size=5, gap=4), "lm", 777),
    (Longformer(size=9, global_tokens=2), "encoder", 777),
    (Longformer(size=6, global_tokens=20), "encoder", 600),
    (Longformer(size=9, global_tokens=2), "lm", 600),
    (Strided(stride=64), "lm", 777),
    (Odd(), "encoder", 600),
    (Odd(), "lm", 513),
]
POSITIONS = sorted(REGISTRY["position"])


def need(pattern: Pattern, causal: bool, length: int) -> Plan:
    found = plan(pattern, causal, length)
    assert found is not None
    return found


def dense(pattern: Pattern, causal: bool, length: int) -> Tensor:
    places = torch.arange(length)
    return allow(pattern, causal, places[:, None], places[None, :])


def unfolded(found: Plan, pattern: Pattern, causal: bool, length: int) -> Tensor:
    """How often a plan computes each pair of a query and a key."""
    counts = torch.zeros(length, length, dtype=torch.int64)
    blind = torch.zeros_like(found.allowed[..., :1]) if found.blind is None else found.blind[:, 0]
    for queries, keys, allowed in zip(found.queries.tolist(), found.keys, found.allowed & ~blind, strict=True):
        for row, query in enumerate(queries):
            if query < length:
                counts[query].index_add_(0, keys, allowed[row].long())
    counts[found.wide] += dense(pattern, causal, length)[found.wide].long()
    return counts


@pytest.mark.parametrize(("pattern", "task", "length"), CASES)
def test_a_plan_meets_every_allowed_pair_once_and_no_other(pattern: Pattern, task: str, length: int) -> None:
    causal = task == "lm"
    counts = unfolded(need(pattern, causal, length), pattern, causal, length)
    assert torch.equal(counts, dense(pattern, causal, length).long())


def test_a_long_strided_encoder_has_a_plan() -> None:
    pattern = Strided(stride=160)
    counts = unfolded(need(pattern, False, 3301), pattern, False, 3301)
    assert torch.equal(counts, dense(pattern, False, 3301).long())


@settings(deadline=None, max_examples=15)
@given(st.integers(SHORTEST, 700), st.integers(1, 20), st.integers(0, 3), st.booleans())
def test_plans_of_any_length_meet_every_allowed_pair(length: int, size: int, ends: int, causal: bool) -> None:
    pattern = Longformer(size=size, global_tokens=ends)
    counts = unfolded(need(pattern, causal, length), pattern, causal, length)
    assert torch.equal(counts, dense(pattern, causal, length).long())


def results(model: Transformer, ids: Tensor, mask: Tensor | None, opened: bool) -> list[Tensor]:
    """The vectors of tokens that are not padding, and the gradients of all parameters."""
    model.zero_grad()
    hidden = model(ids, mask, weights=opened).hidden
    kept = hidden if mask is None else hidden[mask]
    # Fixed random directions, over the number of tokens: a sum would be blind behind a norm.
    along = torch.randn(kept.shape, generator=torch.Generator().manual_seed(3))
    (kept * along).sum().div(len(kept)).backward()
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    return [kept.detach(), *(gradient.clone() for gradient in gradients)]


def compare(pattern: Pattern, task: str, length: int, position: str) -> None:
    layers = 2 if position == "rope-nope" else 1
    config = base(task, 17, layers=layers, width=8, heads=2, context=length, pattern=pattern, position=position)
    need(pattern, config.causal, length)
    model = Transformer(config, seed=length).eval()
    ids = torch.randint(0, 17, (2, length), generator=torch.Generator().manual_seed(1))
    padded = torch.arange(length)[None] < torch.tensor([[length], [length * 2 // 3]])
    for mask in (None, padded):
        fast, open_ = results(model, ids, mask, False), results(model, ids, mask, True)
        assert len(fast) == len(open_) >= len(list(model.parameters())) - 1
        for one, other in zip(fast, open_, strict=True):
            torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("pattern", "task", "length"), CASES)
def test_outputs_and_gradients_equal_those_of_the_dense_mask(pattern: Pattern, task: str, length: int) -> None:
    compare(pattern, task, length, "alibi-rope")


def test_outputs_and_gradients_equal_for_a_strided_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    # Such a plan pays from some 3,000 tokens on; here gathering keys is free, so that it pays at once.
    monkeypatch.setattr(sparse, "GATHER", 0)
    plan.cache_clear()
    compare(Strided(stride=64), "encoder", 777, "rope")
    plan.cache_clear()


@pytest.mark.parametrize("task", ["encoder", "lm"])
@pytest.mark.parametrize("position", POSITIONS)
def test_outputs_and_gradients_equal_for_every_position(position: str, task: str) -> None:
    compare(Longformer(size=5, global_tokens=2), task, 531, position)


def test_grouped_heads_and_texts_of_padding_alone_go_through_a_plan() -> None:
    config = base("classifier", 17, 3, layers=2, width=16, heads=4, kv_heads=2, pattern="window", position="t5")
    model = Transformer(config).eval()
    ids = torch.arange(1200).view(2, 600) % 17
    mask = torch.tensor([[True], [False]]).expand(2, 600)
    with torch.no_grad():
        fast, opened = model(ids, mask).logits, model(ids, mask, weights=True).logits
    assert fast.isfinite().all()
    torch.testing.assert_close(fast, opened, atol=1e-5, rtol=1e-5)


def size(found: Plan) -> int:
    return sum(part.numel() for part in (found.queries, found.keys, found.allowed, found.wide, found.places))


@pytest.mark.parametrize("causal", [True, False])
def test_the_memory_of_a_window_grows_linearly(causal: bool) -> None:
    sizes = [size(need(Window(size=16), causal, length)) for length in (512, 1024, 2048)]
    for shorter, longer in pairwise(sizes):
        assert longer == pytest.approx(2 * shorter, rel=0.05)
    assert sizes[-1] < 2048 * 2048 / 15


def test_the_global_rows_of_longformer_are_computed_in_full() -> None:
    found = need(Longformer(size=9, global_tokens=3), False, 777)
    assert found.wide.tolist() == list(range(found.queries.shape[1]))
    assert 0 not in found.queries
    assert all({0, 1, 2} <= set(keys) for keys in found.keys.tolist())
    # A decoder's first tokens see nothing but each other.
    assert len(need(Longformer(size=9, global_tokens=3), True, 777).wide) == 0


@pytest.mark.parametrize("causal", [True, False])
def test_there_is_no_plan_for_short_texts_and_for_full_attention(causal: bool) -> None:
    assert plan(Window(size=4), causal, SHORTEST - 1) is None
    assert plan(Window(size=4), causal, SHORTEST) is not None
    assert plan(Full(), causal, 4096) is None


@pytest.mark.parametrize("pattern", [Window(size=2000), Block(size=900), Strided(stride=2)])
def test_there_is_no_plan_where_it_would_not_pay(pattern: Pattern) -> None:
    assert plan(pattern, False, 1000) is None
