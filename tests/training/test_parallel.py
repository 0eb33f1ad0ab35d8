"""Processes that meet, and that leave each other."""

import os
import signal
import socket
import sys
import time
from datetime import timedelta

import pytest
import torch
from torch import distributed, nn

from oratory.errors import Failed, InputError
from oratory.execution.machine import asked_to_stop
from oratory.training import parallel
from oratory.training.parallel import joined
from tests.execution.training import free_port, wait_until
from tests.program import ended, tell
from tests.several import start_several

pytestmark = pytest.mark.long

CPU = torch.device("cpu")


def leave_with_an_error(rank: int) -> None:
    """Leave with an error, while a thread of the process group waits for Python's lock."""
    torch.set_num_threads(1)
    try:
        with joined(CPU) as members:
            model, value = members.wrap(nn.Linear(2, 2)), torch.zeros(1)
            sys.setswitchinterval(1000)
            distributed.all_reduce(value, async_op=True)
            until = time.monotonic() + 0.3
            while time.monotonic() < until:  # Not a sleep, which would let go of the lock.
                pass
            raise InputError(f"{rank} of {type(model)} fails.")
    except InputError:
        pass


def test_those_who_leave_with_an_error_end() -> None:
    assert ended(*start_several(leave_with_an_error), seconds=60) == [0, 0]


def fail_and_go_on(rank: int) -> None:
    """The leader fails but does not end; the other one waits for its word."""
    try:
        with joined(CPU) as members:
            model = members.wrap(nn.Linear(2, 2))
            if members.leads:
                raise InputError(f"The leader of {type(model)} fails.")
            members.agree(1)
    except InputError:
        time.sleep(600)
    except Failed as error:
        begin = "Process 1 of 2 lost the others, and ends. The one that ended first says why. ("
        os._exit(7 if str(error).startswith(begin) and "gloo" not in str(error) else 1)


def test_the_others_notice_a_leader_that_fails_and_goes_on() -> None:
    leader, follower = start_several(fail_and_go_on)
    try:
        assert ended(follower, seconds=60) == [7]
    finally:
        leader.kill()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of the tests is not ended, however slow the framework is."""
    monkeypatch.setattr(parallel, "GRACE", 600.0)


def meet(rank: int) -> None:
    with asked_to_stop(), joined(CPU):  # As in training.
        pass


def meet_shortly(rank: int) -> None:
    parallel.MEETING = timedelta(seconds=1)
    meet(rank)


ENDING = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
"""Ctrl-C, and what torchrun sends to the others when one is lost."""


@ENDING
def test_a_signal_ends_a_leader_that_waits_for_the_others(number: signal.Signals) -> None:
    port = free_port()

    def listens() -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", port)) == 0

    (leader,) = start_several(meet, ranks=[0], port=port)
    wait_until(listens)
    tell(leader, number)
    assert ended(leader, seconds=60) == [-number]


@ENDING
def test_a_signal_ends_a_follower_that_waits_for_the_leader(number: signal.Signals) -> None:
    with socket.create_server(("127.0.0.1", free_port())) as silent:
        silent.settimeout(60)
        (follower,) = start_several(meet, ranks=[1], port=silent.getsockname()[1])
        with silent.accept()[0] as connection:
            connection.recv(1)
            tell(follower, number)
            assert ended(follower, seconds=60) == [-number]


def test_a_leader_that_never_answers_is_not_waited_for_longer_than_was_said() -> None:
    with socket.create_server(("127.0.0.1", free_port())) as silent:
        (follower,) = start_several(meet_shortly, ranks=[1], port=silent.getsockname()[1])
        assert ended(follower, seconds=60)[0] in (1, 2)


def test_the_others_never_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "MEETING", timedelta(seconds=1))
    for name, value in {"WORLD_SIZE": "2", "RANK": "0", "MASTER_ADDR": "127.0.0.1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MASTER_PORT", str(free_port()))
    with pytest.raises(InputError, match=r"but they did not meet: .* 1/2 clients joined"), joined(CPU):
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("leader_lives", [True, False])
def test_a_leader_that_is_gone_before_they_meet(
    leader_lives: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert timedelta(seconds=60) >= parallel.MEETING
    monkeypatch.setattr(parallel, "MEETING", timedelta(seconds=2))
    monkeypatch.setattr(parallel, "SOON", 0.1)
    port = str(free_port())
    rank = "0" if leader_lives else "1"
    for name, value in {"WORLD_SIZE": "2", "RANK": rank, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}.items():
        monkeypatch.setenv(name, value)
    began = time.monotonic()
    with pytest.raises(InputError, match="but they did not meet"), joined(CPU):
        pass
    assert time.monotonic() - began < 30
    said = f"Waiting for all 2 processes to meet at 127.0.0.1:{port}, for 2 seconds at the most.\n"
    assert said in capsys.readouterr().err


def die_while_the_leader_measures(rank: int) -> None:
    """The leader has work of its own, and the other one is killed; the leader is to notice when it next asks."""
    try:
        with joined(CPU) as members:
            members.any(False)
            if not members.leads:
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(2)
            began = time.monotonic()
            members.any(False)
    except Failed as error:
        os._exit(7 if time.monotonic() - began < 20 and "lost the others" in str(error) else 1)


def test_the_leader_notices_at_once_who_died_while_it_measured() -> None:
    assert ended(*start_several(die_while_the_leader_measures), seconds=60) == [7, -signal.SIGKILL]


def ask_one(rank: int) -> None:
    with joined(CPU) as members:
        found = [members.any(False), members.any(rank == 0), members.any(rank == 1), members.any(True)]
    os._exit(7 if found == [False, True, True, True] else 1)


def test_one_process_speaks_for_all() -> None:
    assert ended(*start_several(ask_one), seconds=60) == [7, 7]
