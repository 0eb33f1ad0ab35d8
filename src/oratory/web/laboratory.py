"""What the views share: the runs, the models in memory, turns at the processors, jobs, reports, and the templates."""

import shlex
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from fastapi import Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from oratory import __version__
from oratory.errors import InputError
from oratory.reports.document import Document, Figure
from oratory.reports.template import environment
from oratory.runs import Run, Store
from oratory.runs.store import runs_folder
from oratory.text import Corpus, load_corpus
from oratory.web.corpora import allowed
from oratory.web.jobs import Jobs
from oratory.web.models import Models
from oratory.web.pictures import on_page
from oratory.web.views import views
from oratory.web.work import Work

T = TypeVar("T")
DOCUMENTS = 24
"""Reports that stay in memory."""
CORPORA = 3
"""Corpora that stay in memory."""
FRESH = 120.0
"""Seconds after which a corpus is read again: its files may have changed."""


class Laboratory:
    """One folder of runs, opened for a browser."""

    def __init__(self, runs: Path | None = None, plugins: Sequence[Path] = ()) -> None:
        self.runs = runs_folder(runs)
        self.plugins = tuple(plugins)
        self._named = runs
        self.models = Models(self.runs)
        self.work = Work()
        self.jobs = Jobs(self.runs, plugins=self.plugins)
        self._drawing = threading.Lock()  # The style of pictures is one for the whole process.
        self._documents: OrderedDict[tuple[Any, ...], Document] = OrderedDict()
        self._corpora: dict[str, tuple[Corpus, float]] = {}
        self._reading = threading.Lock()
        self._templates = environment("oratory.web")
        self._templates.filters["svg"] = _drawn
        shared = {"views": views(), "version": __version__, "command": self.command, "runs_named": runs and str(runs)}
        self._templates.globals |= shared

    @property
    def store(self) -> Store:
        """The runs of the folder."""
        return Store(self.runs)

    def command(self, *words: str) -> str:
        """A command line as a user types it: with the folder of the runs, where that is not the usual one."""
        more = [] if self._named is None else ["--runs", str(self._named)]
        return shlex.join(["oratory", *words, *more])

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page from a template. Every value is escaped there."""
        found = self._templates.get_template(template).render(path=request.url.path, **values)
        return HTMLResponse(found.encode("utf-8", "replace"), status)

    def corpus(self, data: str) -> Corpus:
        """A corpus that the page may read, by what loads it; loaded once in a while."""
        return self._loaded(allowed(self.store, data))

    def corpus_of(self, run: Run) -> Corpus:
        """The corpus of a run of the folder; an InputError where it has changed since."""
        source = run.record.corpus.source
        if source is None:
            raise InputError(f"The run {run.id} does not say how its corpus was loaded, so its texts are not here.")
        found = self._loaded(source)
        if run.fingerprint != found.fingerprint:
            raise InputError(f"The corpus {found.name} is no longer the one that {run.id} was trained on.")
        return found

    def _loaded(self, source: str) -> Corpus:
        with self._reading:
            loaded, when = self._corpora.get(source, (None, 0.0))
            if loaded is None or time.monotonic() - when > FRESH:
                loaded = load_corpus(source)
                self._corpora[source] = (loaded, time.monotonic())
                while len(self._corpora) > CORPORA:
                    del self._corpora[next(iter(self._corpora))]
            return loaded

    def document(self, key: tuple[Any, ...], make: Callable[[], Document]) -> Document:
        """A report, made once for its key; the key says of what, and in which state."""

        def kept() -> Document:
            if key not in self._documents:
                self._documents[key] = make()
                while len(self._documents) > DOCUMENTS:
                    self._documents.popitem(last=False)
            self._documents.move_to_end(key)
            return self._documents[key]

        return self.draw(kept)

    def draw(self, make: Callable[[], T]) -> T:
        """Work something out that has pictures: one at a time."""

        def alone() -> T:
            with self._drawing:
                return make()

        return self.work.do(alone)

    def close(self) -> None:
        """Save and end what is at work."""
        self.work.close()
        self.jobs.close()


def _drawn(figure: Figure) -> Markup:
    return Markup(on_page(figure))  # nosec B704 (a picture of ours, in which all texts are escaped)
