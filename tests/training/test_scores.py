"""Figures of a classifier beside scikit-learn's."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss, precision_recall_fscore_support

from oratory.training.tasks.classifier.scores import ClassifierScores
from oratory.training.tasks.labelled import SplitScores

NAMES = ("a", "b", "c")


def made(items: int = 200, seed: int = 0) -> SplitScores:
    generator = np.random.default_rng(seed)
    probabilities = generator.dirichlet([1, 1, 1], items).astype(np.float32)
    labels = generator.integers(0, 3, items)
    return SplitScores(labels, probabilities, generator.random(items) < 0.3)


def test_figures_are_those_of_scikit_learn() -> None:
    split = made()
    facts = split.to_dict(NAMES)
    predicted = split.probabilities.argmax(1)
    assert facts["accuracy"] == accuracy_score(split.labels, predicted)
    exact = split.probabilities.astype(float)
    assert facts["loss"] == pytest.approx(log_loss(split.labels, exact / exact.sum(1, keepdims=True)), abs=1e-5)
    assert facts["confusion"] == confusion_matrix(split.labels, predicted).tolist()
    theirs = precision_recall_fscore_support(split.labels, predicted)
    for index, name in enumerate(NAMES):
        ours = facts["per_class"][name]
        for figure, column in (("precision", 0), ("recall", 1), ("f1", 2), ("items", 3)):
            assert ours[figure] == pytest.approx(theirs[column][index])


def test_seen_and_unseen_add_up() -> None:
    split = made()
    assert split.seen is not None
    facts = split.to_dict(NAMES)
    seen = facts["items_seen"]
    total = facts["accuracy_seen"] * seen + facts["accuracy_unseen"] * (200 - seen)
    assert total == pytest.approx(200 * facts["accuracy"])


def test_what_is_in_dev_is_named_apart() -> None:
    split = made()
    assert "items_in_dev" not in split.to_dict(NAMES)
    assert "items_in_dev" not in replace(split, in_dev=np.zeros(200, bool)).to_dict(NAMES)
    in_dev = np.arange(200) < 10
    facts = replace(split, in_dev=in_dev).to_dict(NAMES)
    assert facts["items_in_dev"] == 10
    assert facts["accuracy_in_dev"] == split.correct[:10].mean()
    assert facts["accuracy_unseen"] == split.to_dict(NAMES)["accuracy_unseen"]


def test_a_sure_and_right_model_is_calibrated() -> None:
    sure = np.eye(3, dtype=np.float32)[[0, 1, 2, 1]]
    assert SplitScores(np.array([0, 1, 2, 1]), sure).calibration_error() == 0
    assert SplitScores(np.array([1, 2, 0, 0]), sure).calibration_error() == 1


def test_calibration_by_hand() -> None:
    probabilities = np.array([[0.9, 0.1], [0.92, 0.08], [0.55, 0.45], [0.45, 0.55]], np.float32)
    split = SplitScores(np.array([0, 1, 0, 1]), probabilities)
    # Bins of a fifteenth: 0.9 and 0.92 share one (one of two right), 0.55 twice share another (both right).
    expected = (2 * abs(0.91 - 0.5) + 2 * abs(0.55 - 1.0)) / 4
    assert split.calibration_error() == pytest.approx(expected, abs=1e-6)


def test_what_is_not_there_is_none() -> None:
    split = SplitScores(np.array([0, 0]), np.array([[1, 0, 0], [1, 0, 0]], np.float32), np.array([True, True]))
    facts = split.to_dict(NAMES)
    assert facts["accuracy_unseen"] is None
    assert facts["per_class"]["b"] == {"items": 0, "precision": None, "recall": None, "f1": None}


def test_a_label_without_probability_has_a_finite_loss() -> None:
    split = SplitScores(np.array([1]), np.array([[1, 0]], np.float32))
    assert np.isfinite(split.loss)


def test_dev_is_judged_by_accuracy_and_then_by_loss() -> None:
    better = SplitScores(np.array([0]), np.array([[0.9, 0.1]], np.float32))
    worse = SplitScores(np.array([0]), np.array([[0.6, 0.4]], np.float32))
    wrong = SplitScores(np.array([0]), np.array([[0.4, 0.6]], np.float32))
    ranked = [ClassifierScores(("a", "b"), {"dev": split}).on_dev for split in (better, worse, wrong)]
    assert ranked == sorted(ranked, reverse=True)  # type: ignore[type-var]
    assert ClassifierScores(("a", "b"), {"test": better}).on_dev is None


def test_where_there_is_dev_test_is_not_told_on_the_way() -> None:
    splits = {"train": made(seed=0), "dev": made(seed=1), "test": made(seed=2)}
    assert "test" not in ClassifierScores(NAMES, splits).described(1, 0.05, "")
    del splits["dev"]
    assert "test" in ClassifierScores(NAMES, splits).described(1, 0.05, "")
