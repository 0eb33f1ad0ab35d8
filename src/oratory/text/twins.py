"""Which held-out texts stand in train, with the place where they stand: what the audit counts, one by one."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from oratory.errors import unknown
from oratory.text.corpus import Corpus, Labelled
from oratory.text.normal import normalise
from oratory.text.overlap import NEAR, Index, Numbering


@dataclass(frozen=True)
class Twin:
    """A held-out text, and the text of train that is the same, or almost the same."""

    item: int
    """Its place in the held-out split."""
    text: str
    label: str | None
    other: int | None
    """The place of its twin in train; None where a carved dev left the twin in no split."""
    twin: str
    twin_label: str | None
    jaccard: float
    """Of word triples: 1 for texts that are the same after normalising."""
    times: int
    """How often train has it."""

    @property
    def exact(self) -> bool:
        return normalise(self.text) == normalise(self.twin)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "exact": self.exact}


@dataclass(frozen=True)
class Twins:
    """All held-out texts that train has, or almost has; in the order of the split."""

    held: str
    items: int
    found: tuple[Twin, ...]

    @property
    def exact(self) -> int:
        return sum(twin.exact for twin in self.found)


@dataclass(frozen=True)
class _Side:
    texts: Sequence[str]
    labels: Sequence[str | None]


def held_out(corpus: Corpus) -> list[str]:
    """What can be looked at, by name: test and dev of the labelled texts, and the test texts of a language model."""
    labelled = [name for name, _ in corpus.classifier.splits() if name != "train"] if corpus.classifier else []
    return [*reversed(labelled), *(f"text {name}" for name in (corpus.lm.tests if corpus.lm else ()))]


def twins_of(corpus: Corpus, held: str = "test", near: float = NEAR) -> Twins:
    """The texts of a split that stand in train, and those that almost do."""
    if held not in held_out(corpus):
        raise unknown("held-out split", held, held_out(corpus))
    own, train, aside = _sides(corpus, held)
    normal = [normalise(text) for text in train.texts]
    places: dict[str, list[int]] = {}
    for place, text in enumerate([*normal, *map(normalise, aside)]):
        places.setdefault(text, []).append(place)
    everything = _Side([*train.texts, *aside], [*train.labels, *[None] * len(aside)])
    found, left = [], []
    for item, text in enumerate(own.texts):
        at = places.get(normalise(text))
        if at is None:
            left.append(item)
        else:
            same = next((place for place in at if everything.labels[place] == own.labels[item]), at[0])
            found.append(_twin(own, item, everything, same, len(train.texts), 1.0, len(at)))
    found += _near(own, left, train, normal, near)
    return Twins(held, len(own.texts), tuple(sorted(found, key=lambda twin: twin.item)))


def _near(own: _Side, left: list[int], train: _Side, normal: list[str], near: float) -> list[Twin]:
    if not left or not normal:
        return []
    numbering = Numbering()
    index = Index(numbering.words(normal))
    pairs = index.near_duplicates(numbering.words([normalise(own.texts[item]) for item in left]), near)
    return [
        _twin(own, left[pair.item], train, pair.other, len(train.texts), round(pair.jaccard, 4), 1) for pair in pairs
    ]


def _twin(own: _Side, item: int, train: _Side, place: int, of_train: int, jaccard: float, times: int) -> Twin:
    other = place if place < of_train else None
    return Twin(
        item, own.texts[item], own.labels[item], other, train.texts[place], train.labels[place], float(jaccard), times
    )


def _sides(corpus: Corpus, held: str) -> tuple[_Side, _Side, Sequence[str]]:
    """The held-out texts, those of train, and those that are in no split any more."""
    if held.startswith("text ") and corpus.lm:
        lines, train = corpus.lm.tests[held.removeprefix("text ")], corpus.lm.train
        return _Side(lines, [None] * len(lines)), _Side(train, [None] * len(train)), corpus.lm.aside
    data = corpus.need_classifier()
    splits = dict(data.splits())

    def side(split: Labelled) -> _Side:
        return _Side(split.texts, list(np.array(data.label_names, object)[list(split.labels)]))

    return side(splits[held]), side(data.train), data.aside
