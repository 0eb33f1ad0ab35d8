"""The contract over the whole registry, on a user's own file, and on mechanisms that break it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from oratory.mechanisms import REGISTRY, Mechanism, Merge, Position, Registry, Scene
from oratory.mechanisms.kinds import KINDS
from oratory.mechanisms.position.none import Absent
from oratory.model import ModelConfig, base, contract
from oratory.model.contract import check_mechanism

ALL = [(kind, name) for kind in KINDS for name in REGISTRY[kind]]
EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def failed(mechanism: Mechanism) -> set[str]:
    return {check.name for check in check_mechanism(mechanism).checks if check.verdict == "failed"}


@pytest.mark.parametrize(("kind", "name"), ALL, ids=[f"{kind}={name}" for kind, name in ALL])
def test_every_mechanism_keeps_the_contract(kind: str, name: str) -> None:
    found = check_mechanism(REGISTRY[kind][name]())
    assert found.passed, [check for check in found.checks if check.verdict == "failed"]
    declared = {check.name for check in found.checks if check.verdict == "declared"}
    assert declared == ({"the future does not leak", "padding changes nothing"} if name == "reweight" else set())


def test_the_example_passes_and_the_broken_one_is_caught() -> None:
    registry = Registry()
    (decay,) = registry.load_plugin(EXAMPLES / "decay.py")
    REGISTRY.load_plugin(EXAMPLES / "decay.py")
    assert check_mechanism(decay()).mechanism == "decay"
    (peek,) = REGISTRY.load_plugin(EXAMPLES / "broken.py")
    assert failed(peek()) >= {"the future does not leak", "padding changes nothing", "the cache changes nothing"}


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
    def without_positions(task: str, vocabulary: int, **changes: Any) -> ModelConfig:
        return base(task, vocabulary, **({"position": Absent()} | changes))

    monkeypatch.setattr(contract, "base", without_positions)
    assert "it differs from the baseline" in failed(Same())
