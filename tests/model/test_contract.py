"""The contract over the whole registry, on a user's own file, and on mechanisms that break it."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY, Feedforward, Mechanism, Merge, Pattern, Pool, Position, Registry, Scene, Shape
from oratory.mechanisms.hooks import HOOKS
from oratory.mechanisms.kinds import KINDS
from oratory.mechanisms.position.none import Absent
from oratory.model import Transformer, contract
from oratory.model.contract import check_mechanism, check_model, check_trained, small_model
from oratory.training.tasks import base

ALL = [(kind, name) for kind in KINDS for name in REGISTRY[kind]]
EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def failed(mechanism: Mechanism) -> set[str]:
    return {check.name for check in check_mechanism(mechanism).checks if check.verdict == "failed"}


@pytest.mark.parametrize(("kind", "name"), ALL, ids=[f"{kind}={name}" for kind, name in ALL])
def test_every_mechanism_keeps_the_contract(kind: str, name: str) -> None:
    found = check_mechanism(REGISTRY[kind][name]())
    assert found.passed, [check for check in found.checks if check.verdict == "failed"]
    declared = {check.name for check in found.checks if check.verdict == "declared"}
    if name == "reweight":
        assert declared == {"the future does not leak", "padding changes nothing"}
    else:
        assert declared == ({"weights are a distribution"} if name in NO_DISTRIBUTION else set())


NO_DISTRIBUTION = {
    *("sink", "off-by-one", "talking-heads", "differential", "sigmoid"),
    *("linear-attention", "retention", "gated-delta"),
}
"""What says itself that its weights do not sum to one, or that it has none."""


def test_the_example_passes_and_the_broken_one_is_caught() -> None:
    registry = Registry()
    (decay,) = registry.load_plugin(EXAMPLES / "decay.py")
    REGISTRY.load_plugin(EXAMPLES / "decay.py")
    assert check_mechanism(decay()).mechanism == "decay"
    (peek,) = REGISTRY.load_plugin(EXAMPLES / "broken.py")
    assert failed(peek()) >= {"the future does not leak", "padding changes nothing", "the cache changes nothing"}


@dataclass(frozen=True, kw_only=True)
class Gated(Position):
    """Sees the next token through a gate that is shut at first."""

    def build(self, shape: Shape) -> "Gate":
        return Gate()


class Gate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(1))

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + self.gate * x.roll(-1, 1)


def test_a_gate_that_is_shut_at_first_hides_nothing() -> None:
    assert "the future does not leak" in failed(Gated())


def test_a_trained_model_is_tried_again() -> None:
    config = replace(base("lm", 20, layers=1, width=8, context=8), position=Absent())
    kept = check_model(config)
    model = Transformer(config)
    assert check_trained(kept, model) == kept
    model.position = Gate()
    assert check_trained(kept, model) == kept  # The gate is still shut.
    nn.init.ones_(model.position.gate)
    (sentence,) = check_trained(kept, model).broken
    assert sentence.startswith("Once trained, it does not keep the promise that the future does not leak: with other")
    leaking = replace(kept, leaks=True)
    assert check_trained(leaking, model) is leaking  # It says so itself.


@dataclass(frozen=True, kw_only=True)
class Same(Position):
    """Turns nothing."""

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return q, k


@dataclass(frozen=True, kw_only=True)
class Explodes(Position):
    """Divides by zero."""

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        return scene.distance[:, None].to(q.dtype) / 0.0


@dataclass(frozen=True, kw_only=True)
class Raises(Position):
    """Is not finished."""

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        raise RuntimeError("no such thing")


@dataclass(frozen=True, kw_only=True)
class Detached(Position):
    """Keeps the tokens from learning."""

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x.detach() + positions[:, None]


@dataclass(frozen=True, kw_only=True)
class Noisy(Position):
    """Says something else each time."""

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        return torch.rand(1, 1, q.shape[2], k.shape[2])


@dataclass(frozen=True, kw_only=True)
class Undeclared(Merge):
    """Mixes tokens like reweight, and does not say so."""

    def merge(self, heads: Tensor, training: bool) -> Tensor:
        return heads - heads.mean(dim=(0, 1), keepdim=True)


@pytest.mark.parametrize(
    ("mechanism", "promise"),
    [
        (Explodes(), "gradients flow"),
        (Raises(), "gradients flow"),
        (Detached(), "gradients flow"),
        (Noisy(), "the open path equals the fast one"),
        (Undeclared(), "the future does not leak"),
        (Undeclared(), "padding changes nothing"),
        (Same(), "the configuration round-trips"),  # It is in no registry, so no text stands for it.
    ],
)
def test_what_breaks_the_contract_is_caught(mechanism: Position | Merge, promise: str) -> None:
    assert promise in failed(mechanism)


def test_a_mechanism_that_does_nothing_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = contract.usual_model
    monkeypatch.setattr(contract, "usual_model", lambda *kind: replace(usual(*kind), position=Absent()))
    assert "it differs from the baseline" in failed(Same())


def tried(model: str, **changes: Any) -> contract.ModelContract:
    """The contract of a model, by mechanisms that no registry knows of."""
    found = check_model(replace(base(model, 999, classes=2), **changes))
    told = [said for said in found.broken if "round-trips" not in said and "There is no" not in said]
    return replace(found, broken=tuple(told))


@pytest.mark.parametrize(
    ("model", "settings", "leaks", "declared"),
    [
        ("lm", {}, False, 0),
        ("classifier", {}, False, 0),
        ("lm", {"pattern": "window(size=1)", "position": "t5"}, False, 0),  # Queries have no gradient, rightly.
        ("lm", {"position": "rope", "kv_heads": 2, "heads": 4, "tied": True, "init": "gpt2"}, False, 0),
        ("lm", {"context": 2, "layers": 1, "width": 2, "feedforward": "relu(hidden=1)"}, False, 0),
        ("lm", {"width": 768, "heads": 12, "head_size": 128, "context": 300, "dropout": 0.5}, False, 0),
        ("classifier", {"position": "rope", "pool": "cls", "norm": "rms(place=post)"}, False, 0),
        ("lm", {"merge": "reweight"}, True, 2),
        ("lm", {"merge": "reweight(at_inference=off)"}, False, 0),
        ("classifier", {"merge": "reweight"}, False, 1),
    ],
)
def test_a_whole_model_is_checked(model: str, settings: dict[str, Any], leaks: bool, declared: int) -> None:
    found = check_model(base(model, 999, classes=2, **settings))
    assert (found.broken, found.leaks, len(found.declared), found.stops) == ((), leaks, declared, False)
    assert contract.ModelContract.of_values(found.to_dict()) == found


def test_a_model_that_sees_the_future_is_broken_and_says_where() -> None:
    REGISTRY.load_plugin(EXAMPLES / "broken.py")
    found = check_model(base("lm", 999, position="peek"))
    assert found.broken[0].startswith(
        "It does not keep the promise that the future does not leak: with other tokens from place 1 on, the outputs "
        "before them change by "
    )
    assert not found.stops
    assert (
        check_model(base("classifier", 999, classes=2, position="peek"))
        .broken[0]
        .startswith("It does not keep the promise that padding changes nothing")
    )


@dataclass(frozen=True, kw_only=True)
class Open(Position):
    """Says itself that it looks ahead."""

    across_tokens = True

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + x.roll(-1, dims=1)


def test_any_mechanism_may_declare_that_it_leaks() -> None:
    found = tried("lm", position=Open())
    assert found.leaks
    assert found.broken == ()
    assert "open mixes the tokens of a batch" in found.declared[0]


def test_small_models_are_small_and_fit() -> None:
    large = base("lm", 50_000, layers=12, heads=12, width=768, context=1024, dropout=0.1)
    small = small_model(large)
    assert (small.vocabulary, small.layers, small.heads, small.width, small.context, small.dropout) == (
        23, 2, 12, 96, 64, 0.0
    )  # fmt: skip

    class Wide(Absent):
        def check(self, shape: Shape) -> None:
            if shape.head_size < 32:
                raise InputError("Wide needs 32 columns.")

    assert small_model(replace(large, position=Wide())).width == 768
    assert check_mechanism(Wide()).checks[0].detail == "Wide needs 32 columns."


def hooked(kind: type[Mechanism], name: str, hook: Any) -> Mechanism:
    """A mechanism with one hook."""
    own: Any = type("Own", (kind,), {name: hook, "__doc__": "One's own."})
    made: Mechanism = dataclass(frozen=True, kw_only=True)(own)()
    return made


SHAPES = [
    (Position, "embed", lambda self, x, positions: x[..., 1:], "embed gave a tensor (2, 32, 15) of float32"),
    (Position, "embed", lambda self, x: x, "takes 2 positional arguments but 3 were given"),
    (Position, "embed", lambda self, x, positions: None, "embed gave something of type NoneType"),
    (Position, "rotate", lambda self, q, k, a, b: q, "rotate gave a tensor (2, 2, 32, 8)"),
    (Position, "rotate", lambda self, q, k, a, b: (q, k[:, :1]), "rotate gave 2 values: a tensor (2, 2, 32, 8)"),
    (Position, "bias", lambda self, q, k, scene: q, "bias gave a tensor (2, 2, 32, 8)"),
    (Position, "score", lambda self, s, q, k, scene: s[:1], "score gave a tensor (1, 2, 32, 32)"),
    (Position, "scale", lambda self, head_size: "big", "scale gave 'big'"),
    (Position, "limit", lambda self, shape: 2.5, "limit gave 2.5"),
    (Pattern, "allow", lambda self, q, k: q - k, "allow gave a tensor (6, 6) of int64"),
    (Pattern, "allow", lambda self, q, k: (q > k)[1:], "allow gave a tensor (5, 6) of bool"),
    (Merge, "merge", lambda self, heads, training: heads.flatten(2), "merge gave a tensor (2, 32, 16)"),
    (Pool, "pool", lambda self, x, mask: x, "pool gave a tensor (2, 32, 16)"),
    (Feedforward, "build", lambda self, width: nn.Linear(width, 3), "feedforward gave a tensor (2, 32, 3)"),
    (Feedforward, "build", lambda self, width: 3, "build gave something of type int as feedforward"),
]


@pytest.mark.parametrize(("kind", "name", "hook", "message"), SHAPES)
def test_a_hook_of_the_wrong_shape_is_told_the_right_one(
    kind: type[Mechanism], name: str, hook: Any, message: str
) -> None:
    mechanism = hooked(kind, name, hook)
    found = tried("classifier" if kind is Pool else "lm", **{kind.kind: mechanism})
    assert found.stops
    assert message in found.broken[0]
    told = "forward" if "nn.Linear" in message or message.startswith("feedforward") else name
    assert HOOKS[told].expected in found.broken[0]


def test_what_one_mistake_breaks_is_told_once() -> None:
    checks = [contract.PromiseCheck(name, "a model", "failed", "line 3: a mistake") for name in ("one", "two", "three")]
    [table] = contract.Contract("position", "mine", checks).tables()
    assert [row[-1] for row in table.rows] == ["line 3: a mistake", "the same", "the same"]


def test_every_hook_of_a_kind_has_its_shapes() -> None:
    position = {"embed", "rotate", "bias", "score", "scale", "limit", "used"}
    attention, mixer, objective = {"prepare", "values", "weigh", "outputs"}, {"mix"}, {"added"}
    residual = {"begin", "end", "block_of", "enter", "add", "block"}
    others = {"allow", "merge", "pool", "forward", "build", "check"}
    ends = {"vectors", "logits", "learn_from", "choose_on_dev"}
    assert set(HOOKS) == position | attention | residual | mixer | objective | ends | others
    for name, hook in HOOKS.items():
        assert hook.call.startswith(f"{name}(")


RAISES = '''
from dataclasses import dataclass

from torch import Tensor, nn

from oratory.mechanisms import Norm, Position


def deep(x):
    return x @ x


@dataclass(frozen=True, kw_only=True)
class Wrong(Position):
    """Not right."""

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return deep(x)
'''


def test_an_error_in_a_users_file_names_file_line_and_shapes(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(RAISES)
    registry = Registry()
    (wrong,) = registry.load_plugin(path)
    found = tried("lm", position=wrong())
    assert found.stops
    assert found.broken[0].startswith(f"{path}, line 10: RuntimeError: Expected size for first two dimensions")
    assert found.broken[0].endswith(f". {HOOKS['embed'].expected}")
    (check,) = [check for check in check_mechanism(wrong()).checks if check.name == "gradients flow"][:1]
    assert check.detail.startswith(f"{path}, line 10: RuntimeError")
