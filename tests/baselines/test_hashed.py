"""The SVM of a large train: hashed n-grams, learned some texts at a time."""

from pathlib import Path

import numpy as np
import pytest

from oratory.baselines import classifiers, hashed
from oratory.baselines.classifiers import TfidfSvm
from oratory.baselines.hashed import HashedSvm
from oratory.text import ClassifierData, Corpus, load_corpus
from oratory.training.baselines import measure_baselines
from tests.execution.training import write_corpus


def accuracy(svm: TfidfSvm | HashedSvm, data: ClassifierData) -> float:
    assert data.test is not None
    split = data.test if isinstance(svm, TfidfSvm) else data.test.texts
    return float(np.mean(svm.predict(split) == np.array(data.test.labels)))  # type: ignore[arg-type]


def test_it_is_nearly_as_good_as_the_exact_one(sotu: Corpus) -> None:
    data = sotu.need_classifier()
    exact, approximate = TfidfSvm(), HashedSvm()
    exact.fit(data.train)
    approximate.fit(data.train.texts, data.train.labels)
    assert exact.name == "tfidf-svm"
    assert accuracy(approximate, data) == pytest.approx(accuracy(exact, data), abs=0.03)


def test_parts_learn_from_texts_that_are_sorted_by_label(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{word} number {at}" for word in ("peace", "war", "taxes") for at in range(40)]
    labels = [label for label in range(3) for _ in range(40)]
    monkeypatch.setattr(hashed, "PART", 30)  # Ten texts at a time.
    svm = HashedSvm()
    svm.fit(texts, labels)
    assert svm.predict(["about taxes", "no war", "peace and number", "nothing known"])[:3].tolist() == [2, 1, 0]


def test_it_gives_the_same_twice(monkeypatch: pytest.MonkeyPatch, speeches: Corpus) -> None:
    monkeypatch.setattr(classifiers, "LARGE", 1000)
    data = speeches.need_classifier()
    assert data.test is not None
    found = []
    for _ in range(2):
        svm = TfidfSvm()
        svm.fit(data.train)
        found.append(svm.predict(data.test).tolist())
    assert found[0] == found[1]
    assert np.mean(np.array(found[0]) == np.array(data.test.labels)) > 0.8


def test_many_labels_have_fewer_weights_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashed, "WEIGHTS", 12)
    svm = HashedSvm()
    svm.fit([f"label{at} is here" for at in range(40)], list(range(40)))
    assert svm.svm.coef_.size <= 1 << 12


def test_a_large_train_is_said_wherever_the_figure_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    corpus = load_corpus(write_corpus(tmp_path / "corpus"))
    letters = sum(map(len, corpus.need_classifier().train.texts))
    for limit, name in ((letters, "tfidf-svm"), (letters - 1, "tfidf-svm-hashed")):
        monkeypatch.setattr(classifiers, "LARGE", limit)
        found = measure_baselines(corpus, keep=tmp_path / name)
        again = measure_baselines(corpus, keep=tmp_path / name)  # As it was kept.
        for measured in (found, again):
            assert list(measured.classifier) == ["majority", "lookup", name]
            table = measured.tables()[0]
            assert [row[0] for row in table.rows] == list(measured.classifier)
            assert ("n-grams are hashed" in table.note) == (name == "tfidf-svm-hashed")
            about = measured.to_dict()["classifier"][name]["about"]
            assert ("stochastic gradient descent" in about) == (name == "tfidf-svm-hashed")


def test_labels_of_one_part_only_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashed, "PART", 4)
    svm = HashedSvm()
    svm.fit(["a b", "c d", "e f", "a b", "c d", "x y"], [0, 1, 0, 0, 1, 2])
    assert set(svm.predict(["a b", "c d", "x y"]).tolist()) <= {0, 1, 2}
