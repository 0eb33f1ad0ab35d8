"""Studies of scale on a small corpus: figures by hand, the same runs again, records, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oratory.api import list_results, load_result, report
from oratory.comparisons import parse_variants
from oratory.comparisons.scales import Scale, ScaleDesign, scale
from oratory.errors import InputError
from oratory.execution.jobs import JobsPlanned, Outcome
from oratory.runs import Store
from oratory.text import Corpus, load_corpus
from oratory.training.tasks import task_of
from tests.execution.training import quick, write_corpus
from tests.execution.workers import here

TINY = {"layers": "1", "width": "8", "context": "4", "tokenizer": "char"}
LENGTH = {"classifier": {"train.epochs": "1"}, "lm": {"train.iterations": "2", "train.eval_every": "2"}}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = quick(tmp_path_factory.mktemp("scales"))
    write_corpus(folder / "corpus")
    return folder


def design(place: Path, task: str = "lm", **changes: Any) -> ScaleDesign:
    given: dict[str, Any] = {
        "task": task_of(task),
        "corpus": load_corpus(place / "corpus"),
        "variants": parse_variants(["base"]),
        "shares": (0.4, 1.0),
        "seeds": (0, 1, 2),
        "settings": TINY | LENGTH[task],
    }
    return ScaleDesign(**given | changes)


@pytest.fixture(scope="module")
def made(place: Path) -> dict[str, Scale]:
    return {task: scale(design(place, task), Store(place / "runs"), here) for task in LENGTH}


def test_every_size_has_the_figures_of_its_runs(made: dict[str, Scale]) -> None:
    found = made["classifier"]
    base = found.to_dict()["curves"][0]
    assert found.store is not None
    for value, runs in zip(base["values"], base["runs"], strict=True):
        scores = [found.store.open(run).result["test"]["accuracy"] for run in runs]
        assert value["mean"] == pytest.approx(np.mean(scores))
    assert {curve.name for curve in found.curves if curve.baseline} == {"majority", "lookup", "tfidf-svm"}
    sizes = [size.size for size in found.sizes]
    assert sizes[0] < sizes[1] == len(load_corpus(found.source or "").need_classifier().train)


def test_language_models_are_compared_over_bytes(made: dict[str, Scale]) -> None:
    found = made["lm"]
    assert found.metric.name == "bits per byte"
    assert found.noun == "words"
    assert any(curve.name.startswith("kneser-ney") for curve in found.curves)


def test_it_is_kept_found_again_and_reported(made: dict[str, Scale], place: Path, tmp_path: Path) -> None:
    for found in made.values():
        json.dumps(found.to_dict(), allow_nan=False)
        assert load_result(found.id, place / "runs").to_dict() == found.to_dict()
        assert found.id in [entry.id for entry in list_results(place / "runs").entries]
    pages = report(made["lm"].id, tmp_path / "all", place / "runs")
    text = next(page for page in pages if page.suffix == ".md").read_text()
    assert "oratory scale base --task lm" in text
    assert any(page.suffix == ".csv" for page in pages)


def test_the_same_study_again_trains_nothing(made: dict[str, Scale], place: Path) -> None:
    ended: list[Outcome] = []

    def listen(event: object) -> None:
        if isinstance(event, Outcome):
            ended.append(event)
        else:
            assert isinstance(event, JobsPlanned)

    again = scale(design(place), Store(place / "runs"), here, listen)
    assert again.id == made["lm"].id
    assert len(ended) == 6
    assert all(outcome.reused for outcome in ended)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"shares": (1.0,)}, "two or more different shares"),
        ({"shares": (1.0, 0.5)}, "the smallest first"),
        ({"shares": (0.5, 1.5)}, "is at most 1"),
        ({"seeds": (1, 1)}, "must be different"),
        ({"metric": "perplexity"}, "different tokenizers cannot be compared"),
        ({"variants": parse_variants(["base", "base"])}, "given twice"),
    ],
)
def test_a_design_that_cannot_be_is_refused(place: Path, changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        design(place, **changes)


def test_parts_that_are_too_small_are_refused(place: Path) -> None:
    with pytest.raises(InputError, match="there is too little text for parts so small"):
        scale(design(place, shares=(0.001, 0.002, 1.0)), Store(place / "runs"), here)
    choosing = TINY | LENGTH["lm"] | {"train.keep": "best"}  # Which takes a dev split.
    with pytest.raises(InputError, match=r"'base' cannot be trained on 0\.01 of train"):
        scale(design(place, shares=(0.01, 1.0), settings=choosing), Store(place / "runs"), here)


def test_a_corpus_that_cannot_be_loaded_again_is_refused(place: Path) -> None:
    given = load_corpus(place / "corpus")
    with pytest.raises(InputError, match="made in Python"):
        design(place, corpus=Corpus("mine", given.classifier, given.lm))
