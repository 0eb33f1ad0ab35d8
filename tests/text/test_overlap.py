import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oratory.text import overlap
from oratory.text.overlap import Index, Numbering

texts = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=7).map(" ".join), min_size=1, max_size=12)


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    size = min(overlap.SHINGLE, len(words))
    return {tuple(words[i : i + size]) for i in range(len(words) - size + 1)}


def jaccard(one: str, other: str) -> float:
    a, b = shingles(one), shingles(other)
    return len(a & b) / len(a | b)


@settings(deadline=None)
@given(texts, texts, st.sampled_from([0.2, 0.5, 0.7, 1.0]))
def test_near_duplicates_equal_a_comparison_of_all_pairs(items: list[str], others: list[str], threshold: float) -> None:
    numbering = Numbering()
    index, words = Index(numbering.words(others)), numbering.words(items)
    found = {near.item: near.jaccard for near in index.near_duplicates(words, threshold)}
    best = {i: max(jaccard(item, other) for other in others) for i, item in enumerate(items)}
    assert found == pytest.approx({i: value for i, value in best.items() if value >= threshold})
    for near in index.near_duplicates(words, threshold):
        assert near.jaccard == pytest.approx(jaccard(items[near.item], others[near.other]))


@settings(deadline=None)
@given(texts, texts, st.integers(1, 4))
def test_shared_ngrams_equal_a_search_by_hand(items: list[str], others: list[str], n: int) -> None:
    def grams(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}

    numbering = Numbering()
    index = Index(numbering.words(others))
    known = set().union(*map(grams, others))
    expected = [not known.isdisjoint(grams(item)) for item in items]
    assert index.shares_ngram(numbering.words(items), n).tolist() == expected


def test_unknown_words() -> None:
    numbering = Numbering()
    index = Index(numbering.words(["a b c"]))
    assert index.unknown_share(numbering.words(["a x", "y b"])) == 0.5


def test_ngrams_do_not_run_from_one_text_into_the_next() -> None:
    numbering = Numbering()
    index = Index(numbering.words(["a b", "c d"]))
    assert not index.shares_ngram(numbering.words(["b c"]), 2).any()


@settings(deadline=None)
@given(texts, texts, st.sampled_from([0.2, 0.5, 1.0]), st.integers(1, 9))
def test_the_size_of_a_block_changes_nothing(items: list[str], others: list[str], threshold: float, block: int) -> None:
    numbering = Numbering()
    index, words = Index(numbering.words(others)), numbering.words(items)
    whole = index.near_duplicates(words, threshold)
    with pytest.MonkeyPatch.context() as small:
        small.setattr(overlap, "BLOCK", block)
        assert index.near_duplicates(words, threshold) == whole


def test_blocks_hold_few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap, "BLOCK", 5)
    assert list(overlap._blocks(np.array([2, 3, 1, 9, 0, 5, 1]))) == [(0, 2), (2, 3), (3, 4), (4, 6), (6, 7)]
    assert list(overlap._blocks(np.array([7]))) == [(0, 1)]


def test_changed_copies_are_found_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    vocabulary = [f"w{i}" for i in range(500)]
    others = [" ".join(generator.choice(vocabulary, 20)) for _ in range(300)]
    items = []
    for other in others[:100]:
        words = other.split()
        words[3] = "changed"
        items.append(" ".join(words))
    items += [" ".join(generator.choice(vocabulary, 20)) for _ in range(100)]
    numbering = Numbering()
    index, words_of_items = Index(numbering.words(others)), numbering.words(items)
    whole = index.near_duplicates(words_of_items, 0.6)
    assert [(near.item, near.other) for near in whole] == [(i, i) for i in range(100)]
    monkeypatch.setattr(overlap, "BLOCK", 3)
    assert index.near_duplicates(words_of_items, 0.6) == whole
