"""What is worked on: a made-up corpus of the size of a course's speeches, so that every machine has the same work."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np

from oratory.batches import Batch, Order, WindowItems
from oratory.text import Corpus
from oratory.text.corpus import ClassifierData, Labelled, LanguageData
from oratory.training.origins import prepare
from oratory.training.prepared import Prepared
from oratory.training.running_text.learning import TextLearning
from oratory.training.tasks.task import Learning

WORDS = 5753
"""With the tokens for padding and for unknown words this is a vocabulary of 5,755."""
TRAIN, TEST = 2100, 750
"""Sentences."""
LABELS = ("a", "b", "c")
ENDLESS = {"train.iterations": "1000000", "train.eval_every": "1000000"}
"""Settings of a training that is timed before it ends."""


@lru_cache(maxsize=1)
def corpus(sentences: int = TEST) -> Corpus:
    """Sentences of 19 words on average, whose frequencies fall as in English; every word is in train."""
    chance = np.random.default_rng(0)
    lengths = np.clip(chance.gamma(3.0, 19 / 3.0, TRAIN + sentences), 3, 60).astype(int)
    frequency = 1 / np.arange(1, WORDS + 1)
    drawn = chance.choice(WORDS, lengths.sum(), p=frequency / frequency.sum())
    drawn[chance.permutation(lengths[:TRAIN].sum())[:WORDS]] = np.arange(WORDS)
    words = np.array([f"w{number}" for number in range(WORDS)])[drawn]
    texts = [" ".join(part) for part in np.split(words, lengths.cumsum()[:-1])]
    labels = [int(label) for label in chance.integers(0, len(LABELS), len(texts))]
    train, test = (Labelled(tuple(texts[part]), tuple(labels[part])) for part in (slice(TRAIN), slice(TRAIN, None)))
    return Corpus(
        name="bench",
        classifier=ClassifierData(LABELS, train, test=test),
        lm=LanguageData(train.texts, tests={"test": test.texts}),
    )


def prepared(task: str, settings: Mapping[str, str], sentences: int = TEST) -> tuple[Prepared, Learning]:
    """A training on that corpus, and what it learns from."""
    made = prepare(task, corpus(sentences), settings)
    return made, made.task.learning(made)


def batches(task: str, settings: Mapping[str, str]) -> tuple[Any, Iterator[Batch]]:
    """The configuration of the model, and the batches of our training one after the other, for a peer."""
    made, learning = prepared(task, settings)
    order = Order(len(learning.items), made.training.batch, made.seed)
    return made.config, (learning.items_of(0).batch(order.of_step(step)) for step in count())


def length_of_run(task: str, settings: Mapping[str, str]) -> tuple[int, int]:
    """The updates of a whole training, and after how many of them it measures."""
    made, learning = prepared(task, settings)
    training, steps = made.training, Order(len(learning.items), made.training.batch, made.seed).steps
    return training.iterations or steps * (training.epochs or 1), training.eval_every or steps


def asked(task: str, settings: Mapping[str, str], sentences: int) -> tuple[Any, list[Batch]]:
    """The configuration of the model, and so many sentences of test in batches for a peer."""
    made, learning = prepared(task, settings, sentences)
    return made.config, _in_batches(learning.splits["test"], made.training.batch)  # type: ignore[attr-defined]


def _in_batches(items: Any, size: int) -> list[Batch]:
    return [items.batch(np.arange(at, min(at + size, len(items)))) for at in range(0, len(items), size)]


def scored(task: str, settings: Mapping[str, str]) -> tuple[Any, list[Batch]]:
    """The configuration of the model, and every token or label of train and test once, in batches for a peer."""
    made, learning = prepared(task, settings)
    size, config = made.training.batch, made.config
    if not isinstance(learning, TextLearning):
        parts = learning.splits.values()  # type: ignore[attr-defined]
        return config, [batch for items in parts for batch in _in_batches(items, size)]
    found: list[Batch] = []
    for text in learning.encoded.values():
        whole = WindowItems(text.ids, config.context)
        starts = np.arange(0, len(whole), config.context)
        found += [whole.batch(starts[at : at + size]) for at in range(0, len(starts), size)]
    return config, found
