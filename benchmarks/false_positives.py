"""A variant against itself, with other seeds: about 1 in 20 comparisons may show a difference.

*classifier, language model*: tiny transformers on a part of the State of the Union addresses, 5 seeds against 5 others,
20 times over; no run is used twice. The others are linear classifiers on TF-IDF of the addresses, 60 seeds each.
*calm*: a seed is an order of training; *resampled*: it also draws the training sentences; *restless*: the steps are too
long to settle. As in every comparison on this corpus, each address counts as one, within its speaker.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from oratory.comparisons.calibration import calibrate_runs
from oratory.execution.train import train
from oratory.runs import Store
from oratory.statistics.calibration import same_variant
from oratory.statistics.crossed import Array, Strata
from oratory.statistics.rates import Calibration, Row
from oratory.tables import Table
from oratory.text import Corpus, load_corpus
from oratory.training.tasks.classifier.units import LabelledUnits

POOL = 60
SEEDS = (3, 5, 10)
COMPARISONS = 20
RESTLESS: dict[str, Any] = {"learning_rate": "constant", "eta0": 1.0, "alpha": 1e-3}
TINY: dict[str, dict[str, Any]] = {
    "classifier": {"layers": 1, "width": 16, "context": 32, "train.epochs": 5, "train.batch": 64, "train.lr": 3e-3},
    "lm": {
        "layers": 1,
        "width": 16,
        "context": 32,
        "tokenizer": "word(min_count=4)",
        "train.iterations": 40,
        "train.eval_every": 40,
        "train.eval_train": "off",
        "train.stride": 32,
        "train.lr": 1e-2,
    },
}
SMALL = "sotu(presidents=washington+madison)"


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


def transformers(task: str, folder: Path, comparisons: int = COMPARISONS, seeds: int = 5) -> Row:
    """Tiny models of one variant, trained here, each in one comparison only."""
    corpus = load_corpus(SMALL)
    for seed in range(2 * seeds * comparisons):
        run = train(task, corpus, TINY[task], seed, runs=folder)
    [row] = calibrate_runs(Store(folder), run.id, seeds, 2000, 0).rows
    return replace(row, scores=str(run.task))


def by_address(corpus: Corpus, right: Array) -> tuple[Array, Array, Strata | None]:
    """Seeds x addresses: the share that is right, with the weight and the speaker of each address."""
    counted = LabelledUnits(corpus, "test").counted()
    means = [counted.means(row, np.ones(len(row))) for row in right]
    return np.array([mean for mean, _ in means]), means[0][1], counted.strata


def measure() -> Table:
    with TemporaryDirectory() as folder:
        rows = [transformers(task, Path(folder)) for task in TINY]
    corpus = load_corpus("sotu")
    worlds = {
        "calm": correctness(corpus),
        "resampled": correctness(corpus, resample=True),
        "restless": correctness(corpus, **RESTLESS),
    }
    for name, right in worlds.items():
        matrix, weights, strata = by_address(corpus, right)
        rows += [same_variant(name, matrix, weights, seeds, strata=strata) for seeds in SEEDS]
    note = "Separate sets use every run once; random splits share runs and are not independent."
    return Calibration("False verdicts in %: a variant against itself", tuple(rows), 0, note).tables()[0]
