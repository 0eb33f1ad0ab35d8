"""Searches and comparisons that fine-tune a published model: chosen on dev, and reported."""

import json
from pathlib import Path

import pytest

from oratory.api import compare, report, search
from oratory.cli import build
from oratory.errors import InputError
from oratory.runs import Store
from oratory.searches.make import load_search

pytestmark = pytest.mark.usefixtures("in_this_process")

SMALL = {
    "context": "12",
    "pool": "mean",
    "dropout": "0",
    "train.iterations": "15",
    "train.keep": "best",
    "train.threads": "1",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


def words(bert: Path, reviews: Path, runs: Path) -> list[str]:
    shared = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]
    return ["--model", str(bert), "--data", str(reviews), "--runs", str(runs), *shared]


def oratory(*arguments: str) -> None:
    build()(list(arguments), standalone_mode=False)


def test_the_best_rate_is_chosen_on_dev(bert: Path, reviews: Path, runs: Path, tmp_path: Path) -> None:
    settings = SMALL | {"model": str(bert)}
    found = search("train.lr=1e-5,5e-3", corpus=reviews, method="grid", seeds=2, settings=settings, runs=runs)
    store = Store(runs)
    for trial in found.trials:
        results = [store.open(run).result for run in trial.runs]
        assert trial.values == tuple(result["dev"]["accuracy"] for result in results)
    assert found.best.settings == {"train.lr": "5e-3"}
    assert found.best.mean == max(trial.mean or 0 for trial in found.trials) > 0.5
    assert found.test is not None
    assert found.carving
    assert load_search(found.id, store) == found
    report(found, tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text().replace("\\", "")
    assert f"oratory finetune {bert} context=12" in text
    assert "oratory search train.lr=1e-5,5e-3 --task classifier --method grid" in text
    assert f"--model {bert}" in text


def test_a_search_of_the_command_line(
    bert: Path, reviews: Path, runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    space = ("train.lr=1e-5,5e-3", "--method", "grid", "--seeds", "1")
    oratory("search", *space, *words(bert, reviews, runs), "--report", str(tmp_path / "search.html"), "--json")
    found = json.loads(capsys.readouterr().out)
    assert [trial["settings"]["train.lr"] for trial in found["trials"]] == ["1e-5", "5e-3"]
    assert found["best"]["settings"] == {"train.lr": "5e-3"}
    assert load_search(found["search"], Store(runs)).to_dict() == found
    assert f"oratory finetune {bert}" in (tmp_path / "search.html").read_text()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["train.lr=1e-4,1e-3", "--task", "lm"], "can be fine-tuned as a classifier, not as lm"),
        (["layers=1,2"], "layers is that of the published model and cannot be chosen: leave it out"),
        (["train.lr=1e-4,1e-3", "--set", "heads=2"], "heads is that of the published model and cannot be chosen"),
        (["freeze=all,some"], "freeze=some: it must be none, embeddings, all, or a number of lower layers"),
    ],
)
def test_what_cannot_be_searched(bert: Path, reviews: Path, tmp_path: Path, given: list[str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        oratory("search", *given, *words(bert, reviews, tmp_path / "runs"))
    assert not (tmp_path / "runs").exists()


def test_a_model_that_does_not_fit_is_found_before_training(bert: Path, reviews: Path, tmp_path: Path) -> None:
    for name, sentence in ((str(bert), "context=99 is too long"), ("no such model", "There is no folder")):
        settings = {"model": name, "context": "99"}
        with pytest.raises(InputError, match=sentence):
            search("train.lr=1e-4,1e-3", corpus=reviews, settings=settings, runs=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_optimisers_have_curves(bert: Path, reviews: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.md"
    variants = ("optimizer=adamw", "optimizer=sgd")
    oratory("compare", *variants, "--seeds", "1", *words(bert, reviews, tmp_path / "runs"), "--report", str(out))
    text = out.read_text()
    assert "Learning curves" in text
    command = text.replace("\\", "")
    assert "oratory compare optimizer=adamw optimizer=sgd --task classifier --seeds 0, --model" in command
    assert f"--data {reviews}" in command
    assert "Test is measured once, at the end." in text
    drawn = sorted(path.stem for path in (tmp_path / "report-figures").glob("curves-*.svg"))
    assert [name.rsplit("-compare", 1)[0] for name in drawn] == [
        f"curves-{split}-{figure}" for split in ("dev", "train") for figure in ("accuracy", "nats")
    ]
    for name in drawn:
        picture = (tmp_path / "report-figures" / f"{name}.svg").read_text()
        assert all(variant in picture for variant in variants)


def test_train_is_not_drawn_where_it_is_not_measured(
    bert: Path, reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oratory.training.origins.published.model._minilm", lambda: bert)
    settings = SMALL | {"model": "minilm", "train.eval_train": "off", "train.iterations": "2"}
    compared = compare("base", "freeze=all", corpus=reviews, seeds=1, settings=settings, runs=tmp_path / "runs")
    assert set(compared.baselines) == {"majority", "lookup", "tfidf-svm"}
    report(compared, tmp_path / "report.md")
    drawn = {path.stem.rsplit("-compare", 1)[0] for path in (tmp_path / "report-figures").glob("curves-*.svg")}
    assert drawn == {"curves-dev-accuracy", "curves-dev-nats"}
