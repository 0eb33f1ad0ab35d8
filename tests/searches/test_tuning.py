"""Variants at what is best for each of them: chosen on dev with other seeds, and shown beside what was given."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from oratory.api import compare
from oratory.cli import build
from oratory.comparisons import Comparison, Design, load_comparison, parse_variants
from oratory.errors import InputError
from oratory.reports.command import command_of
from oratory.runs import Store
from oratory.searches.make import load_search
from oratory.searches.tuning import FIRST_SEED, TRIALS, Tuning
from oratory.text import Corpus, load_corpus
from oratory.training.tasks import task_of
from tests.searches.searching import LM, write_corpus

pytestmark = pytest.mark.usefixtures("in_this_process")

RATES = "train.lr=1e-5,1e-2"
OPTIMIZERS = ("optimizer=adamw", "optimizer=sgd")
SHARED = [word for name, value in LM.items() for word in ("--set", f"{name}={value}")]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def corpus(data: Path) -> Corpus:
    return load_corpus(data)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


def tuned(data: Path, runs: Path, *variants: str, space: str = RATES, **settings: str) -> Comparison:
    given = LM | {key.replace("__", "."): value for key, value in settings.items()}
    return compare(*variants, task="lm", corpus=data, seeds=2, settings=given, runs=runs, tune=[space], tune_seeds=1)


def test_each_stands_at_its_own_best_and_as_it_was_given(data: Path, runs: Path) -> None:
    found = tuned(data, runs, *OPTIMIZERS)
    assert [variant.name for variant in found.variants[2:]] == [*OPTIMIZERS]
    store = Store(runs)
    for given, variant in zip(OPTIMIZERS, found.variants, strict=False):
        assert variant.search is not None
        search = load_search(variant.search, store)
        means: dict[str, Any] = {trial.settings["train.lr"]: trial.mean for trial in search.trials}
        best = min(means, key=lambda rate: means[rate])
        assert list(means) == ["1e-5", "1e-2"]
        assert search.seeds == (FIRST_SEED,)
        assert variant.name == f"{given} train.lr={best}"
        trained = [store.open(run) for run in variant.runs if run]
        assert [run.seed for run in trained] == [0, 1]
        assert all(run.settings["train.lr"] == float(best) for run in trained)
    assert [variant.verdict == "baseline" for variant in found.variants] == [True, False, False, False]
    assert found.verdict_table().note.count("was chosen on dev, with other seeds (search-") == 2


def test_it_can_be_read_again_and_repeated(data: Path, runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = tuned(data, runs, "optimizer=adamw", "plain: optimizer=sgd")
    assert load_comparison(found.id, Store(runs)).to_dict() == found.to_dict()
    command = command_of(found)
    assert "--tune" not in command  # What was chosen is written out, so nothing is searched again.
    build()([*shlex.split(command)[1:], "--runs", str(runs), "--json"], standalone_mode=False)
    again = json.loads(capsys.readouterr().out)
    assert again["comparison"] == found.id
    assert [variant["name"] for variant in again["variants"]] == [variant.name for variant in found.variants]


def test_one_rate_for_all_is_shown_beside_the_best(data: Path, runs: Path) -> None:
    found = tuned(data, runs, "plain: optimizer=sgd", "base", "lr=1e-3 optimizer=adagrad")
    assert [variant.name.partition("train.lr")[0] for variant in found.variants] == [
        "plain, tuned",
        "",
        "optimizer=adagrad ",
        "plain",
        "base",
        "lr=1e-3 optimizer=adagrad",
    ]
    shared = tuned(data, runs, "optimizer=sgd", "optimizer=adagrad", train__lr="1e-3")
    assert "train.lr" not in shared.settings
    assert [variant.settings["train.lr"] for variant in shared.variants[2:]] == ["1e-3", "1e-3"]


def test_what_was_given_already_is_not_shown_twice(data: Path, runs: Path) -> None:
    best = tuned(data, runs, *OPTIMIZERS).variants[0]
    found = tuned(data, runs, best.name, "optimizer=sgd lr=1e-3")
    assert [variant.name for variant in found.variants].count(best.name) == 1
    assert len(found.variants) == 3


def parsed(words: list[str], design: Design) -> Tuning:
    found = Tuning.parse(words, design)
    assert found is not None
    return found


def test_a_range_is_drawn_from_and_the_same_for_all(corpus: Corpus) -> None:
    design = Design(task_of("lm"), corpus, parse_variants(OPTIMIZERS), (0,), LM)
    searches = parsed(["lr=1e-4..1e-1"], design).searches(design)
    assert {(search.method, search.points, search.search_seed) for search in searches} == {("random", TRIALS, 0)}
    assert [search.settings["train.optimizer"] for search in searches] == ["adamw", "sgd"]
    (grid, _) = parsed([RATES, "layers=1,2"], design).searches(Design(task_of("lm"), corpus, design.variants, (0,)))
    assert (grid.method, grid.points) == ("grid", 4)


def test_the_command(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", *OPTIMIZERS, "--task", "lm", "--seeds", "2", "--tune", "lr=1e-5,1e-2", "--tune-seeds", "1"]
    words += ["--data", str(data), "--runs", str(tmp_path / "runs"), *SHARED, "--report", str(tmp_path / "report.md")]
    build()([*words, "--json"], standalone_mode=False)
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert len(found["variants"]) == 4
    assert [variant["search"] is None for variant in found["variants"]] == [False, False, True, True]
    assert "2/2 optimizer=sgd, trial 1: train.lr=1e-2" in said.err
    text = (tmp_path / "report.md").read_text().replace("\\", "")
    assert "was chosen on dev" in text
    curves = next((tmp_path / "report-figures").glob("curves-*.svg")).read_text()
    assert all(variant["name"] in curves for variant in found["variants"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--tune", "train.lr=1e-3"], "leaves nothing to choose"),
        (["--tune", "rate=1,2"], "There is no setting 'rate'"),
        (["--tune", RATES, "--tune-seeds", "0"], "--tune-seeds 0: at least one"),
        (["--tune", RATES, "--tune-trials", "1"], "The grid has 2 points"),
        (["--tune", RATES, "--seeds", "999,1000"], "The seed 1000 chooses settings for --tune"),
        (["--tune", "heads=2,3"], "A point of the space cannot be trained, heads=3"),
        (["--tune-trials", "3"], "--tune"),
    ],
)
def test_bad_input(data: Path, tmp_path: Path, words: list[str], sentence: str) -> None:
    given = ["compare", *OPTIMIZERS, "--task", "lm", *SHARED, "--data", str(data), "--runs", str(tmp_path / "runs")]
    with pytest.raises(InputError, match=sentence):
        build()([*given, *words], standalone_mode=False)
    assert not (tmp_path / "runs").exists()
