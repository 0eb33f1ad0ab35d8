"""One run beside its baselines: its interval is over the items of test, and it says so."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import oratory as ora
from oratory.comparisons.measures import Measure
from oratory.comparisons.standing import without_interval
from tests.execution.training import TASKS


def test_the_interval_of_one_run_is_that_of_its_items() -> None:
    values = np.random.default_rng(0).integers(0, 2, 60).astype(float)
    found = Measure({"one": values[None]}, np.ones(60), "text").over_items("one")
    reach = student.ppf(0.975, 59) * values.std(ddof=1) / np.sqrt(60)
    assert found.interval == pytest.approx((values.mean() - reach, values.mean() + reach))


def test_too_few_items_have_no_interval() -> None:
    assert Measure({"one": np.array([[1.0, 0.0, 1.0]])}, np.ones(3), "text").over_items("one").interval is None


@pytest.mark.slow
def test_it_is_said_that_seeds_vary_too(place: Any, runs: Any) -> None:
    run = ora.train("lm", place / "corpus", TASKS["lm"], runs=runs)
    (table,) = ora.beside_baselines(run).tables()
    assert "for this one model: another seed may differ by more" in table.note
    assert {"seen lines", "unseen lines"} <= {row[0] for row in table.rows}
    assert table.columns[:3] == ("part of test", run.id, "95% interval")


def test_a_part_without_an_interval_says_why() -> None:
    varied, same, few = np.array([1.0, 0.0] * 10), np.ones(20), np.array([1.0, 0.0])
    parts = {"all": varied, "seen": same, "unseen": few}
    found = {part: Measure({"one": v[None]}, np.ones(len(v)), "text").over_items("one") for part, v in parts.items()}
    assert without_interval(found) == [
        "unseen: too little for an interval.",
        "seen: no interval, for the scores do not vary.",
    ]
