"""A page on runs whose every name is hostile markup; asked without a network, or as a real server for browsers."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from oratory import api
from oratory.web.app import build
from oratory.web.laboratory import Laboratory
from tests.execution.training import CLASSIFIER, LM, write_corpus
from tests.execution.workers import here

HOME = "http://127.0.0.1:8765"
EVIL = "<img src=x onerror=alert(1)>"
LINES = [f"{EVIL if number % 2 else 'öäü 🙂 العربية'}\tWe will go on <b>{number}</b> times." for number in range(12)]


@dataclass(frozen=True)
class Kept:
    """A folder with a corpus and its runs."""

    folder: Path
    classifier: str
    lm: str
    comparison: str

    @property
    def runs(self) -> Path:
        return self.folder / "runs"


def write_hostile(folder: Path) -> Path:
    """A corpus whose name, labels and texts are markup."""
    write_corpus(folder, LINES)
    (folder / "test_CLS.tsv").write_text("\n".join(LINES[:2]) + "\n")
    (folder / "test_LM_a.txt").write_text("</script><script>alert(1)</script> We will go on.\nYes we can.\n")
    return folder


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Two variants of a classifier with three seeds each, and a language model."""
    folder = tmp_path_factory.mktemp("page")
    corpus = write_hostile(folder / f"{EVIL.replace('/', '')}")
    runs = folder / "runs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("oratory.execution.place.executor_of", lambda on, workers=None: here)
        comparison = api.compare(
            f"{EVIL}: layers=1".replace("=x", "").replace("=alert", ""),
            "two: layers=2",
            corpus=corpus,
            seeds=3,
            settings={name: value for name, value in CLASSIFIER.items() if name != "layers"},
            runs=runs,
        )
    lm = api.train("lm", corpus, LM, 3, runs=runs)
    first = comparison.variants[0].runs[0]
    assert first is not None
    return Kept(folder, first, lm.id, comparison.id)


@pytest.fixture(scope="session")
def kept(trained: Kept) -> Kept:
    """The same; the tests that use it change nothing."""
    return trained


@pytest.fixture
def client(kept: Kept) -> Iterator[TestClient]:
    """The page on kept runs. An error of ours is an answer, as it is for a browser."""
    with TestClient(build(Laboratory(kept.runs)), HOME, raise_server_exceptions=False) as found:
        yield found


class Server:
    """The real program in a process of its own."""

    def __init__(self, folder: Path, *words: str) -> None:
        command = [sys.executable, "-m", "oratory", "serve", "--port", "0", *words]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed at the end
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        match = re.search(r"http://\S+", said)
        assert match, (said, self.said())
        self.home = match[0].rstrip("/")

    def said(self) -> str:
        """What it wrote to stderr."""
        self.errors.seek(0)
        return self.errors.read().decode()

    def ask(self, method: str, path: str, **options: Any) -> Any:
        """An answer of the API, which must be no refusal."""
        answer = httpx.request(method, f"{self.home}{path}", timeout=60, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def end(self, kill: bool = False) -> int:
        """End it by Ctrl-C, or by what nobody survives."""
        if kill:
            self.process.kill()
        elif self.process.poll() is None:
            self.process.send_signal(2)
        code = self.process.wait(90)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.errors.close()
        return code


@pytest.fixture(scope="session")
def server(trained: Kept, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page for browsers, on a copy of the runs."""
    folder = tmp_path_factory.mktemp("served") / "page"
    shutil.copytree(trained.folder, folder)
    found = Server(folder)
    yield found
    found.end()


@pytest.fixture
def browser(chromium: str) -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-background-networking", "--disable-gpu"]
        )
        yield found
        found.close()


class Tab:
    """A page in a browser: what it asked for, and what it complained about."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.page = browser.new_context(**({"viewport": {"width": 1200, "height": 900}} | options)).new_page()
        self.page.set_default_timeout(120_000)  # A busy machine is no failure.
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"a dialog: {dialog.message}"))
