from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oratory import arrays
from oratory.errors import InputError
from oratory.text import Corpus
from oratory.tokens import encode_lm, ngrams, train_tokenizer
from oratory.tokens.ngrams import NgramCounts

VOCABULARY = 4
streams = st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=25)


def by_hand(train: list[int], history: tuple[int, ...], word: int, discount: float, highest: bool = True) -> float:
    """The formula, word by word, over n-grams as tuples."""
    n = len(history) + 1
    lower = 1 / VOCABULARY if n == 1 else by_hand(train, history[1:], word, discount, highest=False)
    grams = [tuple(train[i : i + n]) for i in range(len(train) - n + 1)]
    if highest:
        counts = Counter(grams)
    else:
        longer = {tuple(train[i : i + n + 1]) for i in range(len(train) - n)}
        counts = Counter(gram[1:] for gram in longer)
    total = sum(count for gram, count in counts.items() if gram[:-1] == history)
    if total == 0:
        return lower
    types = sum(1 for gram in counts if gram[:-1] == history)
    return (max(counts[(*history, word)] - discount, 0) + discount * types * lower) / total


@settings(deadline=None, max_examples=60)
@given(streams, streams, st.integers(1, 5), st.sampled_from([0.1, 0.75, 0.95]))
def test_equals_the_formula(train: list[int], text: list[int], order: int, discount: float) -> None:
    counts = NgramCounts(np.array(train), VOCABULARY, order)
    found = np.exp(-counts.nats(np.array(text), order, discount))
    # A stream shorter than the order has no n-grams of it; then the longest it has are the highest.
    order = min(order, len(train))
    for at, word in enumerate(text):
        history = tuple(text[max(0, at - order + 1) : at])
        highest = len(history) == order - 1
        assert found[at] == pytest.approx(by_hand(train, history, word, discount, highest))


@settings(deadline=None)
@given(streams, streams, st.integers(1, 5))
def test_probabilities_of_all_words_sum_to_one(train: list[int], history: list[int], order: int) -> None:
    counts = NgramCounts(np.array(train), VOCABULARY, order)
    last = [np.exp(-counts.nats(np.array([*history, word]), order, 0.75)[-1]) for word in range(VOCABULARY)]
    assert sum(last) == pytest.approx(1)


def test_nothing_to_count() -> None:
    with pytest.raises(InputError, match="no training tokens"):
        NgramCounts(np.array([], dtype=np.int64), VOCABULARY, 3)


def test_the_reference_speeches(speeches: Corpus) -> None:
    tokenizer = train_tokenizer(speeches)
    encoded = encode_lm(speeches, tokenizer)
    counts = NgramCounts(encoded["train"].ids, len(tokenizer), 3)
    found = {
        name: float(np.exp(counts.nats(encoded[name].ids, 3, 0.75).mean())) for name in ("obama", "hbush", "wbush")
    }
    assert found == pytest.approx({"obama": 247, "hbush": 278, "wbush": 383}, rel=0.005)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=60),
    streams,
    st.sampled_from([1, 2, 3, 7, 20]),
    st.sampled_from([1, 2, 5]),
)
def test_counting_in_parts_changes_nothing(train: list[int], text: list[int], words: int, elements: int) -> None:
    """As if far more text were counted than fits in memory: a few words at once, and every array in a file."""
    whole = NgramCounts(np.array(train, np.int32), VOCABULARY, 5)
    expected = [whole.nats(np.array(text), order, 0.75) for order in range(1, 6)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "AT_ONCE", words)
        patch.setattr(arrays, "AT_ONCE", elements)
        patch.setattr(arrays, "LARGE", 1)
        parts = NgramCounts(np.array(train, np.int32), VOCABULARY, 5)
        found = [parts.nats(np.array(text), order, 0.75) for order in range(1, 6)]
    for one, other in zip(whole.orders, parts.orders, strict=True):
        np.testing.assert_array_equal(one.keys, other.keys)
        np.testing.assert_array_equal(one.occurrences, other.occurrences)
        np.testing.assert_array_equal(one.continuations, other.continuations)
    np.testing.assert_array_equal(expected, found)


@settings(deadline=None, max_examples=60)
@given(streams, streams, st.integers(1, 5), st.sampled_from([0.1, 0.75]))
def test_a_distribution_has_the_probability_of_every_token(
    train: list[int], text: list[int], order: int, discount: float
) -> None:
    counts = NgramCounts(np.array(train), VOCABULARY, order)
    probabilities = np.exp(-counts.nats(np.array(text), order, discount))
    for place, word in enumerate(text):
        found = counts.distribution(text[max(0, place - order + 1) : place], order, discount)
        assert found.sum() == pytest.approx(1)
        assert found[word] == pytest.approx(probabilities[place])
