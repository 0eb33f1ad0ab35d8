import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import normalize

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY, Position, Scene, Shape
from oratory.mechanisms.position.alibi import Alibi, slopes
from oratory.mechanisms.position.alibi_rope import AlibiRope
from oratory.mechanisms.position.disentangled import Disentangled
from oratory.mechanisms.position.learned import Learned
from oratory.mechanisms.position.rope import Rope
from oratory.mechanisms.position.sinusoidal import Sinusoidal
from oratory.mechanisms.position.t5 import T5, T5Table
from oratory.model import Transformer
from oratory.training.tasks import base

SHAPE = Shape(width=24, heads=3, head_size=8, layers=1, context=16, causal=False)
ropes = st.builds(
    Rope,
    base=st.sampled_from([100.0, 10000.0, 500000.0]),
    share=st.sampled_from([0.25, 0.5, 0.75, 1.0]),
    layout=st.sampled_from(["half", "interleaved"]),
)
places = st.integers(0, 60)
several = settings(deadline=None, max_examples=40)


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def scene(queries: list[int], keys: list[int], causal: bool = False) -> Scene:
    def nothing(vectors: Tensor) -> Tensor:
        raise AssertionError("this position projects nothing")

    return Scene(torch.tensor([queries]), torch.tensor([keys]), 1.0, causal, nothing, nothing)


def rope_score(rope: Rope, q: Tensor, k: Tensor, q_place: int, k_place: int) -> float:
    turned_q, turned_k = rope.rotate(q, k, torch.tensor([q_place]), torch.tensor([k_place]))
    return float((turned_q * turned_k).sum())


@several
@given(ropes, places, places, places, st.integers(0, 99))
def test_rope_scores_depend_on_the_offset_only(rope: Rope, one: int, other: int, moved: int, seed: int) -> None:
    q, k = normalize(normal(2, 1, 1, 1, 16, seed=seed), dim=-1)
    here, there = rope_score(rope, q, k, one, other), rope_score(rope, q, k, one + moved, other + moved)
    assert here == pytest.approx(there, abs=3e-5)


@several
@given(ropes, places, st.integers(0, 99))
def test_rope_keeps_norms_and_the_columns_that_do_not_turn(rope: Rope, place: int, seed: int) -> None:
    x = normal(2, 3, 1, 16, seed=seed)
    turned = rope.turn(x, torch.tensor([place]))
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
    assert torch.equal(turned[..., rope.turned(16) :], x[..., rope.turned(16) :])
    assert torch.equal(rope.turn(x, torch.tensor([0])), x)


@several
@given(ropes, st.integers(0, 40))
def test_rope_turns_each_pair_by_the_angle_of_the_paper(rope: Rope, place: int) -> None:
    x = normal(1, 1, 1, 16)
    old, new = x.flatten().tolist(), rope.turn(x, torch.tensor([place])).flatten().tolist()
    turned = rope.turned(16)
    for pair in range(turned // 2):
        angle = place * rope.base ** (-2 * pair / turned)
        first, second = (pair, pair + turned // 2) if rope.layout == "half" else (2 * pair, 2 * pair + 1)
        assert new[first] == pytest.approx(old[first] * math.cos(angle) - old[second] * math.sin(angle), abs=2e-5)
        assert new[second] == pytest.approx(old[second] * math.cos(angle) + old[first] * math.sin(angle), abs=2e-5)


def test_rope_scores_change_with_the_offset() -> None:
    q, k = normal(2, 1, 1, 1, 16)
    scores = [rope_score(Rope(), q, k, 0, offset) for offset in range(6)]
    assert len({round(score, 3) for score in scores}) == 6


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        (1, [2**-8]),
        (2, [2**-4, 2**-8]),
        (8, [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]),
        (16, [2 ** (-i / 2) for i in range(1, 17)]),
        (12, [*(2**-i for i in range(1, 9)), 2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5]),
    ],
)
def test_alibi_slopes_are_those_of_the_paper(heads: int, expected: list[float]) -> None:
    assert slopes(heads) == pytest.approx(expected)


def papers_slopes(heads: int) -> list[float]:
    """As in the appendix of the paper's code, by recursion."""
    if math.log2(heads).is_integer():
        start = 2 ** (-(2 ** -(math.log2(heads) - 3)))
        return [start * start**i for i in range(heads)]
    below = 2 ** math.floor(math.log2(heads))
    return papers_slopes(below) + papers_slopes(2 * below)[0::2][: heads - below]


@given(st.integers(1, 70))
def test_alibi_slopes_follow_the_papers_rule_for_any_number_of_heads(heads: int) -> None:
    assert slopes(heads) == pytest.approx(papers_slopes(heads))


