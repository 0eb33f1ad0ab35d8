"""Classifiers that anything learned must beat: the majority, a table to look up, and TF-IDF with a linear SVM."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oratory.text import Labelled


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
        labels: dict[str, Counter[int]] = {}
        for text, label in zip(train.normalised, train.labels, strict=True):
            labels.setdefault(text, Counter())[label] += 1
        self.table = {text: min(counts, key=lambda label: (-counts[label], label)) for text, counts in labels.items()}

    def predict(self, split: Labelled) -> NDArray[np.int64]:
        return np.array([self.table.get(text, self.majority.label) for text in split.normalised])


class TfidfSvm:
    """Lower-cased words and punctuation marks, one to three in a row, sublinear TF-IDF, and a linear SVM."""

    name = "tfidf-svm"
    about = "1-3 grams of words and marks, sublinear TF-IDF, linear SVM"

    def fit(self, train: Labelled) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline
        from sklearn.svm import LinearSVC

        pattern = r"\w+|[^\w\s]"
        vectors = TfidfVectorizer(token_pattern=pattern, ngram_range=(1, 3), sublinear_tf=True)
        # The solver draws its order of coordinates from a random state; a fixed one makes the baseline repeat.
        self.pipeline: Any = make_pipeline(vectors, LinearSVC(random_state=0))
        self.pipeline.fit(train.texts, train.labels)

    def predict(self, split: Labelled) -> NDArray[np.int64]:
        return np.asarray(self.pipeline.predict(split.texts))


CLASSIFIERS: tuple[Callable[[], BaselineClassifier], ...] = (Majority, Lookup, TfidfSvm)
