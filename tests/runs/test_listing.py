"""Filters, orders, groups and exports, beside brute force."""

import json
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from scipy import stats

from oratory.errors import InputError
from oratory.exports.table import metrics_table, runs_table, write_table
from oratory.runs.catalogue import Catalogue
from oratory.runs.entry import Entry
from oratory.runs.filters import select
from oratory.runs.listing import Listing, Spread, grouped
from oratory.runs.record import METRICS, TIMES
from tests.runs.records import write


@pytest.fixture
def entries(tmp_path: Path) -> list[Entry]:
    """Three variants of a classifier and one language model; one run has no result."""
    for seed in range(4):
        write(tmp_path, seed=seed)
        write(tmp_path, seed=seed + 4, given={"position": "rope", "train.clip": 1.0})
        write(tmp_path, "lm", seed=seed, given={"pattern": "window(size=8,globals=2)", "tied": True})
    write(tmp_path, seed=5, given={"layers": 6}, status="diverged", result=None)
    return Catalogue(tmp_path).entries()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], 13),
        (["task=lm"], 4),
        (["position=rope"], 4),
        (["position=ROPE"], 4),
        (["position!=rope"], 9),
        (["pattern=window"], 4),
        (["pattern=window(size=8, globals=2)"], 4),
        (["pattern=window(size=4)"], 0),
        (["layers=6"], 1),
        (["layers=6.0"], 1),
        (["layers=six"], 0),
        (["layers>4"], 1),
        (["train.lr<=1e-3"], 13),
        (["train.lr<1e-3"], 0),
        (["train.clip=none"], 9),
        (["train.clip>0.5"], 4),
        (["tied=on"], 4),
        (["tied=false"], 9),
        (["accuracy>=0.83"], 5),
        (["accuracy>0.8", "accuracy<0.83"], 2),
        (["accuracy=none"], 5),
        (["perplexity.obama<352"], 2),
        (["status=diverged"], 1),
        (["seed=2"], 2),
        (["created>=2026-03-01T05"], 4),
        (["variant=base"], 4),
        (["task = classifier", "seed >= 6"], 2),
    ],
)
def test_conditions(entries: list[Entry], words: list[str], expected: int) -> None:
    assert len(select(entries, words)) == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["postion=rope"], "There is no key 'postion'. Did you mean 'position'?"),
        (["acuracy>0.8"], "There is no key 'acuracy'. Did you mean 'accuracy'?"),
        (["rope"], "'rope' is not a condition; write key=value"),
        (["layers="], "'layers=' is not a condition"),
        (["layers>many"], "layers is compared with 'many', which is not a number."),
        (["position>3"], "compare it with = or !="),
        (["tied>0"], "tied is 'on' and no number|tied is 'off' and no number"),
    ],
)
def test_conditions_that_are_none(entries: list[Entry], words: list[str], message: str) -> None:
    with pytest.raises(InputError) as error:
        select(entries, words)
    assert any(part in str(error.value) for part in message.split("|"))


def test_figures_that_no_run_has_yet(tmp_path: Path) -> None:
    write(tmp_path)
    assert select(Catalogue(tmp_path).entries(), ["perplexity<300"]) == []
    assert select([], ["anything=1"], sort="anything") == []


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("key", ["accuracy", "seed", "train.clip", "layers", "position", "run", "created"])
def test_sorted_by_a_key(entries: list[Entry], key: str, descending: bool) -> None:
    def value(entry: Entry) -> object:
        return {"run": entry.id, "seed": entry.seed, "created": entry.created}.get(
            key, entry.figures.get(key, entry.settings.get(key))
        )

    values = [value(entry) for entry in select(entries, sort=key, descending=descending)]
    present = [found for found in values if found is not None]
    assert values == [*sorted(present, reverse=descending), *[None] * (len(values) - len(present))]  # type: ignore[type-var]


def test_sorting_refuses_an_unknown_key(entries: list[Entry]) -> None:
    with pytest.raises(InputError, match=r"There is no key 'acc'"):
        select(entries, sort="acc")


def test_groups_are_everything_except_the_seed(entries: list[Entry]) -> None:
    found = {(group.task, group.keys["variant"]): group for group in grouped(entries).groups}
    assert {key: (len(group.runs), group.seeds) for key, group in found.items()} == {
        ("classifier", "base"): (4, (0, 1, 2, 3)),
        ("classifier", "position=rope train.clip=1.0"): (4, (4, 5, 6, 7)),
        ("classifier", "layers=6"): (1, ()),
        ("lm", "pattern=window(size=8,globals=2) tied=on"): (4, (0, 1, 2, 3)),
    }
    spread = found["classifier", "base"].figures["accuracy"]
    values = np.array([0.80, 0.81, 0.82, 0.83])
    assert spread.mean == pytest.approx(values.mean())
    assert spread.deviation == pytest.approx(values.std(ddof=1))
    expected = stats.t.interval(0.95, 3, values.mean(), stats.sem(values))
    assert spread.interval == pytest.approx(expected)
    assert len(spread.values) == 4
    assert found["classifier", "layers=6"].figures == {}


def test_one_run_has_no_spread() -> None:
    alone = Spread((0.5,))
    assert (alone.mean, alone.deviation, alone.interval) == (0.5, None, None)


