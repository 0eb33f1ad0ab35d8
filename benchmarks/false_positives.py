"""How often a comparison sees a difference where there is none, beside the tests that leave out items or seeds.

Real 0/1 scores: linear classifiers on TF-IDF of the State of the Union addresses, many seeds each. *calm*: a seed is an
order of training; *resampled*: it also draws the training sentences; *restless*: the steps are too long to settle.
*new items*: the crossed model, fitted to two of these variants, draws the items too. *worst*: the highest rate of each
test over crossed models with weak to strong effects of seeds and items.
"""

from itertools import product
from typing import Any

import numpy as np

from oratory.statistics.calibration import (
    Effects,
    FalsePositives,
    fit_effects,
    simulate_crossed,
    simulate_false_positives,
)
from oratory.statistics.crossed import Array
from oratory.tables import Table, number, percent
from oratory.text import Corpus, load_corpus

POOL = 60
SEEDS = (2, 3, 5, 10, 20)
TRIALS = 4000
RESTLESS: dict[str, Any] = {"learning_rate": "constant", "eta0": 1.0, "alpha": 1e-3}


def correctness(
    corpus: Corpus, seeds: int = POOL, resample: bool = False, words: tuple[int, int] = (1, 1), **options: Any
) -> Array:
    """Seeds x test items: 1 where the classifier of that seed is right."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import SGDClassifier

    data = corpus.need_classifier()
    assert data.test is not None
    vectors = TfidfVectorizer(sublinear_tf=True, ngram_range=words)
    train, test = vectors.fit_transform(data.train.texts), vectors.transform(data.test.texts)
    labels, truth = np.array(data.train.labels), np.array(data.test.labels)
    right = []
    for seed in range(seeds):
        size = len(labels)
        chosen = np.random.default_rng(seed).integers(0, size, size) if resample else np.arange(size)
        model = SGDClassifier(random_state=seed, max_iter=3, tol=None, **options).fit(train[chosen], labels[chosen])
        right.append(model.predict(test) == truth)
    return np.array(right, dtype=np.float64)


def measure() -> Table:
    corpus = load_corpus("sotu")
    resampled = correctness(corpus, resample=True)
    worlds = {
        "calm": correctness(corpus),
        "resampled": resampled,
        "restless": correctness(corpus, **RESTLESS),
    }
    effects = fit_effects(correctness(corpus, resample=True, words=(1, 2)) - resampled)
    rng = np.random.default_rng(0)
    rows = []
    for name, matrix in worlds.items():
        rows += [_row(name, seeds, simulate_false_positives(matrix, seeds, TRIALS, rng)) for seeds in SEEDS]
    items = resampled.shape[1]
    rows += [_row("new items", seeds, simulate_crossed(effects, seeds, items, TRIALS, rng)) for seeds in SEEDS]
    rows += [_row("worst", seeds, _worst(seeds, rng)) for seeds in SEEDS]
    columns = ("scores", "seeds", "crossed", "seeds only", "items only")
    return Table(f"False positives in % at a nominal 5% ({TRIALS:,} comparisons each)", columns, tuple(rows))


def _worst(seeds: int, rng: np.random.Generator, items: int = 200) -> FalsePositives:
    """Effects in multiples of what the residual alone gives the means of seeds and of items."""
    grid = [Effects(of_seeds / items, of_items / seeds, 1.0) for of_seeds, of_items in product((0, 4, 60), (4, 15))]
    found = [simulate_crossed(effects, seeds, items, TRIALS, rng) for effects in grid]
    ours, seeds_only, items_only = (
        max(getattr(one, name) for one in found) for name in ("crossed", "seeds_only", "items_only")
    )
    return FalsePositives(ours, seeds_only, items_only, TRIALS)


def _row(name: str, seeds: int, found: FalsePositives) -> tuple[str, ...]:
    return (name, number(seeds), *(percent(rate) for rate in (found.crossed, found.seeds_only, found.items_only)))
