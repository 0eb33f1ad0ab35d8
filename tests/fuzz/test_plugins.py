"""Plugins that are no Python, or not yet."""

from pathlib import Path
from unittest.mock import patch

from hypothesis import strategies as st

from oratory.mechanisms import REGISTRY
from oratory.mechanisms.kinds import KINDS
from tests.fuzz.tried import a_folder, damaged, refused_at_most, texts, tried

GOOD = Path("docs/examples/decay.py")
SOURCE = (Path(__file__).parents[2] / GOOD).read_bytes()
BROKEN = (
    *("raise SystemExit", "raise SystemExit('x')", "1 / 0", "assert False", "(" * 300, "x = " + "-" * 5000 + "1"),
    *("class A(", "import nothing_of_this_name", "from oratory.mechanisms import Nothing", "\0", "\ufeff\ufeff", "\\"),
    *("def f(:\n  pass", "'" * 3, "await x", "return", "lambda", "# coding: nothing", "# coding: utf-7\n+AGE-"),
    *("raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})", "raise RecursionError", "raise MemoryError"),
)


def load(content: bytes) -> None:
    with a_folder() as folder, patch.object(REGISTRY, "_loaded", {kind: dict(REGISTRY[kind]) for kind in KINDS}):
        (folder / "mine.py").write_bytes(content)
        with refused_at_most():
            REGISTRY.load_plugin(folder / "mine.py")


@tried(damaged(SOURCE))
def test_a_damaged_file(content: bytes) -> None:
    load(content)


@tried(st.binary(max_size=60) | texts.map(str.encode))
def test_any_bytes(content: bytes) -> None:
    load(content)


@tried(st.sampled_from(BROKEN), st.booleans())
def test_broken_python(code: str, after: bool) -> None:
    load((SOURCE if after else b"") + b"\n" + code.encode())
