"""What stays in memory, and what does not."""

import threading
import time

import pytest

from oratory.web.kept import Kept


def test_an_answer_is_worked_out_once_and_the_oldest_goes() -> None:
    kept: Kept[int] = Kept(2)
    made: list[int] = []

    def make(number: int) -> int:
        made.append(number)
        return 10 * number

    assert [kept.get(number, lambda number=number: make(number)) for number in (1, 2, 1, 3, 1, 2)] == [  # type: ignore[misc]
        *(10, 20, 10, 30, 10, 20)
    ]
    assert made == [1, 2, 3, 2]
    assert len(kept._making) <= 2


def test_many_who_ask_at_once_wait_for_the_first() -> None:
    kept: Kept[int] = Kept(2)
    made: list[int] = []

    def slowly() -> int:
        time.sleep(0.1)
        made.append(1)
        return 7

    threads = [threading.Thread(target=kept.get, args=("key", slowly)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_what_fails_leaves_nothing() -> None:
    kept: Kept[int] = Kept(2)
    for number in range(50):
        with pytest.raises(ZeroDivisionError):
            kept.get(number, lambda: 1 // 0)
    assert len(kept._making) == 0
    assert kept.get(1, lambda: 5) == 5
