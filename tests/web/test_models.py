"""Models that stay in memory: the same object while the record stays, another one when it is written again."""

from pathlib import Path

import pytest

from oratory import api
from oratory.errors import InputError
from oratory.files import write_bytes
from oratory.records import RECORD
from oratory.web.models import Models
from tests.execution.training import LM, write_corpus


def test_a_run_that_changes_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = api.train("lm", write_corpus(tmp_path / "corpus"), LM, runs=tmp_path / "runs")
    models = Models(tmp_path / "runs")
    first = models.run(run.id)
    with monkeypatch.context() as patch:
        patch.setattr(api, "load_run", lambda *given: pytest.fail("the record was read once more"))
        assert models.run(run.id) is first
    assert models.run("last") is first
    path = run.folder / RECORD
    record = path.read_bytes()
    write_bytes(path, record.replace(b"finished", b"running"))
    with pytest.raises(InputError, match="damaged"):
        models.run(run.id)
    write_bytes(path, record)
    assert models.run(run.id) is first, "its files are the same"
    path.unlink()
    with pytest.raises(InputError):
        models.run(run.id)


def test_what_has_no_room_is_forgotten(tmp_path: Path) -> None:
    run = api.train("lm", write_corpus(tmp_path / "corpus"), LM, runs=tmp_path / "runs")
    models = Models(tmp_path / "runs", most=1)
    assert models.run(run.id) is not models.run(run.id)
    assert models.size == 0
