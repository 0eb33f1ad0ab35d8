"""Searches: small real ones, with the jobs done in this process one after the other."""

import dataclasses
import itertools
import json
import math
import pkgutil
import random
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

from oratory.errors import Failed, InputError
from oratory.execution.jobs import Job, Outcome, Shared, Step, do
from oratory.execution.resume import resume
from oratory.execution.train import train
from oratory.records import typed
from oratory.reports.results import write_report
from oratory.runs import Event, Interrupted, Store
from oratory.searches.design import SearchDesign
from oratory.searches.make import load_search, search
from oratory.searches.record import SearchRecord
from oratory.searches.result import BEST, Search, expected_best
from oratory.searches.running import WARMUP, is_worse
from oratory.searches.space import Range, Space, setting_kinds
from oratory.searches.study import Study
from oratory.text import Corpus, LanguageData, load_corpus
from oratory.tokens import train_tokenizer
from oratory.training.origins import origin_of
from oratory.training.tasks import task_of
from tests.searches.searching import LM, SETTINGS, write_corpus
from tests.tokens.test_spelling import published

FLIPS = 60


class Serial:
    """Does jobs here, one after the other, and remembers them; stops like a Ctrl-C after some."""

    def __init__(self, until: float = math.inf) -> None:
        self.jobs: list[Job] = []
        self.reused = 0
        self.until = until

    def __call__(self, jobs: Sequence[Job], shared: Shared) -> Iterator[Step | Outcome]:
        for job in jobs:
            if len(self.jobs) >= self.until:
                raise KeyboardInterrupt
            self.jobs.append(job)
            outcome = do(job, shared, lambda step: None)
            self.reused += outcome.reused
            yield outcome


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("data"))


def designed(data: Path, *space: str, task: str = "lm", **changes: Any) -> SearchDesign:
    given: dict[str, Any] = {"seeds": (0, 1), "settings": SETTINGS[task]}
    settings = {k: v for k, v in {**given, **changes}["settings"].items() if k not in {w.split("=")[0] for w in space}}
    made = {**given, **changes, "settings": settings}
    return SearchDesign(task=task_of(task), corpus=load_corpus(data), space=parsed(*space), **made)


def parsed(*space: str) -> Space:
    return Space.parse(space, setting_kinds(origin_of({})))


def test_grid_covers_everything_once(data: Path, tmp_path: Path) -> None:
    executor = Serial()
    design = designed(data, "train.lr=0.01,0.001", "layers=1..2", "position=learned,none", method="grid", seeds=(7,))
    found = search(design, Store(tmp_path), executor)
    points = [tuple(trial.settings.values()) for trial in found.trials]
    assert points == list(itertools.product(["0.01", "0.001"], ["1", "2"], ["learned", "none"]))
    assert [job.seed for job in executor.jobs] == [7] * 8
    assert found.best.mean == min(trial.values[0] for trial in found.trials)
    assert found.importance is not None
    assert sum(found.importance.values()) == pytest.approx(1)


def test_scores_are_those_of_dev(data: Path, tmp_path: Path) -> None:
    store = Store(tmp_path)
    lm = search(designed(data, "train.lr=0.01,0.02", method="grid", seeds=(3,)), store, Serial())
    run = store.open(lm.best.runs[0])
    assert lm.best.values == (math.log(run.result["dev"]["perplexity"]),)
    assert lm.best.interval is None
    assert lm.test is not None
    assert lm.test.figures(BEST)["a"]["mean"] == pytest.approx(run.result["a"]["perplexity"], rel=1e-5)
    labelled = search(designed(data, "train.lr=0.01,0.02", method="grid", task="classifier"), store, Serial())
    results = [store.open(name).result for name in labelled.best.runs]
    assert labelled.best.values == tuple(result["dev"]["accuracy"] for result in results)
    assert labelled.test is not None
    mean = np.mean([result["test"]["accuracy"] for result in results])
    assert labelled.test.variants[BEST]["all"].mean == pytest.approx(mean)
    assert labelled.carving
    assert {"majority", "tfidf-svm"} <= set(labelled.test.baselines)
    [table] = labelled.test_tables()
    assert table.title == "The best settings on test"
    assert "are also in train" in table.note


