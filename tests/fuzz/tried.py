"""Properties that are tried on a few inputs with every change, and on as many as there is time for by `make fuzz`."""

import os
import secrets
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from oratory.errors import Failed, InputError

FEW = 5
"""Examples of a property in `make test`."""
ROUND = 10
"""Examples between two looks at the clock."""
LIMIT = 20.0
"""Seconds of the processor after which one example has failed; all of them take far less."""
PATIENCE = 600.0
"""Seconds after which it has failed in any case: it may wait for something that does not come."""
SECONDS = float(os.environ.get("ORATORY_FUZZ_SECONDS", "120"))
"""What all properties may take together in `make fuzz`."""
SEED = int(os.environ.get("ORATORY_FUZZ_SEED") or secrets.randbelow(2**32))
"""What the examples follow from: new ones each time, unless it is given."""
ROUNDS = float(os.environ.get("ORATORY_FUZZ_ROUNDS") or "inf")
"""After how many rounds a property ends before its time is up: with a seed, these are the same examples everywhere."""
CASES = "cases"
"""What a test that ran long says: how many examples it has tried."""
PROPERTIES: list[str] = []
"""Those that are tried, each for its share of the time."""

_CALM = {
    "deadline": None,
    "database": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
}

WORDS = (
    *("<script>alert(1)</script>", "</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<!--", "-->"),
    *("]]>", '" onload="alert(1)', "' autofocus onfocus='a()", "javascript:alert(1)", "[a](javascript:b)", "![](x)"),
    *("&lt;", "&#60;b&#62;", "<", ">", "&", "\\input{x}", "\\write18{x}", "\\end{document}", "^^5cinput", "$x$", "%"),
    *("{{7*7}}", "{% x %}", "<< x >>", "#read(x)", '#image("/x")', "`", "```", "|", "\n", "\r", "\t", "\0", "\x1b[2J"),
    *("\x9b31m", "\u202e", "\u2028", "\ufeff", "\ufffe", "\U0001f600", "é", "e\u0301", "ß", "İ", "=1+1", "+1", "-1"),
    *("@SUM(A1)", "=cmd|'/C x'!A0", ",", ";", "'", '"', "../..", "/", "~", "nan", "inf", "1e999", "0", "none", "word"),
)
"""Pieces of text that mean something to somebody."""
texts = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=8).map("".join)
"""Hostile texts that can be written as UTF-8."""
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.sampled_from([10**9, -1, 10**400, "3", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=4,
)


def tried(*strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A property as two tests: a few examples, always the same; and, marked `fuzz`, new ones until time is up."""

    def decorate(holds: Callable[..., None]) -> Callable[..., None]:
        cases = Counter[str]()

        @wraps(holds)
        def counted(**drawn: Any) -> None:
            cases[holds.__name__] += 1
            holds(**drawn)

        few = settings(max_examples=FEW, derandomize=True, **_CALM)(given(*strategies)(counted))  # type: ignore[arg-type]
        many = settings(max_examples=ROUND, **_CALM)(given(*strategies)(counted))  # type: ignore[arg-type]

        def test(is_long: bool, record_property: Callable[[str, object], None]) -> None:
            if not is_long:
                few()
                return
            until, done = time.monotonic() + _share(), 0
            while done < ROUNDS and time.monotonic() < until:
                seed(SEED + done)(many)()
                done += 1
            record_property(CASES, cases[holds.__name__])

        PROPERTIES.append(holds.__name__)
        both = [pytest.param(False, id="few"), pytest.param(True, id="many", marks=pytest.mark.fuzz)]
        made: Callable[..., None] = pytest.mark.parametrize("is_long", both)(test)
        return made

    return decorate


def _share() -> float:
    """The seconds of one property."""
    return SECONDS * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) / len(PROPERTIES)


@contextmanager
def refused_at_most(limit: float = LIMIT) -> Iterator[None]:
    """What happens here ends in time, and in nothing worse than a sentence."""

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"it takes more than {limit:g} seconds of the processor, or waits")

    # The time of a busy machine that goes to others does not count.
    timers = ((signal.ITIMER_PROF, signal.SIGPROF, limit), (signal.ITIMER_REAL, signal.SIGALRM, PATIENCE))
    before = [signal.signal(number, late) for _, number, _ in timers]
    for timer, _, seconds in timers:
        signal.setitimer(timer, seconds)
    try:
        with suppress(InputError, Failed):
            yield
    finally:
        for (timer, number, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


@contextmanager
def a_folder() -> Iterator[Path]:
    """An empty folder, in memory where the system has one."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="oratory-fuzz-", dir=memory if memory.is_dir() else None) as made:
        yield Path(made)


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """The content with bits flipped, parts cut, doubled, or written over."""
    found = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(found)))
        end = min(len(found), at + draw(st.integers(0, 40)))
        match draw(st.sampled_from(("flip", "cut", "double", "write", "insert", "end"))):
            case "flip" if at < len(found):
                found[at] ^= 1 << draw(st.integers(0, 7))
            case "cut":
                del found[at:end]
            case "double":
                found[at:at] = found[at:end] * draw(st.integers(1, 50))
            case "write":
                found[at:end] = draw(st.binary(min_size=end - at, max_size=end - at))
            case "insert":
                found[at:at] = draw(st.binary(max_size=8) | texts.map(str.encode))
            case "end":
                del found[at:]
    return bytes(found)


@st.composite
def changed(draw: st.DrawFn, values: Any) -> Any:
    """Plain values with one of them, at any depth, replaced or gone."""
    if isinstance(values, dict) and values and draw(st.integers(0, 9)):
        key = draw(st.sampled_from(sorted(values)))
        if draw(st.integers(0, 9)) == 0:
            return {name: value for name, value in values.items() if name != key}
        return values | {key: draw(changed(values[key]))}
    if isinstance(values, list) and values and draw(st.booleans()):
        at = draw(st.integers(0, len(values) - 1))
        return [*values[:at], draw(changed(values[at])), *values[at + 1 :]]
    return draw(any_json)
