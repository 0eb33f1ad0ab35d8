"""TF-IDF and a linear SVM for texts whose n-grams do not fit in memory.

Words are numbered, and an n-gram is a number by a hash of these (Weinberger et al., 2009), so that a few million
weights are enough for any text; two n-grams may share one. The SVM is learned by stochastic gradient descent with
averaging, some texts at a time, in place of the exact solution. A part has texts from the whole of train, which may be
sorted by label.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.text.overlap import Numbering, Words, ngrams

PATTERN = r"\w+|[^\w\s]"
"""A word, or a punctuation mark."""
LONGEST = 3
"""Words in an n-gram at the most."""
FEATURES = 22
"""Bits of the hash."""
WEIGHTS = 26
"""Bits of the number of weights: with many labels, each has fewer."""
PART = 1_000_000
"""Words of the texts that are learned from at once."""
EPOCHS = 5


class HashedSvm:
    """Hashed n-grams, sublinear TF-IDF, a linear SVM."""

    name = "tfidf-svm-hashed"
    about = (
        "1-3 grams of words and marks, sublinear TF-IDF, linear SVM; as train is large, n-grams are hashed and the SVM "
        f"is learned in {EPOCHS} passes of stochastic gradient descent"
    )

    def fit(self, texts: Iterable[str], labels: Sequence[int]) -> None:
        from sklearn.linear_model import SGDClassifier

        self.numbering, self.target = Numbering(), np.array(labels)
        classes = np.unique(self.target)
        self.features = 1 << min(FEATURES, WEIGHTS - (len(classes) - 1).bit_length())
        words = self._words(texts)
        frequency = np.zeros(self.features, np.int64)
        for items in self._parts(words):
            frequency += np.bincount(self._counts(words.pick(items)).indices, minlength=self.features)
        self.weights = np.log((1 + len(words)) / (1 + frequency)) + 1
        # The loss and the strength of LinearSVC with C = 1.
        self.svm: Any = SGDClassifier(
            loss="squared_hinge",
            alpha=1 / len(words),
            learning_rate="invscaling",
            eta0=1.0,
            power_t=0.25,
            average=True,
            random_state=0,
        )
        for _ in range(EPOCHS):
            for items in self._parts(words):
                self.svm.partial_fit(self._vectors(words.pick(items)), self.target[items], classes)

    def predict(self, texts: Iterable[str]) -> NDArray[np.int64]:
        words = self._words(texts)
        found = np.zeros(len(words), np.int64)
        for items in self._parts(words):
            found[items] = self.svm.predict(self._vectors(words.pick(items)))
        return found

    def _words(self, texts: Iterable[str]) -> Words:
        pattern = re.compile(PATTERN)
        return self.numbering.words(" ".join(pattern.findall(text.lower())) for text in texts)

    @staticmethod
    def _parts(words: Words) -> Iterator[NDArray[np.int64]]:
        """Every k-th text, from the first ones on, so that a part has about so many words."""
        count = max(1, -(-int(words.starts[-1]) // PART))
        return (np.arange(first, len(words), count) for first in range(min(count, len(words))))

    def _counts(self, words: Words) -> Any:
        """How often each text has each n-gram."""
        from scipy.sparse import csr_array

        hashes, owners = zip(*(ngrams(words, n) for n in range(1, LONGEST + 1)), strict=True)
        columns = (np.concatenate(hashes) & np.uint64(self.features - 1)).astype(np.int32)
        rows = np.concatenate(owners).astype(np.int32)
        shape = (len(words), self.features)
        counts = csr_array((np.ones(len(rows), np.float64), (rows, columns)), shape=shape)
        counts.sum_duplicates()
        return counts

    def _vectors(self, words: Words) -> Any:
        """The same as TF-IDF, each text of length one."""
        from sklearn.preprocessing import normalize

        counts = self._counts(words)
        counts.data = (1 + np.log(counts.data)) * self.weights[counts.indices]
        return normalize(counts, copy=False)
