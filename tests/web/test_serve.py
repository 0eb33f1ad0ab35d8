"""Where the page listens, and when it asks for a token: by the real sockets, without a server behind them."""

import os
import socket
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from oratory.cli.serve import command
from oratory.errors import InputError
from oratory.web import serve as serving
from oratory.web.jobs import _surroundings
from oratory.web.serve import LARGE_PAGES, is_loopback, serve


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuple[str | None, str, str]]:
    """Serve until the page would answer: its token, the address of its socket, and what it says to the user."""

    monkeypatch.setenv(LARGE_PAGES, "1")  # So that it is as before when a test has ended.

    def start(**options: Any) -> tuple[str | None, str, str]:
        found: list[tuple[str | None, str]] = []
        said: list[str] = []

        def run(lab: object, token: str | None, listening: socket.socket, ready: Callable[[], None]) -> None:
            found.append((token, listening.getsockname()[0]))
            ready()

        monkeypatch.setattr(serving, "_run", run)
        serve(
            tmp_path,
            **({"host": signature(command).parameters["host"].default, "port": 0, "say": said.append} | options),
        )
        return (*found[0], said[0])

    return start


def test_only_this_machine_unless_told_otherwise(started: Callable[..., tuple[str | None, str, str]]) -> None:
    token, host, said = started()
    assert (token, host) == (None, "127.0.0.1")
    assert said.startswith("http://127.0.0.1:")
    assert "token" not in said


def test_large_pages_are_for_the_page_alone(
    started: Callable[..., tuple[str | None, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LARGE_PAGES, "0")
    started()
    assert os.environ[LARGE_PAGES] == "0", "whoever says otherwise is heard"
    monkeypatch.delenv(LARGE_PAGES)
    started()
    assert os.environ[LARGE_PAGES] == "1"
    assert LARGE_PAGES not in _surroundings()


def test_others_need_a_token_that_nobody_guesses(started: Callable[..., tuple[str | None, str, str]]) -> None:
    (one, host, said), (two, *_) = started(host="0.0.0.0"), started(host="0.0.0.0")
    assert host == "0.0.0.0"
    assert one is not None
    assert len(one) >= 24
    assert one != two
    assert said.endswith(f"/?token={one}")
    assert started(host="0.0.0.0", token="chosen-by-us")[0] == "chosen-by-us"
    assert started(token="chosen-by-us")[0] == "chosen-by-us"


@pytest.mark.parametrize("token", ["", "short", "with blank", "a" * 201, "<script>", "ümlaut-token"])
def test_a_token_that_is_none(started: Callable[..., tuple[str | None, str, str]], token: str) -> None:
    with pytest.raises(InputError, match="8 to 200 letters"):
        started(host="0.0.0.0", token=token)


def test_what_only_this_machine_can_reach() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "10.0.0.1", "lab.example", "")))


def test_a_port_that_is_taken_is_a_sentence(started: Callable[..., tuple[str | None, str, str]]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InputError, match="--port takes another"):
        started(port=taken.getsockname()[1])
