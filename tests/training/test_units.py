"""What counts as one in a comparison: groups where there are enough, else items, and what is said of it."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy.signal import lfilter

from oratory.statistics import paired
from oratory.statistics.crossed import Array
from oratory.text import ClassifierData, Corpus, Labelled, LanguageData
from oratory.training.running_text.units import BLOCK, Blocks
from oratory.training.tasks import task_of
from oratory.training.tasks.classifier.metrics.accuracy import Accuracy
from oratory.training.tasks.lm.metrics.nats_per_token import NatsPerToken
from oratory.training.tasks.units import Units


def labelled(test_groups: Sequence[str], train: Labelled | None = None, dev: Labelled | None = None) -> Corpus:
    """A corpus whose test items have these groups."""
    texts = tuple(f"text {at}" for at in range(len(test_groups)))
    test = Labelled(texts, (0,) * len(texts), tuple(test_groups))
    train = train or Labelled(("text 0", "other"), (0, 1))
    return Corpus("made", ClassifierData(("a", "b"), train, dev, test), item="sentence", group="story")


def units(corpus: Corpus) -> Units:
    return task_of("classifier").units(corpus)


def results(correct: NDArray[np.bool_]) -> pa.Table:
    return pa.table({"split": ["test"] * len(correct), "correct": correct})


def measured(of: Units, table: pa.Table, part: str = "all") -> tuple[Array, Array]:
    return of.counted(part).means(*of.values(table, Accuracy()))


def test_enough_groups_count_as_one_each() -> None:
    made = units(labelled([*"aabbbbccdde"]))
    values, weights = measured(made, results(np.array([1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0], bool)))
    assert values.tolist() == [0.5, 0.75, 0.0, 1.0, 0.0]
    assert weights.tolist() == [2, 4, 2, 2, 1]
    assert made.counted().unit == "story"
    assert made.new_items == "New items are new stories: each of the 5 stories counts as one."


def test_the_mean_is_the_same_by_group_and_by_item() -> None:
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 9, 300).astype(str).tolist()
    grouped = units(labelled(groups))
    for seed in range(3):
        table = results(np.random.default_rng(seed).random(300) < 0.6)
        values, weights = measured(grouped, table)
        assert len(values) == 9
        assert values @ weights / weights.sum() == pytest.approx(np.array(table["correct"]).mean())


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ("aabbccdd", "New items are new sentences of these 4 stories, and not new stories: it takes 5."),
        ("aaaaaaa", "New items are new sentences of this one story: there is no other to tell what new stories show."),
        (
            "aaaaaaabcdef",
            "New items are new sentences of these 6 stories, and not new stories: one of them has more than half of "
            "everything.",
        ),
    ],
)
def test_too_few_or_too_uneven_groups(groups: str, sentence: str) -> None:
    made = units(labelled([*groups]))
    assert made.counted().unit == "sentence"
    assert len(made.counted().owners) == len(groups)
    assert made.new_items == sentence
    assert made.finer_parts == ""


def test_without_groups_nothing_is_said_of_them() -> None:
    test = Labelled(("x", "z"), (0, 1))
    corpus = Corpus("plain", ClassifierData(("a", "b"), Labelled(("x", "y"), (0, 1)), None, test))
    made = units(corpus)
    assert (made.counted().unit, made.groups) == ("text", None)
    assert made.new_items == "New items are new texts; the corpus does not say which of them belong together."


def test_groups_of_train_are_named() -> None:
    made = units(labelled([*"abcdef"], Labelled(("x", "y"), (0, 1), ("a", "f"))))
    assert made.new_items.endswith("counts as one, and 2 of them are in train too.")


def test_a_part_with_too_few_groups_falls_back_and_says_so() -> None:
    """Only the text of one group is in train."""
    made = units(labelled([*"aabbccddeeff"]))
    assert [made.counted(part).unit for part in ("all", "seen", "unseen")] == ["story", "sentence", "story"]
    assert made.finer_parts == (
        "seen: too few stories to count each as one, so the intervals are for new sentences of these."
    )


def test_what_dev_has_is_a_part_of_its_own() -> None:
    dev = Labelled(("text 1", "text 0"), (0, 0))
    made = units(labelled([*"abcdef"], dev=dev))
    assert {part: int(mask.sum()) for part, mask in made.parts.items()} == {
        "all": 6,
        "seen": 1,
        "unseen": 5,
        "in dev": 1,
    }


def running(tests: dict[str, tuple[str, ...]], groups: dict[str, tuple[str, ...]] | None = None) -> Corpus:
    return Corpus(
        "lines", lm=LanguageData(("one", "two"), None, tests, groups or {}), group="address" if groups else None
    )


def line(size: int) -> str:
    return "x" * (size - 1)


def test_blocks_are_of_one_text_and_one_group(sotu: Corpus) -> None:
    data = sotu.need_lm()
    made = Blocks(sotu)
    groups_of: dict[int, set[tuple[str, str]]] = {}
    for name, of_line in made.of_line.items():
        assert len(of_line) == len(data.tests[name])
        for block, group in zip(of_line.tolist(), data.groups[name], strict=True):
            groups_of.setdefault(block, set()).add((name, group))
    assert all(len(found) == 1 for found in groups_of.values())
    total = sum(len(text.encode()) + 1 for lines in data.tests.values() for text in lines)
    assert made.sizes.sum() == total
    assert made.together is not None
    blocks = np.bincount(made.together, made.sizes)  # The seen lines of a block and the others are two items.
    assert (blocks > BLOCK / 2).all()
    assert (blocks < 2 * BLOCK).all()


def test_the_default_corpus_supports_claims_about_new_addresses(sotu: Corpus) -> None:
    for name in ("classifier", "lm"):
        made = task_of(name).units(sotu)
        assert made.counted().unit == "address"
        same = {"classifier": "labels", "lm": "texts"}[name]
        expected = f"New items are new addresses of the same {same}: each of the 7 addresses counts as one."
        assert made.new_items == expected
        assert made.counted().strata is not None
    assert task_of("classifier").units(sotu).counted("unseen").unit == "address"
    assert made.counted("obama").unit == "block of 8 KB"
    assert made.finer_parts.startswith("george-h-w-bush, george-w-bush and obama: too few addresses")


def test_lines_of_a_group_come_together_wherever_they_are() -> None:
    lines = (line(4000),) * 8
    corpus = running({"t": lines}, {"t": ("a", "b") * 4})
    assert [of.tolist() for of in Blocks(corpus).of_line.values()] == [[0, 2, 0, 2, 1, 3, 1, 3]]


def test_little_text_makes_short_blocks() -> None:
    made = Blocks(running({"t": (line(100),) * 100}))
    assert made.item == "block of 2 KB"
    assert len(made.sizes) == 5
    assert made.new_items.startswith("New items are new blocks of 2 KB of this text; the corpus does not say")
    tiny = Blocks(running({"t": ("a", "b"), "u": ("c",)}))
    assert (len(tiny.sizes), tiny.item) == (2, "block of 3 bytes")
    assert "of these 2 texts" in tiny.new_items


def test_blocks_of_lines_longer_than_a_block() -> None:
    made = Blocks(running({"t": (line(50_000), line(10), line(20_000))}))
    assert made.of_line["t"].tolist() == sorted(made.of_line["t"].tolist())
    assert (made.sizes > 0).all()


def test_neighbours_that_are_alike_need_long_blocks() -> None:
    """Nats that drift slowly along a text: by lines the standard error is far too small, by blocks it is not."""
    rng = np.random.default_rng(0)
    lines = 4000
    corpus = running({"t": (line(100),) * lines})
    made, errors, means = Blocks(corpus), [], []
    for _ in range(40):
        nats = lfilter([1], [1, -0.95], rng.normal(size=lines)) + rng.normal(size=(4, lines))
        rows = []
        for of_seed in nats:
            table = pa.table(
                {
                    "text": pa.array(["t"] * lines).dictionary_encode(),
                    "line": np.arange(lines),
                    "nats": of_seed.astype(np.float32),
                }
            )
            rows.append(made.counted().means(*made.values(table, NatsPerToken()))[0])
        found = paired(np.array(rows), np.zeros((4, len(rows[0]))), made.sizes, better="lower")
        by_line = paired(nats, np.zeros(nats.shape), better="lower")
        errors.append((found.standard_error, by_line.standard_error))
        means.append(found.mean)
    by_block, by_line_error = np.array(errors, float).mean(axis=0)
    assert by_block == pytest.approx(np.std(means), rel=0.3)
    assert by_line_error < 0.4 * np.std(means)