def test_other_tokens_are_compared_by_bytes(data: Path, tmp_path: Path) -> None:
    store = Store(tmp_path)
    found = search(designed(data, "tokenizer=char,word(min_count=2)", method="grid"), store, Serial())
    assert found.metric.name == "bits per byte"
    for trial in found.trials:
        results = [store.open(name).result["dev"]["bits_per_byte"] for name in trial.runs]
        assert trial.mean == pytest.approx(np.mean(results))
        low, high = trial.interval or (0, 0)
        assert low < (trial.mean or 0) < high
    assert found.test is not None
    assert found.test.metric.name == "bits per byte"


def test_one_vocabulary_under_two_names_is_one(data: Path) -> None:
    assert designed(data, "tokenizer=word,word(min_count=1)").test_metric.name == "perplexity"
    assert designed(data, "tokenizer=word,word(min_count=999)").test_metric.name == "bits per byte"


def test_trials_have_the_vocabulary_of_the_whole_corpus(data: Path, tmp_path: Path) -> None:
    design = designed(data, "train.lr=0.01,0.02", method="grid", seeds=(3,))
    found = search(design, Store(tmp_path), Serial())
    assert found.carving
    run = Store(tmp_path).open(found.best.runs[0])
    assert run.tokenizer.fingerprint == train_tokenizer(design.corpus, run.settings["tokenizer"]).fingerprint


def test_tokens_that_leave_text_out_cannot_be_searched(tmp_path: Path) -> None:
    lines = tuple(f"{'ab' * (i % 5)} {i} a." for i in range(40))
    corpus = Corpus("letters", lm=LanguageData(lines, None, {"t": ("ab a.", "1999")}))
    space = parsed(f"tokenizer=char,{published(tmp_path / 'published', drop='[0-9]+')}")
    design = SearchDesign(task=task_of("lm"), corpus=corpus, space=space, settings={"layers": "1", "width": "8"})
    with pytest.raises(InputError, match="leaves out some of the text"):
        search(design, Store(tmp_path / "runs"), Serial())


@pytest.mark.parametrize("method", ["tpe", "random"])
def test_resumed_search_has_the_same_trials(data: Path, tmp_path: Path, method: str) -> None:
    # TPE draws at random for its first ten trials; afterwards its points follow from what was told.
    many: dict[str, Any] = {
        "trials": 12 if method == "tpe" else 6,
        "seeds": (0,) if method == "tpe" else (0, 1),
        "at_once": 3,
    }
    design = designed(data, "train.lr=1e-4..1e-1", "position=learned,none", method=method, **many)
    straight = search(design, Store(tmp_path / "straight"), Serial())
    store = Store(tmp_path / "stopped")
    for stop in (0, 5):
        with pytest.raises(Interrupted):
            search(design, store, Serial(until=stop))
    last = Serial()
    resumed = search(design, store, last)
    assert resumed == straight
    assert len(resumed.trials) == many["trials"]
    again = Serial()
    assert search(design, store, again) == straight
    assert again.jobs == []


def test_points_that_were_half_drawn_are_drawn_the_same(data: Path, tmp_path: Path) -> None:
    design = designed(data, "train.lr=1e-4..1e-1", "dropout=0..0.5", trials=3, seeds=(0,))
    straight = search(design, Store(tmp_path / "straight"), Serial())
    store = Store(tmp_path / "killed")
    (store.folder / SearchRecord.FOLDER).mkdir(parents=True)
    study = Study(store.folder / SearchRecord.FOLDER / f"{design.id}.sqlite", design.to_dict())
    study.ask(0, design.drawn, design.method, design.search_seed)
    study.study.ask()  # Killed before the settings of this one were drawn.
    assert search(design, store, Serial()) == straight


