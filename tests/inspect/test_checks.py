"""Every check passes on every mechanism, and every check fails on a map that was tampered with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from oratory.inspect import Rules, attend, check
from oratory.inspect.checks import FUTURE, NAMES, PADDING, PATHS, PATTERN, ROWS
from oratory.mechanisms import REGISTRY, Position, Scene
from oratory.model import Transformer
from oratory.tables import Table
from oratory.training.tasks import base
from tests.inspect.small import SENTENCE, trained

MECHANISMS = [(kind, name) for kind in ("position", "pattern", "merge") for name in REGISTRY[kind]]


def test_there_are_mechanisms_to_check() -> None:
    assert len(MECHANISMS) >= 19


@pytest.mark.parametrize("task", ["lm", "encoder"])
@pytest.mark.parametrize(("kind", "name"), MECHANISMS)
def test_every_mechanism_passes(kind: str, name: str, task: str) -> None:
    changes: dict[str, Any] = {"layers": 2, "heads": 4, "width": 32, "context": 24, "kv_heads": 2, kind: name}
    model = Transformer(base(task, 13, **changes), 5)
    found = attend(model, [at % 13 for at in range(17)], pad_to=24)
    assert [check.name for check in found.checks] == list(NAMES)
    assert found.passed, found.checks


Tamper = Callable[[Tensor], None]
LAYER, HEAD, ROW = 1, 0, 6


def _scaled(weights: Tensor) -> None:
    weights[0, HEAD, ROW] *= 1.001


def _negative(weights: Tensor) -> None:
    weights[0, HEAD, ROW, 5] -= 0.5
    weights[0, HEAD, ROW, 6] += 0.5


def _moved_to(key: int) -> Tamper:
    def tamper(weights: Tensor) -> None:
        weights[0, HEAD, ROW, 6] -= 1e-4
        weights[0, HEAD, ROW, key] += 1e-4

    return tamper


def _swapped(weights: Tensor) -> None:
    weights[0, HEAD, ROW, [5, 6]] = weights[0, HEAD, ROW, [6, 5]]


def _not_a_number(weights: Tensor) -> None:
    weights[0, HEAD, ROW, 6] = float("nan")


@pytest.mark.parametrize(
    ("tamper", "broken"),
    [
        (_scaled, {ROWS, PATHS}),
        (_negative, {ROWS, PATHS}),
        (_moved_to(9), {FUTURE, PATTERN, PATHS}),
        (_moved_to(7), {FUTURE, PATHS}),
        (_moved_to(19), {PADDING, FUTURE, PATTERN, PATHS}),
        (_moved_to(0), {PATTERN, PATHS}),
        (_swapped, {PATHS}),
        (_not_a_number, {ROWS, PATHS}),
    ],
)
@pytest.mark.parametrize("rows", [1, 1000])
def test_a_tampered_map_fails_and_the_place_is_named(
    tamper: Tamper, broken: set[str], rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oratory.inspect.checks.BLOCK", rows)  # Whether it looks at a row at a time, or at all.
    run = trained("window")  # A decoder whose tokens see themselves and the two before them.

    def hook(module: Any, given: Any, output: tuple[Tensor, Tensor | None]) -> tuple[Tensor, Tensor | None]:
        if output[1] is None:  # The answer of the model needs no maps.
            return output
        weights = output[1].clone()
        tamper(weights)
        return output[0], weights

    handle = run.model.blocks[LAYER].attention.register_forward_hook(hook)  # type: ignore[union-attr]
    try:
        # The other layer is asked for, and the checks look at this one all the same.
        found = attend(run, SENTENCE, layer=0, pad_to=20)
    finally:
        handle.remove()
    assert {each.name for each in found.checks if not each.passed} == broken
    for each in found.checks:
        if each.name in broken:
            assert (each.layer, each.head, each.row) == (LAYER, None if each.name == PATHS else HEAD, ROW)
            assert each.worst is None or each.worst > each.tolerance
    assert not found.passed
    table: Table = found.tables()[0]
    assert {row[0] for row in table.rows if row[1] == "FAILED"} == broken
    assert attend(run, SENTENCE, pad_to=20).passed


@dataclass(frozen=True, kw_only=True)
class Fickle(Position):
    """Adds something else to the scores each time, so that no map is what another call computes."""

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        _CALLS.append(1)
        return torch.zeros(1, 1, q.shape[2], k.shape[2]) + 0.1 * len(_CALLS) * torch.arange(k.shape[2])


_CALLS: list[int] = []


def test_a_plugin_whose_paths_differ_fails() -> None:
    model = Transformer(base("encoder", 9, layers=1, width=8, position=Fickle()), 0)
    found = attend(model, [1, 2, 3, 4])
    assert [each.name for each in found.checks if not each.passed] == [PATHS]


def test_maps_from_anywhere_can_be_checked() -> None:
    found = attend(trained("decoder"), SENTENCE, pad_to=20)
    verdicts = check(found.weights, found.rules)
    assert [each.name for each in verdicts] == [name for name in NAMES if name != PATHS]
    assert all(each.passed for each in verdicts)
    future = found.weights.copy()
    future[1, 1, 3] = np.roll(future[1, 1, 3], 1)
    wrong = [each for each in check(future, found.rules) if not each.passed]
    assert [(each.name, each.where) for each in wrong] == [(FUTURE, "layer 1, head 1, row 3")]


def test_a_query_that_sees_nothing_has_no_weights() -> None:
    """Padding far behind a text sees no token of it through a window."""
    config = base("lm", 9, layers=1, width=8, pattern="window(size=2)")
    found = attend(Transformer(config, 0), [1, 2, 3], pad_to=8)
    assert found.weights.sum(-1).round(5).tolist() == [[[1, 1, 1, 1, 0, 0, 0, 0]] * 2]
    assert found.passed
    filled = found.weights.copy()
    filled[0, 0, 6, 1] = 1
    assert {each.name for each in check(filled, found.rules) if not each.passed} == {ROWS, PATTERN}


def test_what_there_is_nothing_to_look_at_says_so() -> None:
    rules = Rules.of(base("encoder", 9), np.ones(4, dtype=bool))
    notes = {each.name: each.note for each in check(np.full((1, 1, 4, 4), 0.25, np.float32), rules)}
    assert notes == {
        ROWS: "",
        PADDING: "nothing is padded",
        FUTURE: "an encoder sees what follows",
        PATTERN: "full allows every pair of these tokens",
    }
