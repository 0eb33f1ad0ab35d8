"""A mechanism from a notebook cell becomes a file that a run keeps."""

import linecache
import sys
from types import ModuleType
from typing import Any

import pytest

import oratory as ora
from oratory.errors import InputError
from oratory.execution.jobs import load_plugins
from oratory.mechanisms import REGISTRY
from oratory.mechanisms.cells import source_of
from tests.execution.training import TASKS

FIRST = """
import math
from dataclasses import dataclass
import torch
from oratory.mechanisms import Position as Kind

STRENGTH = 0.5

def slope(x):
    return math.sqrt(x) * STRENGTH
"""
SECOND = '''
@dataclass(frozen=True)
class Leaning(Kind):
    """Near tokens count more."""

    rate: float = 1.0
    """How much more."""

    def bias(self, q, k, scene):
        return -slope(self.rate) * scene.distance.abs()[:, None].float()
'''


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Cells are run one after the other in one module that has no file, as notebooks do."""
    module = ModuleType("a_notebook")
    monkeypatch.setitem(sys.modules, "a_notebook", module)

    def run(number: Any, text: Any) -> Any:
        name = f"<ipython-input-{number}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec"), vars(module))
        return module

    return run


def test_the_file_has_all_that_the_class_needs(cell: Any) -> None:
    cell(1, FIRST)
    text = source_of(cell(2, SECOND).Leaning)
    alone: dict[str, Any] = {"__name__": "alone"}
    exec(text, alone)
    assert alone["Leaning"](rate=4.0).rate == 4.0
    for line in ("import math", "from oratory.mechanisms.kinds import Position as Kind", "STRENGTH = 0.5"):
        assert line in text.splitlines()
    assert "import torch" not in text


@pytest.mark.slow
def test_a_run_keeps_it(cell: Any, place: Any, runs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cell(1, FIRST)
    made = cell(2, SECOND).Leaning
    settings = TASKS["classifier"] | {"position": "leaning(rate=2)"}
    run = ora.train("classifier", place / "corpus", settings, runs=runs, plugins=[made])
    (kept,) = run.record.plugins
    assert "class Leaning(Kind)" in (run.folder / kept.copy).read_text()
    assert len(run.score("We can.")) == 1
    # A changed class takes the place of the old one, and makes another run.
    changed = cell(3, SECOND.replace("-slope", "-2 * slope")).Leaning
    again = ora.train("classifier", place / "corpus", settings, runs=runs, plugins=[changed])
    assert again.id != run.id


def test_what_cannot_be_kept_is_named(cell: Any) -> None:
    cell(1, FIRST + "\nslope = [].append\n")
    with pytest.raises(InputError, match="uses 'slope', which cannot be kept"):
        source_of(cell(2, SECOND).Leaning)


def test_a_class_that_is_no_mechanism_is_refused(cell: Any) -> None:
    with pytest.raises(InputError, match="has no mechanism"):
        load_plugins([cell(1, "class Nothing:\n    def f(self): pass\n").Nothing])
    assert "nothing" not in REGISTRY["position"]