@pytest.mark.parametrize("where", ["optuna.trial.Trial.report", "optuna.study.Study.tell"])
def test_stopped_while_a_trial_is_told(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    design = designed(data, "train.lr=1e-4..1e-1", trials=2, seeds=(0, 1), prune=False)
    straight = search(design, Store(tmp_path / "straight"), Serial())
    real, calls = pkgutil.resolve_name(where), itertools.count(1)

    def interrupted(*given: Any, **options: Any) -> Any:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return real(*given, **options)

    store = Store(tmp_path / "stopped")
    with monkeypatch.context() as patch:
        patch.setattr(where, interrupted)
        with pytest.raises(Interrupted, match=r"Stopped after \d of 2 trials. These are kept in search-"):
            search(design, store, Serial())
    assert search(design, store, Serial()) == straight


def test_more_trials_go_further(data: Path, tmp_path: Path) -> None:
    store, later = Store(tmp_path), Serial()
    few = search(designed(data, "train.lr=1e-4..1e-1", trials=4, prune=False), store, Serial())
    more = search(designed(data, "train.lr=1e-4..1e-1", trials=6, prune=False), store, later)
    assert more.id == few.id
    assert more.trials[:4] == few.trials
    assert len(later.jobs) == 4
    fewer = search(designed(data, "train.lr=1e-4..1e-1", trials=2, prune=False), store, later)
    assert fewer.trials == few.trials[:2]


def test_runs_of_the_store_are_reused(data: Path, tmp_path: Path) -> None:
    store, executor = Store(tmp_path), Serial()
    first = search(designed(data, "train.lr=0.01,0.02", method="grid"), store, Serial())
    second = search(designed(data, "train.lr=0.02,0.03", method="grid"), store, executor)
    assert executor.reused == 2
    assert second.id != first.id
    for name in first.best.runs:
        shutil.rmtree(store.folder / name)
    again = Serial()
    assert search(designed(data, "train.lr=0.01,0.02", method="grid"), store, again) == first
    assert len(again.jobs) == 2


@pytest.mark.parametrize("task", ["lm", "classifier"])
def test_test_decides_nothing(data: Path, tmp_path: Path, task: str) -> None:
    other = shutil.copytree(data, tmp_path / "other")
    (other / "test_CLS.tsv").write_text("1\tyes, we can.\n0\tFreedom will prevail here.\n0\tThank you.\n")
    (other / "test_LM_a.txt").write_text("Thank you all. Thank you all. Thank you all.\n")
    space = ("train.lr=1e-4..1e-1", "layers=1..2")
    found = [
        search(designed(folder, *space, task=task, trials=3, method="random"), Store(tmp_path / name), Serial())
        for name, folder in (("a", data), ("b", other))
    ]
    first, second = ([(t.settings, t.values, t.state, t.interval) for t in each.trials] for each in found)
    assert first == second
    assert found[0].best.number == found[1].best.number
    assert found[0].test != found[1].test


def test_poor_points_are_pruned_before_their_other_seeds(data: Path, tmp_path: Path) -> None:
    executor = Serial()
    design = designed(data, "train.lr=1e-5..1e-1", trials=8, method="random")
    found = search(design, Store(tmp_path), executor)
    pruned = [trial for trial in found.trials if trial.state == "pruned"]
    assert pruned
    assert all(len(trial.values) == len(trial.runs) == 1 for trial in pruned)
    assert all(len(trial.values) == 2 for trial in found.trials if trial.state == "complete")
    assert len(executor.jobs) == 16 - len(pruned)
    assert min(trial.number for trial in pruned) >= 4  # The first round alone has too few others.
    assert found.to_dict()["counts"] == {"complete": 8 - len(pruned), "pruned": len(pruned), "failed": 0}
    whole = search(
        designed(data, "train.lr=1e-5..1e-1", trials=8, method="random", prune=False),
        Store(tmp_path),
        Serial(),
    )
    assert [t.settings for t in whole.trials] == [t.settings for t in found.trials]
    assert whole.best.settings == found.best.settings


def test_the_median_of_others() -> None:
    others = [0.1, 0.2, 0.3, 0.4, 0.5]
    assert is_worse(0.29, others, "higher")
    assert not is_worse(0.3, others, "higher")
    assert is_worse(0.31, others, "lower")
    assert not is_worse(0.0, others[: WARMUP - 1], "higher")


def test_points_that_break_are_not_chosen(data: Path, tmp_path: Path) -> None:
    store = Store(tmp_path)
    design = designed(data, "train.lr=0.01,1e38", method="grid", settings=LM | {"train.optimizer": "sgd"})
    found = search(design, store, Serial())
    assert [trial.state for trial in found.trials] == ["complete", "failed"]
    assert "not a finite number" in found.trials[1].problem
    assert found.best.number == 0
    assert found.budget[-1][1] == pytest.approx(found.best.mean)
    again = Serial()
    assert search(design, store, again) == found
    assert again.jobs == []
    with pytest.raises(Failed, match=r"No trial ended well: .*finite"):
        search(designed(data, "train.lr=1e38,2e38", method="grid", settings=design.settings), store, Serial())


def test_a_trial_that_could_not_be_tried_is_tried_the_next_time(data: Path, tmp_path: Path) -> None:
    store = Store(tmp_path)
    design = designed(data, "train.lr=0.01,0.02", method="grid", seeds=(0,))
    whole = search(design, Store(tmp_path / "other"), Serial())
    with store.hold(whole.trials[0].runs[0]):
        found = search(design, store, Serial())
    assert [trial.state for trial in found.trials] == ["failed", "complete"]
    assert "in use by another process" in found.trials[0].problem
    assert search(design, store, Serial()) == whole


def test_two_searches_at_once_are_refused(data: Path, tmp_path: Path) -> None:
    design = designed(data, "train.lr=0.01,0.02", method="grid")

    def meddle(event: object) -> None:
        search(design, Store(tmp_path), Serial())

    with pytest.raises(InputError, match="in use by another process"):
        search(design, Store(tmp_path), Serial(), meddle)


def test_a_book_that_is_damaged_is_refused(data: Path, tmp_path: Path) -> None:
    design = designed(data, "train.lr=0.01,0.02", method="grid")
    (tmp_path / SearchRecord.FOLDER).mkdir()
    (tmp_path / SearchRecord.FOLDER / f"{design.id}.sqlite").write_text(
        "this is no database, however long one looks at it" * 40
    )
    with pytest.raises(
        InputError, match=r"search-\w+\.sqlite, the file of the search, cannot be used: .*not a database"
    ):
        search(design, Store(tmp_path), Serial())


@pytest.fixture(scope="module")
def found(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Search, Store]:
    store = Store(tmp_path_factory.mktemp("runs"))
    return search(designed(data, "train.lr=1e-3..1e-1", "layers=1..2", trials=6, prune=False), store, Serial()), store


def test_reopened(found: tuple[Search, Store]) -> None:
    made, store = found
    assert load_search(made.id, store) == made
    with pytest.raises(InputError, match=f"There is no search 'search-0'.* Known: {made.id}"):
        load_search("search-0", store)


def test_searches_with_an_older_source_open(found: tuple[Search, Store], data: Path, tmp_path: Path) -> None:
    made, store = found
    copied = Store(shutil.copytree(store.folder, tmp_path / "runs"))
    study = Study(copied.folder / SearchRecord.FOLDER / f"{made.id}.sqlite")
    study.study.set_user_attr("design", study.design | {"source": {"data": str(data)}})
    assert load_search(made.id, copied) == made


def test_searches_without_checksums_open(found: tuple[Search, Store], tmp_path: Path) -> None:
    made, store = found
    copied = Store(shutil.copytree(store.folder, tmp_path / "runs"))
    study = Study(copied.folder / SearchRecord.FOLDER / f"{made.id}.sqlite")
    study.study.set_user_attr("design", study.design)
    rows = [
        (trial._trial_id, name, json.dumps(trial.user_attrs["facts"][name]))
        for trial in study.study.get_trials()
        for name in ("settings", "values", "runs", "interval", "problem")
    ]
    with sqlite3.connect(study.path) as database:  # As version 0.1 wrote it.
        database.execute("delete from trial_user_attributes")
        database.executemany("insert into trial_user_attributes (trial_id, key, value_json) values (?, ?, ?)", rows)
    assert load_search(made.id, copied) == made


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("update trial_values set value = value - 1 where trial_id = 2", "what it says of trial 1 does not agree"),
        ("update trial_intermediate_values set intermediate_value = 9", "what it says of trial 0 does not agree"),
        ("update trial_params set param_value = param_value * 1.01", "what it says of trial 0 does not agree"),
        ("update trials set number = 9 where trial_id = 3", "a trial is missing"),
        ("delete from trials where trial_id = 1", "a trial is missing"),
        ("update trials set state = 'DONE'", "cannot be used"),
        ("update trial_user_attributes set value_json = '7' where key = 'facts'", "cannot be used"),
        ("update trial_user_attributes set key = 'fact' where key = 'facts'", "cannot be used"),
        (
            "update trial_user_attributes set value_json = replace(value_json, '1', '2') where key = 'facts'",
            "trial 0 does not have the checksum",
        ),
        (
            "update study_user_attributes set value_json = replace(value_json, 'seeds', 'seats')",
            "the design does not have the checksum",
        ),
        ("update study_directions set direction = 'MAXIMIZE'", "the design does not say which figures are better"),
        ("update studies set study_name = 'other'", "cannot be used"),
    ],
)
def test_a_changed_value_is_refused(found: tuple[Search, Store], tmp_path: Path, change: str, said: str) -> None:
    made, store = found
    copied = Store(shutil.copytree(store.folder, tmp_path / "runs"))
    with sqlite3.connect(copied.folder / SearchRecord.FOLDER / f"{made.id}.sqlite") as database:
        database.execute(change)
    with pytest.raises(InputError, match=rf"\.sqlite, the file of the search,.*{said}"):
        load_search(made.id, copied)


