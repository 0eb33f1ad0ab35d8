"""What takes long to work out stays in memory for a while: the newest answers, up to a number of them."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Answers by their keys. Many who ask for one answer at once wait for the first of them to work it out."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The answer for a key, worked out where it is not there."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._found:
                    self._found.move_to_end(key)
                    return self._found[key]
            try:
                made = make()
            except BaseException:
                with self._lock:
                    self._making.pop(key, None)  # Wrong keys leave nothing behind.
                raise
            with self._lock:
                self._found[key] = made
                while len(self._found) > self._most:
                    gone, _ = self._found.popitem(last=False)
                    self._making.pop(gone, None)
            return made
