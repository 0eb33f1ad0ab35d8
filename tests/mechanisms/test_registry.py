import os
import re
from dataclasses import fields
from pathlib import Path

import pytest
import torch

from oratory.errors import InputError
from oratory.files import digest
from oratory.mechanisms import REGISTRY, Position, Registry, written_as
from oratory.mechanisms.kinds import KINDS, Mechanism
from oratory.mechanisms.plugins import plugin_of
from oratory.mechanisms.registry import describe, name_of
from oratory.model import ModelConfig, Transformer

FOUND = {
    "embedding": {"tokens", "hashed-ngrams", "adaptive"},
    "position": {
        *("learned", "sinusoidal", "none", "rope", "alibi", "alibi-rope", "disentangled", "t5"),
        *("shaw", "transformer-xl", "kerple", "fire", "cope", "xpos", "rope-ntk", "rope-yarn"),
        *("rope-nope", "sandwich"),
    },
    "pattern": {"full", "window", "block", "dilated", "longformer", "strided"},
    "merge": {"concat", "shuffle", "shift", "reweight", "reweight-per-token"},
    "pool": {"mean", "cls", "max", "last", "attention"},
    "norm": {"layer", "rms", "dynamic-tanh", "scale"},
    "feedforward": {"relu", "gelu", "swiglu", "geglu", "reglu", "relu2", "experts"},
    "attention": {
        *("softmax", "qk-norm", "softcap", "sink", "off-by-one", "talking-heads", "differential", "sigmoid"),
        *("sparsemax", "entmax", "gated", "value-residual", "exclusive"),
    },
    "residual": {
        *("add", "rezero", "layer-scale", "sandwich", "parallel", "macaron", "every-layer-counts", "u-net"),
        *("shared", "stochastic-depth", "hyper-connections"),
    },
    "mixer": {"none", "token-shift", "short-convolution", "linear-attention", "retention", "gated-delta"},
    "objective": {"none", "z-loss", "multi-token", "past-decoding"},
    "head": {
        "linear",
        "mixture-of-softmaxes",
        "adaptive",
        "good-turing",
        "hybrid-cache",
        "hybrid-kneser-ney",
        "hybrid-mixture",
        "hybrid-ngrams",
    },
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
    assert [len(registry[kind]) for kind in KINDS] == [3, 18, 6, 5, 5, 4, 7, 13, 11, 6, 4, 8]
    assert len(ALL) == 90


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


SECOND = """

@dataclass(frozen=True, kw_only=True)
class Other(Pattern):
    \"\"\"Another one.\"\"\"

    name = "every-other"
"""


def renamed(name: str) -> str:
    return PLUGIN.replace("EveryOther", name)


def test_a_users_own_file_cannot_take_a_name(tmp_path: Path) -> None:
    registry = Registry()
    window, first, second, twice = (tmp_path / f"{name}.py" for name in ("window", "first", "second", "twice"))
    window.write_text(renamed("Window"))
    with pytest.raises(InputError) as caught:
        registry.load_plugin(window)
    assert str(caught.value) == (
        f"{window}: the class Window would take the name pattern=window from the class Window (built in); give the "
        "class another name."
    )
    first.write_text(PLUGIN)
    second.write_text(PLUGIN + "\n\n" + renamed("Fresh"))
    registry.load_plugin(first)
    with pytest.raises(InputError, match=rf"second.py: .*pattern=every-other from the class EveryOther \({first}\)"):
        registry.load_plugin(second)
    twice.write_text(PLUGIN + SECOND)
    with pytest.raises(InputError, match=r"the class Other would take the name pattern=every-other"):
        Registry().load_plugin(twice)
    # Nothing of a file that is refused is kept.
    assert set(registry["pattern"]) == FOUND["pattern"] | {"every-other"}


def test_two_files_of_one_name_are_two(tmp_path: Path) -> None:
    registry = Registry()
    paths = tmp_path / "a" / "mine.py", tmp_path / "b" / "mine.py"
    for path, name in zip(paths, ("EveryOther", "EveryThird"), strict=True):
        path.parent.mkdir()
        path.write_text(renamed(name).replace("even distance", f"distance of {name}"))
    found = [registry.load_plugin(path)[0] for path in paths]
    assert [plugin_of(cls).path for cls in found] == list(paths)  # type: ignore[union-attr]
    assert "EveryOther" in describe(found[0]).about
    assert "EveryThird" in describe(found[1]).about


def test_what_runs_is_what_the_checksum_is_of(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN)
    registry = Registry()
    (added,) = registry.load_plugin(path)
    plugin = plugin_of(added)
    assert plugin is not None
    assert (plugin.path, plugin.content, plugin.sha256) == (path, path.read_bytes(), digest(path.read_bytes()))
    # As long as before, and as old: bytecode beside the file would still be taken for its own.
    times = path.stat()
    path.write_text(PLUGIN.replace("step: int = 2", "step: int = 3"))
    os.utime(path, (times.st_atime, times.st_mtime))
    (again,) = registry.load_plugin(path)
    assert again().step == 3  # type: ignore[attr-defined]
    assert not (tmp_path / "__pycache__").exists()
    # What the file no longer has is gone.
    path.write_text(renamed("Fresh"))
    registry.load_plugin(path)
    assert set(registry["pattern"]) == FOUND["pattern"] | {"fresh"}


def test_a_copy_is_known_as_the_users_file(tmp_path: Path) -> None:
    copy = tmp_path / "copy.py"
    copy.write_text(PLUGIN)
    (added,) = Registry().load_plugin(copy, known_as=tmp_path / "mine.py")
    assert plugin_of(added).path == tmp_path / "mine.py"  # type: ignore[union-attr]
    copy.write_text("x = 1 / 0")
    with pytest.raises(InputError, match=r"^.*mine.py, line 1: ZeroDivisionError"):
        Registry().load_plugin(copy, known_as=tmp_path / "mine.py")


BROKEN = [
    ("from oratory.mechanisms import Mechanism\nclass Own(Mechanism):\n    pass\n", "Own must inherit from one of"),
    ("import sys\nsys.exit(3)\n", "line 2: SystemExit: 3"),
    ("class E(Exception):\n    __str__ = None\n\nraise E\n", "line 4: E: it has no message"),
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
    (tmp_path / "latin.py").write_bytes("# caf\xe9".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.py is not UTF-8"):
        Registry().load_plugin(tmp_path / "latin.py")
    (tmp_path / "mine.txt").write_text(PLUGIN)
    with pytest.raises(InputError, match=r"mine.txt is not a Python file"):
        Registry().load_plugin(tmp_path / "mine.txt")


def test_a_class_may_name_itself() -> None:
    assert REGISTRY["position"]["none"].__name__ == "Absent"
    assert issubclass(REGISTRY["position"]["none"], Position)
