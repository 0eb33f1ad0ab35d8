"""The guard at the door: who may ask, from where, and how much; and the headers that every answer carries.

A page of a stranger, open in the same browser, can send requests to this machine. So the name that a request asks for
must be one of this machine's (else a stranger's name could be pointed at it), and what comes from another page is
refused.
"""

import asyncio
import hmac
import json
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST = 1_000_000
"""Bytes of a request's body."""
PATIENCE = 30.0
"""Seconds in which a body must arrive."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
READING = frozenset({"GET", "HEAD", "OPTIONS"})

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "form-action 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""Of every answer that does not have its own."""


class Guard:
    """Lets a request in, or answers it with a sentence."""

    def __init__(self, app: ASGIApp, token: str | None = None) -> None:
        self._app = app
        self._token = token
        """Without a token, only this machine by its own names may ask."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    own.setdefault(name, value)
            await send(message)

        wrong = self._stranger(scope, headers) or self._token_missing(scope, headers)
        if wrong:
            await _answer(send_guarded, *wrong, asks_page=_asks_page(headers))
            return
        if self._token and scope["method"] == "GET" and (kept := self._without_token(scope)) is not None:
            await _answer(send_guarded, 303, "", {"location": kept, "set-cookie": self._cookie(scope)})
            return
        body = await _read(headers, receive)
        if body is None:
            await _answer(
                send_guarded, 413, f"A request may have {LARGEST:,} bytes; this one has more, or is too slow."
            )
            return
        await self._app(scope, _again(body, receive), send_guarded)

    def _stranger(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Why a request that another page made, or that asks for another name, is refused."""
        asked = _host(headers.get("host", ""))
        if self._token is None and asked not in LOOPBACK:
            return 421, "This page is at 127.0.0.1 or localhost, not under another name."
        site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
        visits = scope["method"] == "GET" and mode == "navigate" and not scope["path"].startswith("/api/")
        if site not in (None, "same-origin", "none") and not visits:
            return 403, "This request comes from another page, and is refused."
        origin = headers.get("origin")
        if origin is not None and scope["method"] not in READING and not _is_own(origin, headers.get("host", "")):
            return 403, "This request comes from another page, and is refused."
        return None

    def _token_missing(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        if self._token is None:
            return None
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        given = [dict(_query(scope)).get("token", ""), bearer, _cookies(headers).get(_name(scope), "")]
        if any(hmac.compare_digest(each.encode("utf-8", "replace"), self._token.encode()) for each in given):
            return None
        return 401, "This page needs its token: open the address that `oratory serve` printed, with ?token= in it."

    def _without_token(self, scope: Scope) -> str | None:
        """The same address without the token, which then stands in a cookie and not in the history of the browser."""
        query = _query(scope)
        if not any(name == "token" for name, _ in query):
            return None
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        # Two slashes at the beginning would be the name of another machine.
        path = "/" + quote(scope["path"].lstrip("/"))
        return f"{path}?{rest}" if rest else path

    def _cookie(self, scope: Scope) -> str:
        return f"{_name(scope)}={self._token}; Path=/; HttpOnly; SameSite=Lax"


def _name(scope: Scope) -> str:
    """The name of the cookie: that of the port too, because two pages on one machine share their cookies."""
    server = scope.get("server")
    return f"oratory-{server[1] if server else 0}"


def _host(text: str) -> str:
    """The name in a Host header, without the port."""
    try:
        return (urlsplit(f"//{text}").hostname or "").lower()
    except ValueError:
        return ""


def _is_own(origin: str, host: str) -> bool:
    return urlsplit(origin).netloc.lower() == host.lower() if "://" in origin else False


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _cookies(headers: Headers) -> dict[str, str]:
    try:
        return {name: found.value for name, found in SimpleCookie(headers.get("cookie", "")).items()}
    except CookieError:
        return {}


async def _read(headers: Headers, receive: Receive) -> bytes | None:
    """The whole body; None where it is too large or does not come."""
    length = headers.get("content-length", "0")
    if length.isdigit() and int(length) > LARGEST:
        return None
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return b"".join(parts)
                parts.append(message.get("body", b""))
                if sum(map(len, parts)) > LARGEST:
                    return None
                if not message.get("more_body"):
                    return b"".join(parts)
    except TimeoutError:
        return None


def _again(body: bytes, receive: Receive) -> Receive:
    """The body once more, as one message; what comes after it is as it comes."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return left.pop() if left else await receive()

    return replay


def _asks_page(headers: Headers) -> bool:
    """Whether a person waits for a page, and no program for JSON."""
    return headers.get("accept", "").startswith("text/html")


async def _answer(
    send: Send, status: int, sentence: str, more: dict[str, Any] | None = None, *, asks_page: bool = False
) -> None:
    """A short answer of the guard itself."""
    body = sentence.encode() if asks_page or not sentence else json.dumps({"error": sentence}).encode()
    kind = "text/plain; charset=utf-8" if asks_page else "application/json"
    found = {"content-type": kind, "content-length": str(len(body)), **(more or {})}
    headers = [(name.encode(), value.encode("latin-1", "replace")) for name, value in found.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
