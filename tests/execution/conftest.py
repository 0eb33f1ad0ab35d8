"""Jobs that are small but take long enough to be killed in the middle, and what they end in when nothing happens."""

from pathlib import Path

import pytest

from oratory.execution.jobs import Outcome
from oratory.execution.local import Local
from oratory.text import Corpus, load_corpus
from tests.execution.training import write_corpus
from tests.execution.workers import JOBS, Ran, plugin, run


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return load_corpus(write_corpus(tmp_path_factory.mktemp("corpus") / "small"))


@pytest.fixture(scope="session")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the plugin notes who loaded it."""
    return tmp_path_factory.mktemp("notes")


@pytest.fixture(scope="session")
def straight(small: Corpus, notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """All jobs on this machine, undisturbed."""
    ran = run(Local(2), JOBS, small, tmp_path_factory.mktemp("straight"), plugin(notes))
    assert all(isinstance(outcome, Outcome) for outcome in ran.outcomes.values())
    return ran