def test_no_flipped_bit_changes_a_search_unseen(found: tuple[Search, Store], tmp_path: Path) -> None:
    made, store = found
    original = store.folder / SearchRecord.FOLDER / f"{made.id}.sqlite"
    whole, path = original.read_bytes(), tmp_path / original.name
    expected = read_study(original)
    filled = [at for at, byte in enumerate(whole) if byte]
    for at in random.Random(0).sample(filled, FLIPS):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        with suppress(InputError):
            assert read_study(path) == expected


def read_study(path: Path) -> tuple[Any, ...]:
    study = Study(path)
    return typed(SearchRecord, study.design, path), study.ended(), study.importance(6)


def test_a_point_that_is_under_way_is_the_one_that_was_drawn(data: Path, tmp_path: Path) -> None:
    design = designed(data, "train.lr=1e-3..1e-1", method="random", trials=4)
    with pytest.raises(Interrupted):
        search(design, Store(tmp_path), Serial(until=1))
    with sqlite3.connect(tmp_path / SearchRecord.FOLDER / f"{design.id}.sqlite") as database:
        database.execute("update trial_params set param_value = param_value * 1.01")
    with pytest.raises(InputError, match="the point of trial 0 is not the one that was drawn"):
        search(design, Store(tmp_path), Serial())