@several
@given(st.integers(1, 13), st.lists(places, min_size=1, max_size=6), st.lists(places, min_size=1, max_size=6))
def test_alibi_is_linear_in_the_distance_to_both_sides(heads: int, queries: list[int], keys: list[int]) -> None:
    q, k = torch.zeros(2, heads, len(queries), 4), torch.zeros(2, heads, len(keys), 4)
    bias = Alibi().bias(q, k, scene(queries, keys))
    assert bias.shape == (1, heads, len(queries), len(keys))
    for head, slope in enumerate(slopes(heads)):
        for t, query in enumerate(queries):
            for s, key in enumerate(keys):
                assert float(bias[0, head, t, s]) == pytest.approx(-slope * abs(query - key))


def test_alibi_is_symmetric_in_an_encoder() -> None:
    everywhere = list(range(9))
    bias = Alibi().bias(torch.zeros(1, 3, 9, 4), torch.zeros(1, 3, 9, 4), scene(everywhere, everywhere))
    assert torch.equal(bias, bias.transpose(-1, -2))


@several
@given(ropes, places)
def test_alibi_rope_is_both(rope: Rope, place: int) -> None:
    both = AlibiRope(base=rope.base, share=rope.share, layout=rope.layout)
    q, k, at = normal(2, 3, 1, 16), normal(2, 3, 1, 16, seed=1), torch.tensor([place])
    for ours, theirs in zip(both.rotate(q, k, at, at), rope.rotate(q, k, at, at), strict=True):
        assert torch.equal(ours, theirs)
    view = scene([place], [3])
    assert torch.equal(both.bias(q, k, view), Alibi().bias(q, k, view))


