"""What is at work: the jobs that were started from the page, and runs that others train in the same folder."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, StreamingResponse

from oratory.web.events import stream
from oratory.web.kinds import Id
from oratory.web.laboratory import Laboratory
from oratory.web.progress import job_progress, progress_of
from oratory.web.view import View


class Jobs(View):
    title = "At work"
    about = "Trainings and comparisons that were started here, and runs that are trained from elsewhere."
    place = 40

    def router(self, lab: Laboratory) -> APIRouter:
        router = APIRouter()

        def now() -> dict[str, Any]:
            store = lab.store
            jobs = [job_progress(store, job) | {"command": lab.command(*job.words)} for job in lab.jobs.all()]
            # Those of one training stand in its job.
            shown = {run["run"] for job in jobs if job["total"] == 1 for run in job["runs"]}
            running = [entry.id for entry in store.entries() if entry.status == "running" and entry.id not in shown]
            return {"jobs": jobs, "runs": [progress_of(store, name).to_dict() for name in running]}

        @router.get("/jobs", include_in_schema=False)
        def page(request: Request) -> HTMLResponse:
            return lab.page(request, "jobs.html", view=self, slots=lab.jobs.slots)

        @router.get("/api/jobs")
        def jobs() -> dict[str, Any]:
            """Every job, the newest first, and the runs that others train."""
            return now()

        @router.get("/api/jobs/events", include_in_schema=False)
        def events(request: Request) -> StreamingResponse:
            return stream(request, "jobs", now, lambda found: False)

        @router.get("/api/jobs/{name}")
        def job(name: Id) -> dict[str, Any]:
            """One job, with what it has said so far."""
            return job_progress(lab.store, lab.jobs.get(name)) | {"lines": lab.jobs.lines(name)}

        @router.post("/api/jobs/{name}/stop")
        def stop(name: Id) -> dict[str, Any]:
            """Interrupt a job as Ctrl-C does: what it has is saved."""
            return job_progress(lab.store, lab.jobs.stop(name))

        @router.post("/api/jobs/{name}/again")
        def again(name: Id) -> dict[str, Any]:
            """Continue a job that stopped: the same command once more."""
            return job_progress(lab.store, lab.jobs.again(name))

        return router
