"""Classifiers that anything learned must beat: the majority, a table to look up, and TF-IDF with a linear SVM."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oratory.baselines.hashed import PATTERN, HashedSvm
from oratory.text import Labelled, normalise

LARGE = 16_000_000
"""Characters of train beyond which the n-grams of the SVM are hashed: in memory they take 90 times as much."""


class BaselineClassifier(Protocol):
    """Fitted on labelled texts, it gives each text a label."""

    name: str
    about: str

    def fit(self, train: Labelled) -> None: ...

    def predict(self, split: Labelled) -> NDArray[np.int64]: ...


class Majority:
    """The most frequent label of train, whatever the text; the first one of several."""

    name = "majority"
    about = "always the most frequent label of train"

    def fit(self, train: Labelled) -> None:
        counts = Counter(train.labels)
        self.label = min(counts, key=lambda label: (-counts[label], label))

    def predict(self, split: Labelled) -> NDArray[np.int64]:
        return np.full(len(split), self.label)


class Lookup:
    """The label that a text has in train, after normalising; the majority for a text that train never has.

    What it scores is what memory alone is worth on a test set.
    """

    name = "lookup"
    about = "the label the same text has in train, else the majority"

    def fit(self, train: Labelled) -> None:
        self.majority = Majority()
        self.majority.fit(train)
        pairs = np.stack([_keys(train.texts), np.array(train.labels, np.int64)])
        (keys, labels), counts = np.unique(pairs, axis=1, return_counts=True)
        # Of each text the most frequent label comes first, and of several the smallest.
        order = np.lexsort((labels, -counts, keys))
        self.keys, first = np.unique(keys[order], return_index=True)
        self.labels = labels[order][first]

    def predict(self, split: Labelled) -> NDArray[np.int64]:
        wanted = _keys(split.texts)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[at] == wanted, self.labels[at], self.majority.label)


def _keys(texts: Iterable[str]) -> NDArray[np.int64]:
    """The hash of each normalised text, in place of the text. It is of 64 bits and unlike in every process."""
    return np.fromiter((hash(normalise(text)) for text in texts), np.int64)


class TfidfSvm:
    """Lower-cased words and punctuation marks, one to three in a row, sublinear TF-IDF, and a linear SVM.

    On a large train it is another model, which has another name, so that its figure cannot be taken for this one's.
    """

    name = "tfidf-svm"
    about = "1-3 grams of words and marks, sublinear TF-IDF, linear SVM"

    def fit(self, train: Labelled) -> None:
        if sum(map(len, train.texts)) > LARGE:
            self.pipeline: Any = HashedSvm()
            self.name, self.about = self.pipeline.name, self.pipeline.about
            self.pipeline.fit(train.texts, train.labels)
            return
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline
        from sklearn.svm import LinearSVC

        vectors = TfidfVectorizer(token_pattern=PATTERN, ngram_range=(1, 3), sublinear_tf=True)
        # The solver draws its order of coordinates from a random state; a fixed one makes the baseline repeat.
        self.pipeline = make_pipeline(vectors, LinearSVC(random_state=0))
        self.pipeline.fit(train.texts, train.labels)

    def predict(self, split: Labelled) -> NDArray[np.int64]:
        return np.asarray(self.pipeline.predict(split.texts))


CLASSIFIERS: tuple[Callable[[], BaselineClassifier], ...] = (Majority, Lookup, TfidfSvm)
