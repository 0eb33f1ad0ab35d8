"""Several processes on one store; `python -m benchmarks load` does it with twenty and a thousand runs."""

import pytest
from benchmarks.load import measure


@pytest.mark.long
def test_no_run_is_lost_that_others_train_beside() -> None:
    found = {row[0]: row[1] for row in measure(processes=4, runs=12).rows}
    wanted = ("lost", "damaged", "processes that failed", "unlike the folders")
    assert {name: found[name] for name in wanted} == dict.fromkeys(wanted, "0")
