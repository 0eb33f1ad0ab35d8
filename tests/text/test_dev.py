from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oratory.errors import InputError
from oratory.text import Corpus, normalise
from oratory.text.dev import carve

texts = st.lists(st.tuples(st.text("abc", max_size=3), st.integers(0, 2)), min_size=30, max_size=120)


@given(texts, st.floats(0.05, 0.5))
def test_dev_shares_no_text_and_is_stratified(items: list[tuple[str, int]], share: float) -> None:
    normalised, labels = [text for text, _ in items], [label for _, label in items]
    try:
        kept, held = carve(normalised, labels, share)
    except InputError:
        return  # Every text repeats more often than the share allows.
    assert sorted([*kept, *held]) == list(range(len(items)))
    assert {normalised[i] for i in kept}.isdisjoint(normalised[i] for i in held)
    sizes, out = Counter(labels), Counter(labels[i] for i in held)
    assert all(out[label] <= round(share * sizes[label]) for label in sizes)


def test_each_label_gives_its_share() -> None:
    normalised = [f"text {i}" for i in range(300)]
    labels = [0] * 200 + [1] * 90 + [2] * 10
    _, held = carve(normalised, labels, 0.1)
    assert Counter(labels[i] for i in held) == {0: 20, 1: 9, 2: 1}


def test_the_choice_does_not_depend_on_the_order_of_the_file() -> None:
    normalised = [f"text {i}" for i in range(100)]
    _, held = carve(normalised, [0] * 100, 0.2)
    _, turned = carve(normalised[::-1], [0] * 100, 0.2)
    assert {normalised[i] for i in held} == {normalised[::-1][i] for i in turned}


def test_too_few_items_are_refused() -> None:
    with pytest.raises(InputError, match="too few"):
        carve(["a", "b"], [0, 1], 0.1)
    with pytest.raises(InputError, match="between 0 and 1"):
        carve(["a", "b"], [0, 1], 1.0)


def test_a_corpus_with_its_own_dev_keeps_it(sotu: Corpus) -> None:
    assert sotu.with_dev() == sotu


def test_dev_of_the_speeches(speeches: Corpus) -> None:
    carved = speeches.with_dev()
    data, before = carved.need_classifier(), speeches.need_classifier()
    assert data.dev is not None
    assert len(data.train) + len(data.dev) == 2092
    assert len(data.dev) == pytest.approx(209, abs=3)
    assert set(data.train.normalised).isdisjoint(data.dev.normalised)
    for label in range(3):
        share = data.dev.labels.count(label) / before.train.labels.count(label)
        assert share == pytest.approx(0.1, abs=0.005)
    lm = carved.need_lm()
    assert lm.dev is not None
    assert set(map(normalise, lm.train)).isdisjoint(map(normalise, lm.dev))
    assert carved.fingerprint == speeches.with_dev().fingerprint != speeches.fingerprint
