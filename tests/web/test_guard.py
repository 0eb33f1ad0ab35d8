"""Who may ask the page, from where, and how much."""

import asyncio
from html.parser import HTMLParser

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from oratory.web.app import build
from oratory.web.guard import LARGEST, Guard
from oratory.web.laboratory import Laboratory
from oratory.web.views import views
from tests.web.conftest import HOME, Kept

TOKEN = "a-token-of-the-tests"


def test_every_answer_has_the_headers(client: TestClient) -> None:
    for path in ("/runs", "/api/openapi.json", "/static/style.css", "/nothing", "/api/nothing"):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"


class Tags(HTMLParser):
    """Every tag of a page with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))


def test_pages_have_no_script_or_style_inside(client: TestClient, kept: Kept) -> None:
    """The rules of the page forbid both, so that no text of anybody can be one."""
    others = (f"runs/{kept.classifier}", f"comparisons/{kept.comparison}", "nothing")
    for name in (*(view.name for view in views()), *others):
        tags = Tags(client.get(f"/{name}").text).found
        assert len(tags) > 20
        for tag, attributes in tags:
            assert tag != "style", name
            assert not [each for each in attributes if each == "style" or each.startswith("on")], (name, tag)
            assert tag != "script" or attributes["src"], name
            assert (attributes.get("src") or attributes.get("href") or "/").startswith(("/", "#", "?")), (name, tag)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8765", "", "[", "@evil"])
def test_another_name_is_refused(client: TestClient, host: str) -> None:
    """Else a stranger could point a name of theirs at this machine, and read the page by it."""
    answer = client.get("/runs", headers={"host": host})
    assert answer.status_code == 421
    assert "127.0.0.1" in answer.json()["error"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:8765"])
def test_names_of_this_machine_are_fine(client: TestClient, host: str) -> None:
    assert client.get("/runs", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_what_changes_something_comes_from_the_page_itself(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/runs", headers=headers).status_code == 403
    own = {"origin": HOME, "sec-fetch-site": "same-origin"}
    assert client.post("/runs", headers=own).status_code == 405


def test_other_pages_may_link_to_a_view_and_not_ask_the_api(client: TestClient) -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/runs", headers=link).status_code == 200
    assert client.get("/api/openapi.json", headers=link).status_code == 403
    assert client.get("/runs", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}).status_code == 403


def test_a_body_is_bounded(client: TestClient) -> None:
    assert client.post("/runs", content=b" " * (LARGEST + 1)).status_code == 413
    assert client.post("/runs", content=iter([b" " * LARGEST, b" "])).status_code == 413
    assert client.post("/runs", content=b" " * LARGEST).status_code == 405


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A visitor who sends nothing would keep a connection for ever."""
    monkeypatch.setattr("oratory.web.guard.PATIENCE", 0.05)
    sent: list[Message] = []

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        pytest.fail("it was let in without its body")

    async def never() -> Message:
        await asyncio.sleep(60)
        raise AssertionError

    async def keep(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"content-length", b"5")]
    scope = {"type": "http", "method": "POST", "path": "/runs", "query_string": b"", "headers": headers}
    asyncio.run(Guard(inside)(scope, never, keep))
    assert sent[0]["status"] == 413


def test_listeners_are_bounded(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oratory.web.events.MOST", 0)
    answer = client.get("/api/jobs/events")
    assert (answer.status_code, "close some of them" in answer.json()["error"]) == (429, True)


def test_a_token_is_asked_for_and_then_kept_in_a_cookie(kept: Kept) -> None:
    with TestClient(build(Laboratory(kept.runs), TOKEN), "http://lab.example", follow_redirects=False) as client:
        refused = client.get("/runs")
        assert refused.status_code == 401
        assert "?token=" in refused.json()["error"]
        for wrong in ("", "x", TOKEN[:-1], TOKEN + "x", "ü"):
            assert client.get("/runs", params={"token": wrong}).status_code == 401
        first = client.get("/runs", params={"token": TOKEN, "sort": "seed"})
        assert (first.status_code, first.headers["location"]) == (303, "/runs?sort=seed")
        assert "HttpOnly" in first.headers["set-cookie"]
        assert client.get("/runs").status_code == 200
        client.cookies.clear()
        assert client.get("/runs", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
        outside = client.get("http://lab.example//evil.example/%0d%0aset-cookie:x", params={"token": TOKEN})
        assert outside.headers["location"] == "/evil.example/%0D%0Aset-cookie%3Ax"
