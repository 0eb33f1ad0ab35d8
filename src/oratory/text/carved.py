"""A corpus with a dev split that is carved from its train, where it brings none."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from oratory.text.corpus import ClassifierData, Corpus, LanguageData
from oratory.text.dev import carve_numbered, close_to, too_few
from oratory.text.normal import normalise
from oratory.text.numbered import numbered


def with_dev(corpus: Corpus, share: float) -> Corpus:
    """See `Corpus.with_dev`. The texts are read in passes, and none of them is kept."""
    classifier = corpus.classifier if corpus.classifier and corpus.classifier.dev is None else None
    lm = corpus.lm if corpus.lm and corpus.lm.dev is None else None
    labelled = classifier.train.texts if classifier else ()
    running = lm.train if lm else ()
    if not labelled and not running:
        return corpus

    def texts() -> Iterator[str]:
        return map(normalise, chain(labelled, running))

    # The lines of running text are one more label.
    labels = [*(classifier.train.labels if classifier else ()), *[-1] * len(running)]
    numbers = numbered(texts())
    near = close_to(texts(), [normalise(text) for text in corpus.test_lines()])
    groups = _train_groups(classifier, lm)
    carved = carve_numbered(numbers, labels, share, numbers[near], groups, _test_groups(corpus))
    side = np.zeros(len(labels), np.int8)  # 0 stays, 1 is dev, 2 is in no split.
    side[list(carved.dev)], side[list(carved.aside)] = 1, 2
    of_texts, of_lines = side[: len(labelled)], side[len(labelled) :]
    if (len(labelled) and not (of_texts == 1).any()) or (len(running) and not (of_lines == 1).any()):
        raise too_few(len(labels))
    said = carved.sentences(corpus.item, corpus.group, len(np.unique(numbers[list(carved.aside)])))
    changed = replace(corpus, notes=(*corpus.notes, *said))
    if classifier:
        changed = replace(changed, classifier=classifier.pick(*(np.flatnonzero(of_texts == k) for k in range(3))))
    if lm:
        changed = replace(changed, lm=lm.pick(*(np.flatnonzero(of_lines == k) for k in range(3))))
    return replace(changed, source=_carved_source(corpus.source, share), given=corpus.given or corpus)


def _train_groups(classifier: ClassifierData | None, lm: LanguageData | None) -> list[str | None]:
    """The group of every labelled text and every line that a dev is carved from."""
    found: list[str | None] = []
    if classifier:
        found += classifier.train.groups or [None] * len(classifier.train)
    if lm:
        found += lm.groups.get("train", ()) or [None] * len(lm.train)
    return found if any(found) else []


def _test_groups(corpus: Corpus) -> set[str]:
    """The groups of all test texts of both tasks."""
    labelled = corpus.classifier.test.groups if corpus.classifier and corpus.classifier.test else ()
    tests = (corpus.lm.groups.get(name, ()) for name in corpus.lm.tests) if corpus.lm else ()
    return {*labelled, *(group for groups in tests for group in groups)}


def _carved_source(source: str | None, share: float) -> str | None:
    """The text that loads a corpus with the dev split that was carved from it."""
    from oratory.text.load import parse_source

    return None if source is None else str(replace(parse_source(source), carve=share))
