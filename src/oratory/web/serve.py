"""The server: one process on one port, of this machine alone unless there is a token."""

import ipaddress
import os
import re
import secrets
import socket
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from oratory.errors import InputError

if TYPE_CHECKING:
    from oratory.web.laboratory import Laboratory

LARGE_PAGES = "THP_MEM_ALLOC_ENABLE"
"""Lets PyTorch ask the system for memory in large pages. The maps of a long text are hundreds of megabytes that come
and go, and to get them in small pages took a third of the time."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{8,200}")


def serve(
    runs: Path | None = None,
    *,
    host: str,
    port: int,
    token: str | None = None,
    plugins: Sequence[Path] = (),
    say: Callable[[str], None],
) -> None:
    """Serve the page until Ctrl-C; `say` is told its address."""
    missing = [name for name in ("fastapi", "uvicorn") if find_spec(name) is None]
    if missing:
        raise InputError(f"The page needs {' and '.join(missing)}: pip install 'oratory[web]'")
    if token is not None and not _TOKEN.fullmatch(token):
        raise InputError("A token has 8 to 200 letters, digits, dashes or underscores; leave it out to have one made.")
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(18)
    os.environ.setdefault(LARGE_PAGES, "1")  # PyTorch reads it once.
    with _listening(host, port) as listening:
        from oratory.web.laboratory import Laboratory  # It loads torch; what is wrong with the words is said before.

        _run(Laboratory(runs, plugins), token, listening, lambda: say(address(listening, token)))


def address(listening: socket.socket, token: str | None) -> str:
    """What to type into a browser."""
    host, port = listening.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listening(host: str, port: int) -> socket.socket:
    """A socket of this address and port, or an InputError that says why there is none."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        # The name of the number: Python adds the address to what the system says.
        number = error.errno if isinstance(error, OSError) and error.errno else 0
        reason = os.strerror(number) if number > 0 else str(error)
        raise InputError(
            f"The page cannot be at port {port} of {host}: {reason}. --port takes another one, or 0 for any free one."
        ) from None


def _run(lab: "Laboratory", token: str | None, listening: socket.socket, ready: Callable[[], None]) -> None:
    import uvicorn

    from oratory.web.app import build

    config = uvicorn.Config(
        build(lab, token),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # Nobody before us may say who a visitor is.
        ws="none",
        timeout_graceful_shutdown=2,  # Those who listen to events would never leave by themselves.
    )
    ready()
    uvicorn.Server(config).run(sockets=[listening])
