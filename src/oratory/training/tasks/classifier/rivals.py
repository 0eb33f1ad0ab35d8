"""The linear SVM of n-grams as a classifier whose prediction of every text of test is known."""

import numpy as np
import pyarrow as pa

from oratory.baselines.classifiers import TfidfSvm
from oratory.text import Corpus


def rivals(corpus: Corpus, items: pa.Table) -> dict[str, pa.Table]:
    """What the SVM gets right, in place of what a run does."""
    data, svm = corpus.need_classifier(), TfidfSvm()
    assert data.test is not None
    svm.fit(data.train)
    test = np.array(items["split"]) == "test"
    labels, guessed = items["label"].to_numpy(), items["predicted"].to_numpy().copy()
    guessed[test] = svm.predict(data.test)
    for name, column in {"predicted": guessed, "correct": guessed == labels}.items():
        items = items.set_column(items.column_names.index(name), name, pa.array(column))
    # It has no probabilities, and what is read from them must not be that of the run.
    return {svm.name: items.drop_columns(["nats", "probabilities"])}
