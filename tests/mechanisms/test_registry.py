import re
from dataclasses import fields
from pathlib import Path

import pytest
import torch

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY, Position, Registry, written_as
from oratory.mechanisms.kinds import KINDS, Mechanism
from oratory.mechanisms.registry import describe, name_of
from oratory.model import ModelConfig, Transformer

FOUND = {
    "position": {"learned", "sinusoidal", "none", "rope", "alibi", "alibi-rope", "disentangled", "t5"},
    "pattern": {"full", "window", "block", "dilated", "longformer", "strided"},
    "merge": {"concat", "shuffle", "shift", "reweight", "reweight-per-token"},
    "pool": {"mean", "cls", "max", "last", "attention"},
    "norm": {"layer", "rms"},
    "feedforward": {"relu", "gelu", "swiglu"},
}
ALL = [cls for kind in KINDS for cls in REGISTRY[kind].values()]
PLUGIN = '''
from dataclasses import dataclass

from torch import Tensor

from oratory.mechanisms import Pattern, Position


@dataclass(frozen=True, kw_only=True)
class EveryOther(Pattern):
    """A token sees those at an even distance."""

    step: int = 2
    """How far apart
    they stand."""

    def allow(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        return (q_positions - k_positions) % self.step == 0


@dataclass(frozen=True, kw_only=True)
class _Hidden(Pattern):
    """Not for others."""
'''


def test_discovery_finds_every_mechanism() -> None:
    registry = Registry()
    assert {kind: set(registry[kind]) for kind in KINDS} == FOUND
    assert [len(registry[kind]) for kind in KINDS] == [8, 6, 5, 5, 2, 3]
    assert len(ALL) == 29


def test_every_file_in_the_folder_of_a_kind_is_one_mechanism() -> None:
    import oratory.mechanisms

    for kind, names in FOUND.items():
        files = Path(oratory.mechanisms.__path__[0], kind).glob("[!_]*.py")
        assert {file.stem.replace("_", "-") for file in files} == names


@pytest.mark.parametrize("cls", ALL, ids=name_of)
def test_every_mechanism_describes_itself(cls: type[Mechanism]) -> None:
    entry = describe(cls)
    assert entry.name == name_of(cls)
    assert REGISTRY[cls.kind][entry.name] is cls
    assert entry.about.endswith(".")
    assert "\n" not in entry.about
    # The merges of a student's report, and our own, are not in a paper.
    assert entry.paper or cls.kind == "merge"
    instance = cls()
    assert [parameter.name for parameter in entry.parameters] == [field.name for field in fields(cls)]
    for parameter in entry.parameters:
        assert parameter.help.endswith("."), parameter
        assert "\n" not in parameter.help
        assert parameter.default == getattr(instance, parameter.name)
        assert parameter.type in {"int", "float", "str", "bool", "int | None"}


def test_a_mechanism_describes_what_it_inherits() -> None:
    swiglu = {parameter.name: parameter for parameter in describe(REGISTRY["feedforward"]["swiglu"]).parameters}
    assert swiglu["hidden"].default is None
    assert swiglu["bias"].default is False
    rope = {parameter.name for parameter in describe(REGISTRY["position"]["alibi-rope"]).parameters}
    assert rope == {"base", "share", "layout"}


@pytest.mark.parametrize("cls", ALL, ids=name_of)
def test_what_is_written_reads_back(cls: type[Mechanism]) -> None:
    mechanism = cls()
    assert written_as(mechanism) == name_of(cls)
    assert REGISTRY.choose(cls.kind, written_as(mechanism)) == mechanism


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("position", "roep", "no position 'roep'. Did you mean 'rope'"),
        ("position", "absent", "no position 'absent'"),
        ("pattern", "windwo(size=3)", "Did you mean 'window'"),
        ("pattern", "window(sizes=3)", "no parameter of window 'sizes'. Did you mean 'size'"),
        ("pattern", "window(size=three)", "'three' is not a whole number"),
        ("merge", "shift(at_inference=maybe)", "neither on nor off"),
        ("pool", "((", "is not a pool"),
        ("patern", "window", "no kind of mechanism 'patern'. Did you mean 'pattern'"),
    ],
)
def test_a_wrong_choice_is_explained(kind: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        REGISTRY.choose(kind, text)


def test_a_users_own_file_adds_its_mechanisms(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN)
    registry = Registry()
    (added,) = registry.load_plugin(path)
    assert name_of(added) == "every-other"
    assert registry.choose("pattern", "every-other(step=3)") == added(step=3)  # type: ignore[call-arg]
    assert "every-other" not in REGISTRY["pattern"]
    entry = describe(added)
    assert entry.about == "A token sees those at an even distance."
    assert [(p.name, p.type, p.default, p.help) for p in entry.parameters] == [
        ("step", "int", 2, "How far apart they stand.")
    ]
    values = {"output": "tokens", "vocabulary": 7, "width": 8, "layers": 1, "pattern": "every-other"}
    model = Transformer(ModelConfig.from_dict(values, registry))
    (weights,) = model(torch.arange(6)[None], weights=True).weights
    assert weights[0, 0, 5].nonzero().flatten().tolist() == [1, 3, 5]


def test_a_users_own_file_that_changed_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "again.py"
    path.write_text(PLUGIN)
    registry = Registry()
    registry.load_plugin(path)
    path.write_text(
        PLUGIN.replace("step: int = 2", "step: int = 5  # a longer line").replace("How far", "How very far")
    )
    (added,) = registry.load_plugin(path)
    (parameter,) = describe(added).parameters
    assert (parameter.default, parameter.help) == (5, "How very far apart they stand.")


BROKEN = [
    ("x = 1\ndef broken(:\n", "line 2: SyntaxError"),
    ("x = 1\n\ny = x / 0\n", "line 3: ZeroDivisionError"),
    ("import nothing_of_that_name\n", "line 1: ModuleNotFoundError"),
    ("def f():\n    raise ValueError('no')\n\nf()\n", "line 2: ValueError: no"),
    ("import json\njson.loads('{')\n", "line 2: JSONDecodeError"),
    ("x = 1\n", "has no mechanism"),
    ("", "has no mechanism"),
    ("from oratory.mechanisms.pattern.window import Window\n", "has no mechanism"),
]


@pytest.mark.parametrize(("source", "message"), BROKEN)
def test_a_users_own_file_that_is_wrong_names_file_and_line(tmp_path: Path, source: str, message: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source)
    registry = Registry()
    with pytest.raises(InputError, match=message) as caught:
        registry.load_plugin(path)
    assert str(caught.value).startswith(str(path))
    assert {kind: set(registry[kind]) for kind in KINDS} == FOUND


def test_the_line_is_named_for_a_relative_path_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n\ny = x / 0\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"^mine.py, line 3: ZeroDivisionError"):
        Registry().load_plugin(Path("mine.py"))


def test_a_file_that_is_not_there_or_not_python(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"mine.py does not exist"):
        Registry().load_plugin(tmp_path / "mine.py")
    (tmp_path / "mine.txt").write_text(PLUGIN)
    with pytest.raises(InputError, match=r"mine.txt is not a Python file"):
        Registry().load_plugin(tmp_path / "mine.txt")


def test_a_class_may_name_itself() -> None:
    assert REGISTRY["position"]["none"].__name__ == "Absent"
    assert issubclass(REGISTRY["position"]["none"], Position)