@several
@given(st.sampled_from([2, 6, 16, 64]), st.sampled_from([10.0, 10000.0]), st.lists(places, min_size=1, max_size=8))
def test_sinusoidal_matches_the_formula_entry_by_entry(width: int, base: float, positions: list[int]) -> None:
    x = normal(1, len(positions), width)
    added = Sinusoidal(base=base).embed(x, torch.tensor(positions)) - x
    for row, t in enumerate(positions):
        for i in range(width // 2):
            angle = t / base ** (2 * i / width)
            assert float(added[0, row, 2 * i]) == pytest.approx(math.sin(angle), abs=2e-5)
            assert float(added[0, row, 2 * i + 1]) == pytest.approx(math.cos(angle), abs=2e-5)


def test_learned_positions_are_added_to_the_tokens() -> None:
    table = Learned().build(SHAPE)
    x, positions = normal(2, 3, 24), torch.tensor([4, 0, 9])
    assert torch.equal(table.embed(x, positions), x + table.table.weight[positions])


def papers_bucket(distance: int, buckets: int, reach: int, causal: bool) -> int:
    """The rule of T5 for the distance from a key to its query, one distance at a time."""
    side = 0
    if causal:
        distance = max(distance, 0)
    else:
        buckets //= 2
        side = buckets if distance < 0 else 0
        distance = abs(distance)
    exact = buckets // 2
    if distance < exact:
        return side + distance
    far = exact + int(math.log(distance / exact) / math.log(reach / exact) * (buckets - exact))
    return side + min(far, buckets - 1)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("buckets", [4, 5, 8, 31, 32, 64])
@pytest.mark.parametrize("reach", [65, 128, 500])
def test_t5_buckets_equal_the_papers_rule_for_all_distances(buckets: int, reach: int, causal: bool) -> None:
    distances = list(range(-600, 601))
    found = T5(buckets=buckets, reach=reach).bucket(torch.tensor(distances), causal).tolist()
    assert found == [papers_bucket(distance, buckets, reach, causal) for distance in distances]
    right, left = found[600:], found[600::-1]
    assert right == sorted(right)
    assert left == ([0] * 601 if causal else [0, *sorted(left[1:])])
    assert max(found) < buckets


def test_t5_uses_every_bucket_and_ends_at_its_reach() -> None:
    t5 = T5(buckets=32, reach=128)
    distances = torch.arange(-200, 201)
    assert set(t5.bucket(distances, causal=True).tolist()) == set(range(32))
    # An encoder has no distance 0 to the right, so that the first bucket of that side stays empty, as in the paper.
    assert set(t5.bucket(distances, causal=False).tolist()) == set(range(32)) - {16}
    beyond = t5.bucket(torch.tensor([127, 128, 10_000]), causal=True).tolist()
    assert beyond == [31, 31, 31]


@pytest.mark.parametrize("causal", [True, False])
def test_t5_adds_the_number_of_the_bucket_to_the_score(causal: bool) -> None:
    t5 = T5(buckets=8, reach=20)
    table = T5Table(t5, SHAPE)
    queries, keys = [7, 30], [0, 7, 9, 31]
    bias = table.bias(torch.zeros(1, 3, 2, 8), torch.zeros(1, 3, 4, 8), scene(queries, keys, causal))
    for t, query in enumerate(queries):
        for s, key in enumerate(keys):
            assert torch.equal(bias[0, :, t, s], table.table.weight[papers_bucket(query - key, 8, 20, causal)])
    assert t5.scale(64) == 1.0


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 6), st.integers(1, 8), st.sampled_from(["classifier", "lm"]), st.sampled_from([1, 2]))
def test_disentangled_equals_a_naive_triple_sum(span: int, length: int, task: str, kv_heads: int) -> None:
    config = base(task, 11, classes=2, width=8, heads=2, kv_heads=kv_heads, layers=1, position=Disentangled(span=span))
    model = Transformer(config, seed=span).eval()
    block: Any = model.blocks[0]
    attention, columns = block.attention, 4
    ids = torch.arange(2 * length).view(2, length) % 11
    with torch.no_grad():
        x = block.attention_norm(model.tokens(ids))
        q, k = attention.query(x), attention.key(x)  # B, T, columns of all heads
        table_q, table_k = attention.query(model.position.table.weight), attention.key(model.position.table.weight)
        weights = model(ids, weights=True).weights[0]
    for b in range(2):
        for head in range(2):
            own = slice(head * columns, (head + 1) * columns)
            group = head * kv_heads // 2
            shared = slice(group * columns, (group + 1) * columns)
            for t in range(length):
                seen = range(t + 1) if task == "lm" else range(length)
                scores = []
                for s in seen:
                    distance = max(-span, min(span - 1, t - s)) + span
                    content = q[b, t, own] @ k[b, s, shared]
                    to_position = q[b, t, own] @ table_k[distance, shared]
                    from_position = k[b, s, shared] @ table_q[distance, own]
                    scores.append(float(content + to_position + from_position) / math.sqrt(3 * columns))
                expected = torch.tensor(scores).softmax(0)
                torch.testing.assert_close(weights[b, head, t, seen], expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", sorted(REGISTRY["position"]))
def test_only_an_encoder_without_positions_sees_a_bag_of_tokens(name: str) -> None:
    model = Transformer(base("encoder", 11, width=16, layers=2, position=name)).eval()
    ids, order = torch.tensor([[3, 1, 4, 1, 5, 9, 2]]), torch.tensor([6, 2, 0, 5, 1, 4, 3])
    with torch.no_grad():
        apart = (model(ids[:, order]).hidden - model(ids).hidden[:, order]).abs().max()
    # The vectors of cope start at zero.
    assert (float(apart) < 1e-5) == (name in ("none", "cope"))


@pytest.mark.parametrize("name", sorted(REGISTRY["position"]))
def test_only_learned_positions_end(name: str) -> None:
    assert REGISTRY.choose("position", name).limit(SHAPE) == (16 if name == "learned" else None)


def changed(**values: int | bool) -> Callable[[], Shape]:
    known = {"width": 24, "heads": 3, "head_size": 8, "layers": 1, "context": 16, "causal": False}
    return lambda: Shape(**(known | values))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("position", "shape", "message"),
    [
        (Rope(), changed(head_size=7), "7 of the 7 columns"),
        (Rope(share=0.4), changed(), "3 of the 8 columns"),
        (Rope(share=0.1), changed(), "0 of the 8 columns"),
        (Rope(share=0.0), changed(), "share must lie above 0"),
        (Rope(share=1.5), changed(), "share must lie above 0"),
        (Rope(layout="hafl"), changed(), "Did you mean 'half'"),
        (Rope(base=0.0), changed(), "base must be above 0"),
        (Rope(base=-10.0), changed(), "base must be above 0"),
        (AlibiRope(), changed(head_size=3), "3 of the 3 columns"),
        (Sinusoidal(), changed(width=9), "even width, not 9"),
        (Sinusoidal(base=-1.0), changed(), "base must be above 0"),
        (Disentangled(span=0), changed(), "span must be at least 1"),
        (T5(buckets=1), changed(causal=True), "at least 2 buckets"),
        (T5(buckets=3), changed(), "at least 4 buckets"),
        (T5(buckets=32, reach=32), changed(), "a reach beyond them"),
    ],
)
def test_positions_refuse_what_does_not_fit(position: Position, shape: Callable[[], Shape], message: str) -> None:
    with pytest.raises(InputError, match=message):
        position.check(shape())
