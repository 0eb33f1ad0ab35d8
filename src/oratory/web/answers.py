"""Answers of the API as JSON that is safe wherever it ends up, and errors as a sentence."""

import json
import logging
import math
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from oratory.errors import NO_MEMORY, Failed, InputError
from oratory.mechanisms.plugins import blame
from oratory.training.loop import is_out_of_memory
from oratory.web.laboratory import Laboratory
from oratory.web.work import BusyError

API = "/api/"
WENT_WRONG = "Something went wrong in Oratory itself; the terminal of `oratory serve` says what."


class SafeJson(JSONResponse):
    """JSON without any `<`, so that no part of it is markup, and with null for a number that is not finite."""

    def render(self, content: Any) -> bytes:
        text = json.dumps(_plain(content), separators=(",", ":"), allow_nan=False)
        return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").encode()


def _plain(value: Any) -> Any:
    """A value that JSON can hold."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def answer_errors(app: FastAPI, lab: Laboratory) -> None:
    """Errors become sentences: as JSON from the API, and as a page elsewhere."""

    def told(request: Request, status: int, sentence: str) -> Response:
        if request.url.path.startswith(API):
            return SafeJson({"error": sentence}, status)
        return lab.page(request, "error.html", status, sentence=sentence)

    @app.exception_handler(InputError)
    async def wrong_input(request: Request, error: InputError) -> Response:
        return told(request, 400, str(error))

    @app.exception_handler(Failed)
    async def failed(request: Request, error: Failed) -> Response:
        return told(request, 409, str(error))

    @app.exception_handler(BusyError)
    async def busy(request: Request, error: BusyError) -> Response:
        return told(request, 429, str(error))

    @app.exception_handler(UnicodeEncodeError)
    async def no_text(request: Request, error: UnicodeEncodeError) -> Response:
        return told(request, 400, "A text has characters that are not Unicode.")

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return told(request, 422, " ".join(_sentence(each) for each in error.errors()[:3]))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        known = {404: "There is no such page.", 405: "This address does not take such a request."}
        return told(request, error.status_code, known.get(error.status_code, str(error.detail)))

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        if is_out_of_memory(error):
            return told(request, 413, NO_MEMORY)
        if sentence := blame(error):  # An error in a user's own file.
            return told(request, 400, sentence)
        logging.getLogger("oratory.web").error("%s failed", request.url.path, exc_info=error)
        return told(request, 500, WENT_WRONG)


def _sentence(error: dict[str, Any]) -> str:
    """What is wrong with one value that was sent, in words."""
    where = ".".join(str(part) for part in error["loc"][1:]) or "The body"
    if error["type"] == "string_too_long":
        return f"{where}: it has {len(error['input']):,} characters, and {error['ctx']['max_length']:,} are the most."
    return f"{where}: {str(error['msg']).rstrip('.')}."
