"""Comparisons and searches: verdicts with their pictures, curves over seeds, and the reports."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from oratory import api
from oratory.errors import unknown
from oratory.reports.command import command_of
from oratory.reports.document import Document, document_of
from oratory.runs.results import KeptResult
from oratory.web.kinds import Id
from oratory.web.laboratory import Laboratory
from oratory.web.reports import Kind, report_answer
from oratory.web.view import View


class Comparisons(View):
    title = "Comparisons"
    about = "Variants with the same seeds, and whether they differ; also searches, ensembles and studies of scale."
    place = 20

    def router(self, lab: Laboratory) -> APIRouter:
        router = APIRouter()

        def known(name: str) -> KeptResult:
            entries = {entry.id: entry for entry in api.list_results(lab.runs).entries}
            if name not in entries:
                raise unknown("comparison or search", name, entries)
            return entries[name]

        def document(name: str) -> Document:
            state = (name, known(name).created)
            return lab.document(state, lambda: document_of(api.load_result(name, lab.runs)))

        @router.get("/comparisons", include_in_schema=False)
        def page(request: Request) -> HTMLResponse:
            results = api.list_results(lab.runs)
            links = [f"/comparisons/{entry.id}" for entry in results.entries]
            return lab.page(request, "comparisons.html", view=self, results=results, links=links)

        @router.get("/comparisons/{name}", include_in_schema=False)
        def one(request: Request, name: Id) -> HTMLResponse:
            return lab.page(request, "comparison.html", view=self, name=name, document=document(name))

        @router.get("/comparisons/{name}/report", include_in_schema=False)
        def report(name: Id, kind: Kind = "html") -> Response:
            return report_answer(document(name), name, kind)

        @router.get("/api/comparisons")
        def results() -> dict[str, Any]:
            """The comparisons and searches of the folder: what `oratory runs list --comparisons --json` prints."""
            return api.list_results(lab.runs).to_dict()

        @router.get("/api/comparisons/{name}")
        def result(name: Id) -> dict[str, Any]:
            """One comparison or search: what `oratory compare --json` printed."""
            known(name)
            loaded = lab.work.do(lambda: api.load_result(name, lab.runs))
            return {**loaded.to_dict(), "command": command_of(loaded)}

        return router
