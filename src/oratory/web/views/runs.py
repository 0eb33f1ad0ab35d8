"""Every run: a list with the filters of `oratory runs list`, one run, and the runs of one variant over their seeds."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse

from oratory import api
from oratory.errors import InputError
from oratory.reports.command import command_of
from oratory.reports.comparison import curves_topic as curves_over_seeds
from oratory.reports.document import Document, Section, document_of, section_of
from oratory.reports.run import curves_topic
from oratory.runs import Run
from oratory.runs.entry import Entry
from oratory.runs.listing import Listing
from oratory.web.asked import Asked, linked
from oratory.web.events import stream
from oratory.web.kinds import Id, Words
from oratory.web.laboratory import Laboratory
from oratory.web.pictures import as_image
from oratory.web.progress import job_progress, progress_of
from oratory.web.reports import Kind, report_answer
from oratory.web.view import View

Order = Annotated[bool, Query(description="The largest first.")]


class Runs(View):
    title = "Runs"
    about = "Every run of this folder, grouped by everything except the seed."
    place = 10

    def router(self, lab: Laboratory) -> APIRouter:
        router = APIRouter()
        self._add_pages(router, lab)
        self._add_api(router, lab)
        return router

    def _add_pages(self, router: APIRouter, lab: Laboratory) -> None:
        @router.get("/runs", include_in_schema=False)
        def page(
            request: Request, where: Words = "", sort: Words = "", descending: Order = False, group: Words = "seed"
        ) -> HTMLResponse:
            asked, entries = Asked(where, sort, descending, group), lab.store.entries()
            tables, wrong, total, words = [], "", 0, ["runs", "list"]
            try:
                found = asked.found(entries)
                tables, total, words = linked(found), found.total, asked.words()
            except InputError as error:
                wrong = str(error)
            return lab.page(
                request,
                "runs.html",
                400 if wrong else 200,
                view=self,
                asked=asked,
                tables=tables,
                wrong=wrong,
                total=total,
                count=len(entries),
                words=words,
            )

        @router.get("/runs/of/{group}", include_in_schema=False)
        def variant(request: Request, group: Id) -> HTMLResponse:
            members = [entry for entry in lab.store.entries() if entry.group == group]
            if not members:
                raise InputError("There are no runs of this variant any more.")
            finished = [lab.store.open(entry.id) for entry in members if entry.status == "finished"]
            name = members[0].variant
            state = ("group", group, *(run.id for run in finished))
            sections = lab.document(state, lambda: _over_seeds(name, finished)).sections if finished else ()
            tables = linked(Listing(tuple(members), len(members)))
            words = ["runs", "list", f"group={group}"]
            return lab.page(
                request, "variant.html", view=self, entry=members[0], sections=sections, tables=tables, words=words
            )

        @router.get("/runs/{name}", include_in_schema=False)
        def one(request: Request, name: Id) -> HTMLResponse:
            run = lab.store.current(lab.store.open(name))
            sections = lab.document(_state(run), lambda: _about(run)).sections if run.status == "finished" else ()
            return lab.page(
                request,
                "run.html",
                view=self,
                run=run,
                progress=progress_of(lab.store, run.id),
                job=lab.jobs.of_run(run.id),
                sections=sections,
                settings=run.all_settings(),
                made_by=command_of(run),
                variant=Entry.of(run).variant,
            )

        @router.get("/runs/{name}/report", include_in_schema=False)
        def report(name: Id, kind: Kind = "html") -> Response:
            run = lab.store.open(name)
            run.check_plugins()
            document = lab.document(("report", *_state(run)), lambda: document_of(run))
            return report_answer(document, run.id, kind)

    def _add_api(self, router: APIRouter, lab: Laboratory) -> None:
        @router.get("/api/runs")
        def runs(
            where: Words = "", sort: Words = "", descending: Order = False, group: Words = "none"
        ) -> dict[str, Any]:
            """Runs that meet conditions, in an order; or groups of them: what `oratory runs list --json` prints."""
            return Asked(where, sort, descending, group).found(lab.store.entries(), None).to_dict()

        @router.get("/api/runs/{name}")
        def run(name: Id) -> dict[str, Any]:
            """One run: what `oratory runs show --json` prints."""
            return lab.store.current(lab.store.open(name)).to_dict()

        @router.get("/api/runs/{name}/history")
        def history(name: Id) -> dict[str, Any]:
            """The evaluations of a run along its training."""
            return {"history": lab.store.open(name).history()}

        @router.get("/api/runs/{name}/baselines")
        def baselines(name: Id) -> dict[str, Any]:
            """A finished run beside the baselines of its corpus, as tables. They are measured once, and kept."""
            found = api.load_run(name, lab.runs)
            tables = lab.work.do(lambda: api.beside_baselines(found).tables())
            return {"tables": [vars(table) for table in tables], "warnings": found.warnings()}

        @router.get("/api/runs/{name}/curves.svg", include_in_schema=False)
        def curves(name: Id, at: int = 0, dark: bool = False) -> Response:
            found = lab.store.open(name)
            figures = lab.draw(lambda: section_of(curves_topic(found)).figures)
            if not figures or at not in range(len(figures)):
                raise InputError("There is nothing to draw of this run yet.")
            return Response(as_image(figures[at], dark), media_type="image/svg+xml")

        @router.get("/api/runs/{name}/events", include_in_schema=False)
        def events(request: Request, name: Id) -> StreamingResponse:
            found = lab.store.find(name)
            look = lambda: progress_of(lab.store, found).to_dict()  # noqa: E731
            return stream(request, "progress", look, lambda now: now["status"] in ("finished", "diverged"))

        @router.post("/api/runs/{name}/resume")
        def resume(name: Id) -> dict[str, Any]:
            """Continue a run that was stopped, as a job of the page."""
            found = lab.store.current(lab.store.open(name))
            if found.status != "interrupted":
                raise InputError(f"The run {found.id} is {found.status}; only one that was interrupted can continue.")
            return job_progress(lab.store, lab.jobs.resume(found.id))


def _state(run: Run) -> tuple[Any, ...]:
    """What a report on a run depends on."""
    return (run.id, tuple(run.record.files.items()))


def _about(run: Run) -> Document:
    """What the page of a finished run shows of it. The baselines are asked for by its script: they may take a while."""
    with run.telling():
        topics = run.task.results.topics(run)
    return Document(run.id, "", [section_of(topic) for topic in (*topics, curves_topic(run))])


def _over_seeds(name: str, runs: list[Run]) -> Document:
    sections: list[Section] = [section_of(curves_over_seeds({name: runs}, runs[0].id))]
    return Document(name, "", sections)
