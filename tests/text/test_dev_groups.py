"""A dev that is carved from a corpus with groups has whole groups."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oratory.errors import InputError
from oratory.text import ClassifierData, Corpus, Labelled, LanguageData, normalise
from oratory.text.dev import carve, close_to


def without_dev(corpus: Corpus) -> Corpus:
    """The corpus with its dev put back into train."""
    data, lm = corpus.need_classifier(), corpus.need_lm()
    assert data.dev is not None
    assert lm.dev is not None
    own, dev = data.train, data.dev
    train = Labelled((*own.texts, *dev.texts), own.labels + dev.labels, own.groups + dev.groups)
    groups = {name: of for name, of in lm.groups.items() if name != "dev"}
    groups["train"] = lm.groups["train"] + lm.groups["dev"]
    running = LanguageData((*lm.train, *lm.dev), None, lm.tests, groups)
    return replace(corpus, classifier=replace(data, train=train, dev=None), lm=running)


def documents(labels: str, size: int = 10, test: Labelled | None = None, same: str = "") -> Corpus:
    """One document for each letter, which is its label; `same` is the last text of each."""
    rows = [
        (f"document {at} has line number {i}", letter, f"d{at}")
        for at, letter in enumerate(labels)
        for i in range(size)
    ]
    rows += [(same, letter, f"d{at}") for at, letter in enumerate(labels) if same]
    texts, letters, groups = zip(*rows, strict=True)
    names = tuple(sorted(set(labels)))
    data = ClassifierData(names, Labelled(texts, tuple(map(names.index, letters)), groups), None, test)
    return Corpus("documents", data, LanguageData(texts, None, {}, {"train": groups}), group="document")


def test_dev_of_sotu_has_whole_addresses(sotu: Corpus) -> None:
    given = without_dev(sotu)
    for share in (0.05, 0.1, 0.3):
        carved = given.with_dev(share)
        data, lm = carved.need_classifier(), carved.need_lm()
        assert data.dev is not None
        assert lm.dev is not None
        assert set(data.dev.groups).isdisjoint(data.train.groups)
        assert set(lm.groups["dev"]) == set(data.dev.groups)
        assert set(lm.groups["dev"]).isdisjoint(lm.groups["train"])
        assert set(data.dev.labels) == {0, 1, 2}
        assert set(data.dev.normalised).isdisjoint(data.train.normalised)
        tests = [normalise(text) for text in given.test_lines()]
        assert not close_to([normalise(text) for text in (*data.dev.texts, *lm.dev)], tests).any()
        assert data.seen == given.need_classifier().seen
        assert all(lm.seen(text) == given.need_lm().seen(text) for text in lm.tests)
        assert len(data.train) + len(data.dev) + len(data.aside) == len(given.need_classifier().train)
        assert carved.fingerprint == given.with_dev(share).fingerprint
        assert "whole addresses, of which train has nothing: george-h-w-bush" in " ".join(carved.carving)


def test_the_number_of_groups_follows_the_share() -> None:
    given = documents("a" * 30 + "b" * 20)
    for share, wanted in ((0.1, {0: 3, 1: 2}), (0.5, {0: 15, 1: 10}), (0.01, {0: 1, 1: 1}), (0.99, {0: 29, 1: 19})):
        dev = given.with_dev(share).need_classifier().dev
        assert dev is not None
        found = dict(zip(dev.groups, dev.labels, strict=True))
        assert Counter(found.values()) == wanted
        assert len(dev) == 10 * len(found)


def test_a_text_that_another_group_has_is_in_no_split() -> None:
    carved = documents("aabb", same="Thank you.").with_dev()
    data = carved.need_classifier()
    assert data.dev is not None
    assert len(set(data.dev.groups)) == 2
    assert data.aside == ("Thank you.",) * 2
    assert carved.carving[-1].startswith("1 different texts of these are neither in train nor in dev")


def test_what_test_has_is_seen_though_no_split_has_it() -> None:
    given = documents("aabb", size=9, same="Thank you.")
    data = given.need_classifier()
    texts = tuple(f"{text} once more" if text == "Thank you." else text for text in data.train.texts)
    test = Labelled(("Thank you. once more", "Something else."), (0, 1), ("t0", "t1"))
    given = replace(given, classifier=replace(data, train=replace(data.train, texts=texts), test=test), lm=None)
    carved = given.with_dev().need_classifier()
    assert carved.dev is not None
    assert "Thank you. once more" not in carved.dev.texts
    assert set(carved.dev.groups).isdisjoint(carved.train.groups)
    assert carved.seen == (True, False)


def test_a_label_with_one_group_gives_single_texts_and_says_so() -> None:
    carved = documents("aaab").with_dev(0.2)
    data = carved.need_classifier()
    assert data.dev is not None
    of_label = {
        label: {g for g, at in zip(data.dev.groups, data.dev.labels, strict=True) if at == label} for label in (0, 1)
    }
    assert of_label[0].isdisjoint(data.train.groups)
    assert of_label[1] == {"d3"} <= set(data.train.groups)
    assert Counter(data.dev.labels) == {0: 10, 1: 2}
    assert "Of 1 documents dev has some texts and train the others (d3): there are too few" in carved.carving[-1]


def test_groups_that_test_has_too_stay_in_train() -> None:
    test = Labelled(("Nothing of this is known.",), (0,), ("d0",))
    for share in (0.1, 0.4, 0.7):
        dev = documents("aaabbb", test=test).with_dev(share).need_classifier().dev
        assert dev is not None
        assert "d0" not in dev.groups
    everywhere = Labelled(("Nothing of this.", "And of that."), (0, 1), ("d0", "d1"))
    carved = documents("ab", test=everywhere).with_dev()
    assert "(d0, d1)" in carved.carving[-1]
    assert carved.need_classifier().dev is not None


def test_the_order_of_the_file_decides_nothing() -> None:
    given = documents("abcabcabc").need_classifier().train
    turned = given.pick(range(len(given))[::-1])
    one, other = (carve(split.texts, split.labels, 0.2, (), split.groups) for split in (given, turned))
    assert {given.texts[at] for at in one.dev} == {turned.texts[at] for at in other.dev}
    assert one.groups == other.groups


def test_lines_of_no_group_follow_those_with_the_same_text() -> None:
    given = documents("aabbab")
    data = given.need_classifier()
    for running in (data.train.texts, (*data.train.texts, *(f"Line {at} is of nobody." for at in range(60)))):
        carved = replace(given, lm=LanguageData(running)).with_dev()
        labelled, lines = carved.need_classifier(), carved.need_lm()
        assert labelled.dev is not None
        assert lines.dev is not None
        assert set(labelled.dev.groups).isdisjoint(labelled.train.groups)
        assert {*labelled.dev.texts, *lines.dev}.isdisjoint(carved.training_lines())
        assert set(labelled.dev.texts) <= set(lines.dev)


def test_without_groups_the_note_names_none() -> None:
    data = documents("aabb").need_classifier()
    carved = Corpus("plain", replace(data, train=replace(data.train, groups=()))).with_dev()
    [note] = carved.carving
    assert note == "Dev was carved from train: no text of it is in train or test, or almost the same as one of test."
    assert carved.with_dev().carving == carved.carving


rows = st.lists(
    st.tuples(
        st.text("abc", min_size=1, max_size=3), st.integers(0, 2), st.sampled_from(["g", "h", "i", "j", "k", None])
    ),
    min_size=10,
    max_size=80,
)


@given(rows, st.floats(0.05, 0.6), st.sets(st.text("abc", min_size=1, max_size=2), max_size=4))
def test_any_groups(items: list[tuple[str, int, str | None]], share: float, taken: set[str]) -> None:
    texts, labels, groups = zip(*items, strict=True)
    try:
        found = carve(texts, labels, share, taken, groups, {"k"})
    except InputError:
        return  # Too few texts that are free.
    dev, aside = set(found.dev), set(found.aside)
    kept = {*range(len(items))} - dev - aside
    assert not dev & aside
    assert dev
    assert not {texts[at] for at in dev} & (taken | {texts[at] for at in kept})
    assert "k" not in found.groups
    assert not set(found.groups) & {groups[at] for at in kept}
    assert {groups[at] for at in aside} <= {*found.groups, None}
    assert {labels[at] for at in kept} == set(labels)
    assert all(one < other for one, other in pairwise(found.dev))
    if dev and not found.groups:
        assert not aside
    with pytest.raises(InputError, match="between 0 and 1"):
        carve(texts, labels, 0, taken, groups)
