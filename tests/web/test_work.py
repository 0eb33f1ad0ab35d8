"""Turns at the processors: few threads compute, however many visitors ask, so that memory does not grow with them."""

import os
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any

import pytest
import torch
from fastapi.testclient import TestClient
from torch.nn.modules.module import register_module_forward_pre_hook

from oratory.execution.machine import threads
from oratory.web.work import BusyError, Work
from tests.web.conftest import Kept

VISITORS = 24


def test_models_compute_in_few_threads(client: TestClient, kept: Kept) -> None:
    """Every thread that computes with PyTorch keeps memory for itself, for every length of text."""
    computed: set[int] = set()
    asked = threading.Barrier(VISITORS)

    def visit(number: int) -> list[int]:
        asked.wait(60)
        text = "we will go on " * (1 + number % 5) + str(number)
        questions: dict[str, dict[str, Any]] = {
            "/api/attention/maps": {"run": kept.lm, "text": text},
            "/api/attention/lens": {"run": kept.lm, "text": text},
            "/api/language/score": {"runs": [kept.lm], "text": text},
            "/api/language/step": {"run": kept.lm, "prompt": text},
            f"/api/classifier/{kept.classifier}/score": {"text": text},
            f"/api/classifier/{kept.classifier}/why": {"text": text},
        }
        return [client.post(path, json=body).status_code for path, body in questions.items()]

    hook = register_module_forward_pre_hook(lambda *given: computed.add(threading.get_ident()))
    try:
        with ThreadPoolExecutor(VISITORS) as visitors:
            assert {code for codes in visitors.map(visit, range(VISITORS)) for code in codes} == {200}
    finally:
        hook.remove()
    assert 1 <= len(computed) <= (os.cpu_count() or 1)


def test_each_thread_computes_alone() -> None:
    """Else every step of a computation waits for all processors, which other visitors and trainings use as well."""
    with threads(2):
        assert Work(1).do(torch.get_num_threads) == 1
        assert torch.get_num_threads() == 2


def test_who_finds_the_line_full_is_told_so() -> None:
    work, begun, go = Work(1, waiting=1), threading.Event(), threading.Event()

    def slowly() -> bool:
        begun.set()
        return go.wait(60)

    with ThreadPoolExecutor(2) as visitors:
        first = visitors.submit(work.do, slowly)
        assert begun.wait(60)
        second = visitors.submit(work.do, slowly)
        while work._places.acquire(blocking=False):  # The second one has its place a moment after it is asked for.
            work._places.release()
            time.sleep(0.01)
        with pytest.raises(BusyError):
            work.do(slowly)
        go.set()
        assert first.result(60)
        assert second.result(60)
    assert work.do(lambda: 5) == 5


def test_an_error_is_given_to_who_asked() -> None:
    work = Work(1)
    with pytest.raises(ZeroDivisionError):
        work.do(lambda: 1 // 0)
    assert work.do(lambda: 5) == 5


def test_what_has_not_begun_is_not_computed_at_the_end() -> None:
    work, begun, go = Work(1), threading.Event(), threading.Event()

    def slowly() -> bool:
        begun.set()
        return go.wait(60)

    with ThreadPoolExecutor(2) as visitors:
        first = visitors.submit(work.do, slowly)
        assert begun.wait(60)
        second = visitors.submit(work.do, lambda: pytest.fail("it was computed"))
        while not work._threads._work_queue.qsize():
            time.sleep(0.01)
        work.close()
        go.set()
        assert first.result(60)
        with pytest.raises(CancelledError):
            second.result(60)
