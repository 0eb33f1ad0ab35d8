"""The texts of train that are most like a text: what a classifier may have learned it from."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from oratory.baselines.hashed import PATTERN
from oratory.text import ClassifierData, normalise

SHOWN = 5


@dataclass(frozen=True)
class Neighbour:
    """A text of train, and how much it is like the one that was asked for."""

    place: int
    """In train."""
    text: str
    label: str
    likeness: float
    """The cosine of their vectors: 1 for the same words, 0 for none in common."""
    same: bool
    """Whether the two are the same after normalising."""


@dataclass(frozen=True)
class Nearest:
    """The nearest texts of train, and whether train has the very text."""

    seen: bool
    """As every evaluation counts it: the normalised text is in train as it was given."""
    neighbours: tuple[Neighbour, ...]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class NearestTexts:
    """Words and pairs of words of train, lower-cased, weighted by sublinear TF-IDF and compared by their cosine."""

    def __init__(self, data: ClassifierData) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._data = data
        self._known = frozenset((*data.train.normalised, *map(normalise, data.aside)))
        self._vectors = TfidfVectorizer(token_pattern=PATTERN, ngram_range=(1, 2), sublinear_tf=True)
        self._train: Any = self._vectors.fit_transform(data.train.texts)

    def of(self, text: str, count: int = SHOWN) -> Nearest:
        """The nearest ones, the most alike first; texts that share nothing are left out."""
        train, names = self._data.train, self._data.label_names
        normal = normalise(text)
        likeness = np.asarray((self._train @ self._vectors.transform([text]).T).todense()).ravel()
        same = np.array([other == normal for other in train.normalised])
        order = np.lexsort((np.arange(len(likeness)), -likeness, ~same))[:count]
        found = tuple(
            Neighbour(int(at), train.texts[at], names[train.labels[at]], float(min(1.0, likeness[at])), bool(same[at]))
            for at in order
            if likeness[at] > 0 or same[at]
        )
        return Nearest(normal in self._known, found)
