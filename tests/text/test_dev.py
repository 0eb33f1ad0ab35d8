from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oratory.errors import InputError
from oratory.text import ClassifierData, Corpus, Labelled, LanguageData, normalise
from oratory.text.dev import carve, close_to

texts = st.lists(st.tuples(st.text("abc", max_size=3), st.integers(0, 2)), min_size=30, max_size=120)


@given(texts, st.floats(0.05, 0.5))
def test_dev_shares_no_text_and_is_stratified(items: list[tuple[str, int]], share: float) -> None:
    normalised, labels = [text for text, _ in items], [label for _, label in items]
    try:
        held = carve(normalised, labels, share).dev
    except InputError:
        return  # Every text repeats more often than the share allows.
    kept = [index for index in range(len(items)) if index not in held]
    assert {normalised[i] for i in kept}.isdisjoint(normalised[i] for i in held)
    sizes, out = Counter(labels), Counter(labels[i] for i in held)
    assert all(out[label] <= max(1, round(share * sizes[label])) for label in sizes)
    assert all(out[label] < sizes[label] for label in sizes)


def test_each_label_gives_its_share() -> None:
    normalised = [f"text {i}" for i in range(300)]
    labels = [0] * 200 + [1] * 90 + [2] * 10
    held = carve(normalised, labels, 0.1).dev
    assert Counter(labels[i] for i in held) == {0: 20, 1: 9, 2: 1}


def test_the_choice_does_not_depend_on_the_order_of_the_file() -> None:
    normalised = [f"text {i}" for i in range(100)]
    held = carve(normalised, [0] * 100, 0.2).dev
    turned = carve(normalised[::-1], [0] * 100, 0.2).dev
    assert {normalised[i] for i in held} == {normalised[::-1][i] for i in turned}


def test_too_few_items_are_refused() -> None:
    with pytest.raises(InputError, match="too few"):
        carve(["a", "a", "a"], [0, 0, 1], 0.1)
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


def test_dev_of_the_speeches_has_nothing_of_test(speeches: Corpus) -> None:
    carved = speeches.with_dev()
    data, lm = carved.need_classifier(), carved.need_lm()
    assert data.dev is not None
    assert lm.dev is not None
    tests = [normalise(text) for text in speeches.test_lines()]
    assert not close_to([normalise(text) for text in (*data.dev.texts, *lm.dev)], tests).any()
    assert data.seen == speeches.need_classifier().seen
    assert data.seen.count(False) == 199


words = st.lists(
    st.sampled_from(["we", "will", "go", "on", "and", "they", "can", "not", "stay", "here"]), min_size=1, max_size=6
)
sentences = st.lists(words.map(" ".join), min_size=1, max_size=20).map(tuple)


@given(sentences.filter(lambda train: len(train) > 3), sentences, sentences)
def test_carving_changes_nothing_about_what_is_seen(
    train: tuple[str, ...], test: tuple[str, ...], lines: tuple[str, ...]
) -> None:
    labels = tuple(index % 2 for index in range(len(train)))
    data = ClassifierData(("a", "b"), Labelled(train, labels), None, Labelled(test, tuple(0 for _ in test)))
    given = Corpus("any", data, LanguageData(train, None, {"t": lines}))
    try:
        carved = given.with_dev(0.3)
    except InputError:
        return  # Too much of train is in test.
    labelled, running = carved.need_classifier(), carved.need_lm()
    assert labelled.dev is not None
    assert running.dev is not None
    assert {*labelled.dev.texts, *running.dev}.isdisjoint({*test, *lines})
    assert labelled.seen == data.seen
    assert running.seen("t") == given.need_lm().seen("t")
    assert not any((*labelled.in_dev, *running.in_dev("t")))


def test_near_duplicates_of_test_stay_in_train() -> None:
    same = "tonight we meet to speak of the union and of all its people"
    train = (same, f"{same} now", *(f"sentence number {word} is on its own" for word in "abcdefgh"))
    test = Labelled((f"And {same}.",), (0,))
    data = ClassifierData(("a", "b"), Labelled(train, (0,) * 10), None, test)
    for share in (0.1, 0.5, 0.8):
        carved = Corpus("near", data).with_dev(share).need_classifier()
        assert set(train[:2]) <= set(carved.train.texts)
    with pytest.raises(InputError, match="too similar to each other or to test"):
        Corpus(
            "all in test", ClassifierData(("a", "b"), Labelled(train, (0,) * 10), None, Labelled(train, (0,) * 10))
        ).with_dev()


def test_rare_labels_give_one_and_never_all() -> None:
    normalised = [f"text {i}" for i in range(12)]
    labels = [0, 0, 1, 1, 1, 2, *[3] * 6]
    held = carve(normalised, labels, 0.1).dev
    assert Counter(labels[i] for i in held) == {0: 1, 1: 1, 3: 1}
    assert Counter(labels[i] for i in carve(normalised, labels, 0.99).dev) == {0: 1, 1: 2, 3: 5}


def test_no_text_is_held_out_in_one_task_and_learned_from_in_the_other() -> None:
    texts = tuple(f"text number {i}" for i in range(100))
    data = ClassifierData(("a", "b"), Labelled(texts[:60], (0, 1) * 30))
    carved = Corpus("two files", data, LanguageData(texts[30:])).with_dev()
    labelled, running = carved.need_classifier().dev, carved.need_lm().dev
    assert labelled is not None
    assert running is not None
    assert {*labelled.texts, *running}.isdisjoint(carved.training_lines())
    same = Corpus("one file", data, LanguageData(texts[:60])).with_dev()
    assert same.need_classifier().train.texts == same.need_lm().train