def test_groups_by_keys(entries: list[Entry]) -> None:
    found = grouped(entries, ["position", "layers"], sort="layers", descending=True).groups
    assert (found[0].task, found[0].keys["layers"]) == ("classifier", 6)
    assert sum(len(group.runs) for group in found) == len(entries)
    assert {group.keys["position"] for group in found} == {"rope", "learned"}
    with pytest.raises(InputError, match="There is no key 'posit'"):
        grouped(entries, ["posit"])


def test_groups_in_order(entries: list[Entry]) -> None:
    means = [group.value("accuracy") for group in grouped(entries, sort="accuracy", descending=True).groups]
    assert means == [pytest.approx(0.855), pytest.approx(0.815), None, None]
    assert [len(group.runs) for group in grouped(entries, sort="runs").groups] == [1, 4, 4, 4]
    with pytest.raises(InputError, match="The runs of a group differ in seed"):
        grouped(entries, sort="seed")
    with pytest.raises(InputError, match="There is no key 'acuracy'"):
        grouped(entries, sort="acuracy")


def test_tables_hold_every_run(entries: list[Entry]) -> None:
    listing = Listing(tuple(entries), len(entries), sort="train.lr")
    classifiers, models = listing.tables()
    assert classifiers.title == "Classifiers on speeches"
    assert len(classifiers.rows) == 9
    assert len(models.rows) == 4
    assert "train.lr" in models.columns
    for table in (classifiers, models, *grouped(entries).tables()):
        assert all(len(row) == len(table.columns) for row in table.rows)
    diverged = next(row for row in classifiers.rows if "diverged" in row)
    assert diverged[-1] == "–"
    base = next(row for row in grouped(entries).tables()[0].rows if row[0] == "base")
    assert base[1:4] == ("4", "4", "81.5 ± 2.1")


def test_runs_that_cannot_be_read_have_a_table(tmp_path: Path) -> None:
    run = write(tmp_path)
    (run.folder / "run.json").write_text("{")
    entries = Catalogue(tmp_path).entries()
    (table,) = Listing(tuple(entries), 1).tables()
    assert table.rows == ((run.id, "damaged"),)
    assert grouped(entries).groups == ()
    json.dumps(Listing(tuple(entries), 1).to_dict(), allow_nan=False)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_runs_as_a_file(entries: list[Entry], tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    write_table(path, runs_table(entries))
    table = pyarrow.csv.read_csv(path) if ending == "csv" else pyarrow.parquet.read_table(path)
    rows = {row["run"]: row for row in table.to_pylist()}
    assert set(rows) == {entry.id for entry in entries}
    for entry in entries:
        row = rows[entry.id]
        assert row["seed"] == entry.seed
        assert row["layers"] == entry.settings["layers"]
        assert row["train.clip"] == entry.settings["train.clip"]
        assert row["tied"] is entry.settings["tied"]
        assert row["pattern"] == entry.settings["pattern"]
        assert row["accuracy"] == entry.figures.get("accuracy")
        assert row["perplexity.obama"] == entry.figures.get("perplexity.obama")


def test_columns_of_mixed_kinds_are_text(tmp_path: Path) -> None:
    write(tmp_path, seed=0, given={"width": "wide", "dropout": 0})
    write(tmp_path, seed=10**30)
    table = runs_table(Catalogue(tmp_path).entries())
    assert set(table["width"].to_pylist()) == {"wide", "64"}
    assert str(table.schema.field("dropout").type) == "double"
    assert table.num_rows == 2
    assert runs_table([]).num_rows == 0


def test_metrics_as_a_long_table(tmp_path: Path) -> None:
    classifier, model = write(tmp_path, seed=1), write(tmp_path, "lm", seed=2)
    lines = [
        {"step": 1, "loss": 2.0},
        {"step": 2, "epoch": 1.0, "train_loss": 1.5, "test_accuracy": 0.6, "test_accuracy_seen": None},
    ]
    (classifier.folder / METRICS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    (classifier.folder / TIMES).write_text('{"step": 2, "seconds": 3.5}\n')
    line = {"step": 5, "epoch": 0.5, "train_loss": 4.0, "perplexity": {"train": 50.0, "obama": 70.0}}
    (model.folder / METRICS).write_text(json.dumps(line) + '\n{"cut sho')
    table = metrics_table(Catalogue(tmp_path).entries(), tmp_path)
    found = {(row["run"], row["step"], row["figure"]): row["value"] for row in table.to_pylist()}
    assert found == {
        (classifier.id, 2, "train_loss"): 1.5,
        (classifier.id, 2, "test_accuracy"): 0.6,
        (classifier.id, 2, "test_accuracy_seen"): None,
        (model.id, 5, "train_loss"): 4.0,
        (model.id, 5, "perplexity.train"): 50.0,
        (model.id, 5, "perplexity.obama"): 70.0,
    }
    assert {row["seconds"] for row in table.to_pylist() if row["task"] == "classifier"} == {3.5}
    assert metrics_table([], tmp_path).num_rows == 0
    (model.folder / METRICS).write_text("{broken}\n")
    with pytest.raises(InputError, match=f"{METRICS}, line 1 is damaged"):
        metrics_table(Catalogue(tmp_path).entries(), tmp_path)


def test_a_file_of_no_known_kind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"should end in \.csv or \.parquet"):
        write_table(tmp_path / "runs.xlsx", runs_table([]))
