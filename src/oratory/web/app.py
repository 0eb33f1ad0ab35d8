"""The application: all views behind one guard, with OpenAPI beside them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool

from oratory import __version__
from oratory.web.answers import SafeJson, answer_errors
from oratory.web.guard import Guard
from oratory.web.laboratory import Laboratory
from oratory.web.views import views

STATIC = Path(__file__).parent / "static"
LINES = files("oratory.reports") / "templates" / "lines.js"
"""What draws lines between tokens, here and in the saved page of maps."""


def build(lab: Laboratory, token: str | None = None) -> Guard:
    """The page on a folder of runs; with a token, for those who have it."""

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(lab.close)

    app = FastAPI(
        title="Oratory",
        version=__version__,
        description="A laboratory for small transformers.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # Its page would load scripts from a network.
        redoc_url=None,
        default_response_class=SafeJson,
        lifespan=living,
    )
    answer_errors(app, lab)

    @app.get("/static/drawn-lines.js", include_in_schema=False)
    def lines() -> Response:
        return Response(LINES.read_text("utf-8"), media_type="text/javascript")

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for view in views():
        app.include_router(view.router(lab), tags=[view.name])

    @app.get("/", include_in_schema=False)
    def first() -> RedirectResponse:
        return RedirectResponse(f"/{views()[0].name}")

    # Around all of it, so that answers to errors of our own have its headers too.
    return Guard(app, token)
