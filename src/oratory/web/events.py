"""Server-sent events: what changes while a visitor looks."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from oratory.web.work import BusyError

EVERY = 1.0
"""Seconds from one look to the next."""
ALIVE = 15
"""Looks without a change after which a comment is sent, so that nobody takes the connection for dead."""
MOST = 100
"""Visitors that listen at once."""
_listening: set[int] = set()


def stream(request: Request, name: str, look: Callable[[], Any], ended: Callable[[Any], bool]) -> StreamingResponse:
    """Tell a visitor what `look` finds, whenever that is something new, until it has ended or nobody listens."""
    if len(_listening) >= MOST:
        raise BusyError(f"{MOST} pages listen to this one already; close some of them.")

    async def told() -> AsyncIterator[str]:
        me = id(request)
        _listening.add(me)
        try:
            before, silent = None, 0
            while not await request.is_disconnected():
                found = await run_in_threadpool(look)
                silent = silent + 1 if found == before else 0
                if found != before:
                    yield f"event: {name}\ndata: {json.dumps(found)}\n\n"
                elif silent % ALIVE == 0:
                    yield ": still here\n\n"
                before = found
                if ended(found):
                    yield "event: end\ndata: {}\n\n"
                    return
                await asyncio.sleep(EVERY)
        finally:
            _listening.discard(me)

    return StreamingResponse(told(), media_type="text/event-stream")
