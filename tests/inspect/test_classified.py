"""The recorded items of a classifier, with their texts."""

import shutil
from pathlib import Path

import pytest

import oratory as ora
from oratory.errors import InputError
from oratory.inspect.classified import classified, splits_of
from oratory.runs import Run
from oratory.text import load_corpus
from tests.execution.training import CLASSIFIER, write_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("data") / "corpus")


@pytest.fixture(scope="module")
def run(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return ora.train("classifier", corpus, CLASSIFIER, 1, runs=tmp_path_factory.mktemp("runs"))


def test_items_are_the_recorded_ones_with_the_texts_that_the_model_saw(run: Run, corpus: Path) -> None:
    loaded = load_corpus(corpus)
    assert splits_of(run) == ["test", "dev"]
    for split in splits_of(run):
        found = classified(run, loaded, split)
        facts = run.result[split]
        assert found.confusion == [list(row) for row in facts["confusion"]]
        assert found.to_dict()["calibration_error"] == pytest.approx(facts["calibration_error"])
        for item in found.items:
            [scored] = run.score(item.text)
            assert (scored.label, max(scored.probabilities.values())) == (
                item.predicted,
                pytest.approx(item.confidence, abs=1e-5),
            )


def test_cells_hold_every_item_once(run: Run, corpus: Path) -> None:
    found = classified(run, load_corpus(corpus))
    cells = [item for label in run.labels for said in run.labels for item in found.cell(label, said)]
    assert sorted(item.item for item in cells) == [0, 1, 2]
    assert [item.seen for item in sorted(cells, key=lambda item: item.item)] == [True, False, False]
    first = found.items[0]
    assert first in found.cell(first.label, first.predicted, seen=True)
    assert first not in found.cell(first.label, first.predicted, seen=False)
    with pytest.raises(InputError, match="label 'x'"):
        found.cell("x", "0")


def test_another_corpus_is_refused(run: Run, corpus: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(corpus, other)
    (other / "test_CLS.tsv").write_text("0\tAnother text.\n1\tAnd one more.\n")
    with pytest.raises(InputError, match="no longer the one"):
        classified(run, load_corpus(other))
    with pytest.raises(InputError, match="split 'train'"):
        classified(run, load_corpus(corpus), "train")
