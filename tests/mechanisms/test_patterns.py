import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY, Pattern, Shape
from oratory.mechanisms.pattern.block import Block
from oratory.mechanisms.pattern.dilated import Dilated
from oratory.mechanisms.pattern.full import Full
from oratory.mechanisms.pattern.longformer import Longformer
from oratory.mechanisms.pattern.strided import Strided
from oratory.mechanisms.pattern.window import Window
from oratory.model import Transformer
from oratory.model.sparse import allow
from oratory.training.tasks import base

Seen = list[set[int]]
"""For each query, the keys that it sees."""

lengths = st.integers(1, 30)
sizes = st.integers(1, 12)
tasks = st.booleans()
several = settings(deadline=None, max_examples=60)


def seen(pattern: Pattern, causal: bool, length: int) -> Seen:
    positions = torch.arange(length)
    mask = allow(pattern, causal, positions[:, None], positions[None, :]).expand(length, length)
    return [set(row.nonzero().flatten().tolist()) for row in mask]


def by_hand(rows: Seen, causal: bool, length: int) -> Seen:
    """What is left within the text, and of the past where there is no future."""
    return [{key for key in row if 0 <= key < (query + 1 if causal else length)} for query, row in enumerate(rows)]


@given(lengths, tasks)
def test_full_sees_every_key(length: int, causal: bool) -> None:
    assert seen(Full(), causal, length) == by_hand([set(range(length))] * length, causal, length)


@several
@given(sizes, lengths, tasks)
def test_a_window_sees_its_own_token_and_those_beside_it(size: int, length: int, causal: bool) -> None:
    rows = [set(range(query - size + 1, query + size)) for query in range(length)]
    assert seen(Window(size=size), causal, length) == by_hand(rows, causal, length)
    if causal:
        assert all(len(row) == min(size, query + 1) for query, row in enumerate(seen(Window(size=size), True, length)))


@several
@given(sizes, lengths, tasks)
def test_a_block_sees_itself(size: int, length: int, causal: bool) -> None:
    rows: Seen = []
    for start in range(0, length, size):
        block = set(range(length)[start : start + size])
        rows.extend([block] * len(block))
    assert seen(Block(size=size), causal, length) == by_hand(rows, causal, length)


@several
@given(sizes, st.integers(1, 5), lengths, tasks)
def test_a_dilated_window_sees_every_gapth_token(size: int, gap: int, length: int, causal: bool) -> None:
    rows = [{query + side * step * gap for step in range(size) for side in (-1, 1)} for query in range(length)]
    assert seen(Dilated(size=size, gap=gap), causal, length) == by_hand(rows, causal, length)


@several
@given(sizes, st.integers(0, 4), lengths, tasks)
def test_longformer_sees_a_window_and_the_global_tokens(size: int, ends: int, length: int, causal: bool) -> None:
    rows = []
    for query in range(length):
        near = set(range(query - size + 1, query + size)) | set(range(ends))
        rows.append(set(range(length)) if query < ends else near)
    assert seen(Longformer(size=size, global_tokens=ends), causal, length) == by_hand(rows, causal, length)


@several
@given(sizes, lengths, tasks)
def test_strided_sees_its_neighbours_and_every_strideth_token(stride: int, length: int, causal: bool) -> None:
    rows = []
    for query in range(length):
        near = set(range(query - stride + 1, query + stride))
        rows.append(near | set(range(stride - 1, length, stride)))
    assert seen(Strided(stride=stride), causal, length) == by_hand(rows, causal, length)


@given(sizes, lengths, tasks)
def test_a_dilated_window_without_gaps_and_longformer_without_globals_are_windows(
    size: int, length: int, causal: bool
) -> None:
    window = seen(Window(size=size), causal, length)
    assert seen(Dilated(size=size, gap=1), causal, length) == window
    assert seen(Longformer(size=size, global_tokens=0), causal, length) == window


@pytest.mark.parametrize("task", ["encoder", "lm"])
@pytest.mark.parametrize("name", sorted(REGISTRY["pattern"]))
def test_attention_weighs_exactly_what_a_pattern_allows(name: str, task: str) -> None:
    model = Transformer(base(task, 11, width=16, layers=2, pattern=name)).eval()
    ids = torch.arange(25)[None] % 11
    expected = seen(model.config.pattern, model.config.causal, 25)
    for weights in model(ids, weights=True).weights:
        for head in weights[0]:
            assert [set(row.nonzero().flatten().tolist()) for row in head] == expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (Window(size=0), r"window\(size=0\): a window must hold at least the token itself"),
        (Window(size=-3), "size=-3"),
        (Block(size=0), "a block must hold at least one token"),
        (Dilated(size=0), "both must be at least 1"),
        (Dilated(gap=0), "both must be at least 1"),
        (Longformer(size=0), "size must be at least 1"),
        (Longformer(global_tokens=-1), "global tokens at least 0"),
        (Strided(stride=0), "stride must be at least 1"),
    ],
)
def test_patterns_refuse_what_makes_no_sense(pattern: Pattern, message: str) -> None:
    shape = Shape(width=8, heads=2, head_size=4, layers=1, context=16, causal=False)
    with pytest.raises(InputError, match=message):
        pattern.check(shape)
