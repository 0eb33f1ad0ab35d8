"""Batches: every item once an epoch, an order that follows from seed and epoch, and no needless padding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oratory.batches import IGNORE, LabelledItems, LineItems, Order, WindowItems
from oratory.errors import InputError
from oratory.tokens import Encoded

PAD = 0


def encoded(*texts: list[int]) -> Encoded:
    return Encoded.of((ids, [1] * len(ids)) for ids in texts)


@given(st.integers(1, 200), st.integers(1, 40), st.integers(0, 5), st.booleans())
def test_every_item_comes_once_an_epoch(items: int, batch: int, epoch: int, bucketed: bool) -> None:
    lengths = np.arange(items) % 7 if bucketed else None
    order = Order(items, batch, 3, lengths)
    steps = range(epoch * order.steps, (epoch + 1) * order.steps)
    parts = [order.of_step(step) for step in steps]
    assert sorted(np.concatenate(parts)) == list(range(items))
    assert all(len(part) == batch for part in parts[:-1])


def test_the_order_is_a_function_of_seed_and_epoch() -> None:
    def epoch(seed: int, number: int) -> list[int]:
        order = Order(50, 50, seed)
        return list(order.of_step(number))

    assert epoch(0, 1) == epoch(0, 1)
    assert epoch(0, 1) != epoch(0, 2)
    assert epoch(0, 1) != epoch(1, 1)


def test_an_order_needs_no_history() -> None:
    walked = Order(37, 5, 7)
    for step in range(20):
        walked.of_step(step)
    assert np.array_equal(walked.of_step(19), Order(37, 5, 7).of_step(19))


def test_buckets_hold_items_of_like_length() -> None:
    lengths = np.random.default_rng(0).integers(1, 100, 4000)
    plain, bucketed = Order(4000, 16, 0), Order(4000, 16, 0, lengths)

    def padding(order: Order) -> int:
        return sum(int((lengths[part].max() - lengths[part]).sum()) for part in map(order.of_step, range(order.steps)))

    assert padding(bucketed) < padding(plain) / 10
    firsts = [lengths[bucketed.of_step(step)].mean() for step in range(bucketed.steps)]
    assert np.corrcoef(firsts, np.arange(len(firsts)))[0, 1] < 0.3, "short items must not all come first"


def test_padding_ends_with_the_longest_item_of_the_batch() -> None:
    items = LabelledItems(encoded([5], [6, 7, 8], [9, 10], list(range(1, 30))), np.array([0, 1, 0, 1]), 6, PAD)
    batch = items.batch(np.array([2, 0]))
    assert batch.ids.tolist() == [[9, 10], [5, PAD]]
    assert batch.mask is not None
    assert batch.mask.tolist() == [[True, True], [True, False]]
    assert batch.targets.tolist() == [0, 0]
    cut = items.batch(np.array([3]))
    assert cut.ids.tolist() == [[1, 2, 3, 4, 5, 6]]
    assert cut.mask is None
    assert list(items.lengths) == [1, 3, 2, 6]


def test_a_text_without_tokens_is_all_padding() -> None:
    items = LabelledItems(encoded([], [4, 5]), np.array([0, 1]), 6, PAD)
    batch = items.batch(np.array([0]))
    assert batch.ids.tolist() == [[PAD]]
    assert batch.mask is not None
    assert not batch.mask.any()


def test_windows_hold_each_token_with_the_one_behind_it() -> None:
    items = WindowItems(np.arange(10, dtype=np.int32), 4)
    assert len(items) == 6
    batch = items.batch(np.array([0, 5]))
    assert batch.ids.tolist() == [[0, 1, 2, 3], [5, 6, 7, 8]]
    assert batch.targets.tolist() == [[1, 2, 3, 4], [6, 7, 8, 9]]
    assert batch.mask is None
    assert items.targets(np.array([0, 5])) == 8


def test_a_text_shorter_than_the_context_is_one_window() -> None:
    items = WindowItems(np.array([3, 4, 5], dtype=np.int32), 32)
    assert len(items) == 1
    assert items.batch(np.array([0])).targets.tolist() == [[4, 5]]
    with pytest.raises(InputError, match="1 tokens; at least 2"):
        WindowItems(np.array([3], dtype=np.int32), 32)


def test_lines_are_cut_and_their_padding_is_no_target() -> None:
    items = LineItems(encoded([1, 5, 6, 2], [1, 7, 2], [1, 5, 6, 7, 8, 2]), 5, PAD)
    batch = items.batch(np.array([0, 1]))
    assert batch.ids.tolist() == [[1, 5, 6], [1, 7, 2]]
    assert batch.targets.tolist() == [[5, 6, 2], [7, 2, IGNORE]]
    assert batch.mask is not None
    assert batch.mask.tolist() == [[True, True, True], [True, True, False]]
    assert items.targets(np.array([0, 1])) == 5 == int((batch.targets != IGNORE).sum())
    assert items.batch(np.array([2])).targets.tolist() == [[5, 6, 7, 8]]


def test_a_line_of_one_token_cannot_be_learned_from() -> None:
    with pytest.raises(InputError, match="fewer than two tokens"):
        LineItems(encoded([1, 2], [1]), 5, PAD)