def test_a_run_of_a_carved_corpus_loads_it_and_goes_on(data: Path, tmp_path: Path) -> None:
    store = Store(tmp_path)
    design = designed(data, "train.lr=0.01,0.02", method="grid", seeds=(0,), settings=LM | {"train.save_every": "0"})
    assert design.carved
    (job,) = design.jobs(0, {"train.lr": "0.01"}, [0])

    def kill(event: Event) -> None:
        if getattr(event, "step", 0) >= 3:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(job.task, design.ready, job.settings, job.seed, runs=store.folder, listen=kill)
    stopped = store.open()
    assert stopped.record.corpus.source == f"folder(path={data},carve=0.1)"
    assert stopped.load_corpus().fingerprint == design.ready.fingerprint
    assert resume("last", runs=store.folder).id == stopped.id
    assert search(design, store, Serial()).trials[0].runs == (stopped.id,)


def test_the_source_decides_nothing_about_the_id(data: Path) -> None:
    design = designed(data, "train.lr=0.01,0.02")
    other = dataclasses.replace(design, corpus=dataclasses.replace(design.corpus, source=None))
    assert other.id == design.id
    assert other.to_dict() == design.to_dict() | {"source": None}


def test_report(found: tuple[Search, Store], tmp_path: Path) -> None:
    made, _ = found
    write_report(made, tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text().replace("\\", "")
    for trial in made.trials:
        assert trial.settings["train.lr"] in text
    assert (
        f"oratory train lm layers={made.best.settings['layers']}" in text.replace("context=8 ", "")
        or "oratory train lm" in text
    )
    assert "'train.lr=0.001..0.1:log'" in text or "train.lr=0.001..0.1:log" in text
    assert len(list((tmp_path / "report-figures").glob("*.svg"))) == 4


def test_budget(found: tuple[Search, Store]) -> None:
    made, _ = found
    values = [trial.mean for trial in made.trials if trial.mean is not None]
    draws = [min(pick) for pick in itertools.product(values, repeat=3)]
    n, expected, _ = made.budget[2]
    assert n == 3
    assert expected == pytest.approx(np.mean(draws))
    assert made.budget[-1][2] == made.best.mean
    assert expected_best([1.0, 2.0]) == [1.5, 1.75]


def test_importance_is_that_of_optuna(found: tuple[Search, Store]) -> None:
    made, store = found
    path = store.folder / SearchRecord.FOLDER / f"{made.id}.sqlite"
    study = optuna.load_study(study_name=made.id, storage=f"sqlite:///{path}")
    assert study.best_trial.number == made.best.number
    assert study.best_value == made.best.mean
    evaluator = optuna.importance.FanovaImportanceEvaluator(seed=0)
    expected = optuna.importance.get_param_importances(study, evaluator=evaluator)
    assert made.importance == pytest.approx({name: float(value) for name, value in expected.items()})


def test_ranges() -> None:
    space = parsed("train.lr=1e-4..1e-2", "dropout=0..0.5", "layers=1..3", "train.batch=8..256:log").parts
    assert space["train.lr"] == Range(1e-4, 1e-2, whole=False, log=True)
    assert space["dropout"] == Range(0, 0.5, whole=False, log=False)
    assert space["layers"].listed == ("1", "2", "3")
    assert space["train.batch"] == Range(8, 256, whole=True, log=True)
    assert parsed("train.lr=0.1..0.9").parts["train.lr"] == Range(0.1, 0.9, whole=False, log=False)
    assert parsed("train.lr=1e-4..1e-2:linear").parts["train.lr"] == Range(1e-4, 1e-2, whole=False, log=False)
    assert parsed("dropout=0..0.99999").parts["dropout"].text(0.99998) == "0.99998"
    assert parsed(*(f"{name}={part}" for name, part in space.items())).parts == space


def test_a_range_without_end_is_not_listed() -> None:
    wide = parsed(f"train.batch=1..{10**18}")
    assert wide.size is None
    with pytest.raises(InputError, match="more than the 10,000 values"):
        wide.grid()


def test_lists_keep_their_parentheses() -> None:
    part = parsed("tokenizer=bpe(size=200,min_count=2), word,pretrained:../here").parts["tokenizer"]
    assert part.listed == ("bpe(size=200,min_count=2)", "word", "pretrained:../here")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "needs something to choose from"),
        (("train.lr",), "The setting 'train.lr' has no value"),
        (("train.lrr=1,2",), "Did you mean 'train.lr'"),
        (("train.lr=0.1,0.2", "train.lr=1,2"), "given twice"),
        (("train.lr=1e-2..1e-4",), "first end of a range must be below"),
        (("train.lr=1..1",), "first end of a range must be below"),
        (("train.lr=1..many",), "is not a range"),
        (("train.lr=1..inf",), "is not a range"),
        (("train.lr=0..1:log",), "must begin above 0"),
        (("train.lr=1..2:lgo",), "no scale 'lgo'. Did you mean 'log'"),
        (("layers=1.5..3",), "is a whole number"),
        (("position=1..3",), "has no range"),
        (("train.lr=0.1",), "leaves nothing to choose"),
        (("train.lr=0.1,,0.2",), "nothing between two of the commas"),
        (("train.lr=0.1,0.1",), "listed twice"),
    ],
)
def test_spaces_that_make_no_sense(words: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence.replace("(", r"\(")):
        parsed(*words)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("train.lr=-1..1",), "it must be above 0"),
        (("train.lr=0.1,high",), "'high' is not a number"),
        (("position=learned,lerned",), "Did you mean 'learned'"),
        (("heads=1,2", "width=8,9"), "heads=2 width=9"),
        (("width=8..16",), "width=9"),
        (("dropout=0..1",), "dropout=1"),
        (("train.stride=2,99",), "train.stride=99 is more than context=8"),
        (("tokenizer=word,wrd",), "Did you mean 'word'"),
        (("tokenizer=word,bpe(size=x)",), "'x' is not a whole number"),
    ],
)
def test_points_that_cannot_be_trained_are_found_before_training(
    data: Path, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    executor = Serial()
    settings = {name: value for name, value in LM.items() if name != "width"}
    settings |= {} if any(word.startswith("width") for word in words) else {"width": "8"}
    with pytest.raises(InputError, match=sentence.replace("(", r"\(")):
        search(designed(data, *words, settings=settings), Store(tmp_path), executor)
    assert executor.jobs == []
    assert not (tmp_path / SearchRecord.FOLDER).exists()


@pytest.mark.parametrize(
    ("words", "changes", "sentence"),
    [
        (("train.lr=0.1,0.2",), {"method": "genetic"}, "There is no method 'genetic'"),
        (("train.lr=0.1,0.2",), {"method": "grid", "trials": 1}, "would leave some out"),
        (("train.lr=0.1,0.2",), {"trials": 3}, "no more than 2 points"),
        (("train.lr=0.1,0.2",), {"trials": 0}, "at least one is needed"),
        (("train.lr=0.1,0.2",), {"seeds": (1, 1)}, "different from each other"),
        (("train.lr=0.1,0.2",), {"at_once": 0}, "at least one point"),
        (("train.lr=0.1..0.2",), {"method": "grid"}, "A grid needs lists of values"),
        (("layers=1..200", "heads=1..200"), {"method": "grid"}, "has 40,000 points"),
        (("train.threads=1,2",), {}, "decides nothing about the result"),
    ],
)
def test_designs_that_make_no_sense(data: Path, words: tuple[str, ...], changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        designed(data, *words, **changes)


def test_a_setting_is_shared_or_searched(data: Path) -> None:
    with pytest.raises(InputError, match=r"train\.lr is given for all trials, and searched as well"):
        SearchDesign(task_of("lm"), load_corpus(data), parsed("train.lr=0.1,0.2"), settings={"train.lr": "0.1"})
    with pytest.raises(InputError, match="There is no task 'labeller'"):
        task_of("labeller")


@pytest.mark.parametrize("name", ["%41", "{x}", "a?b"])
def test_a_store_whose_path_looks_like_an_address(data: Path, tmp_path: Path, name: str) -> None:
    store = Store(tmp_path / name)
    made = search(designed(data, "train.lr=0.01,0.02", method="grid"), store, Serial())
    assert load_search(made.id, store) == made
    assert [path.name for path in tmp_path.iterdir()] == [name]
