"""The contract of mechanisms.

It is run over the whole registry in the tests, on a user's own file by `oratory check`, and on the model of every run
before it is trained and, for the future, after it.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import torch
from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms import Mechanism, written_as
from oratory.mechanisms.kinds import MODELS
from oratory.mechanisms.plugins import blame
from oratory.mechanisms.registry import name_of
from oratory.model.config import ModelConfig
from oratory.model.network import Transformer
from oratory.model.promises import (
    FUTURE,
    PADDING,
    BrokenError,
    DeclaredError,
    Promise,
    ids_for,
    loss_of,
    model_of,
    no_gradient_is_zero,
    promises,
    refuse_leak,
)
from oratory.model.sparse import SHORTEST
from oratory.model.watched import UnfitError
from oratory.seeds import seeded
from oratory.tables import Table, Tabled

VOCABULARY = 23
COLUMNS, LAYERS, CONTEXT = 8, 2, (8, 64)
"""The sizes of a small model: columns of a head at most, layers at most, and the least and the largest context."""


SAME = "the same"
"""The detail of a promise that broke as an earlier one did."""


@dataclass(frozen=True)
class PromiseCheck:
    """One promise, kept or not. A declared one is not kept, and the mechanism says so itself."""

    name: str
    model: str
    """The kind of model that it was tried in."""
    verdict: str
    """passed, failed or declared."""
    detail: str = ""
    stops: bool = False
    """Whether the model could not be computed at all."""


@dataclass(frozen=True)
class Contract(Tabled):
    """What the contract found of one mechanism."""

    kind: str
    mechanism: str
    checks: list[PromiseCheck]

    @property
    def passed(self) -> bool:
        return all(check.verdict != "failed" for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "passed": self.passed}

    def tables(self) -> list[Table]:
        told: set[str] = set()
        rows = []
        for check in self.checks:
            # What one mistake makes of every promise is said once.
            detail = SAME if check.detail and check.detail in told else check.detail
            told.add(check.detail)
            rows.append((check.name, check.model, check.verdict, detail))
        title = f"{self.kind}={self.mechanism}: {'passed' if self.passed else 'failed'}"
        return [Table(title, ("promise", "model", "verdict", "detail"), tuple(rows), words=4)]


@dataclass(frozen=True)
class ModelContract:
    """What the contract found of all mechanisms of a model together."""

    broken: tuple[str, ...] = ()
    """A sentence for each promise that is not kept."""
    declared: tuple[str, ...] = ()
    """The same where the mechanism says so itself."""
    leaks: bool = False
    """Whether the model sees the future, and says so: its figures are not those of a language model."""
    stops: bool = False
    """Whether the model cannot be computed at all."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for records; a model that cannot be computed has none."""
        return {"broken": list(self.broken), "declared": list(self.declared), "leaks": self.leaks}

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> "ModelContract":
        """The contract that `to_dict` described."""
        broken, declared = (tuple(map(str, values[name])) for name in ("broken", "declared"))
        return cls(broken, declared, bool(values["leaks"]))


def usual_model(output: str, causal: bool) -> ModelConfig:
    """The model that a mechanism is put into, and then compared with."""
    sizes = {"vocabulary": VOCABULARY, "classes": 3, "layers": 2, "heads": 4, "width": 32, "context": 24}
    return ModelConfig.from_dict({"output": output, "causal": causal, **sizes})


def check_mechanism(mechanism: Mechanism) -> Contract:
    """Run every promise that a mechanism makes, in every kind of model that can have it."""
    checks = []
    for output, causal in MODELS:
        if not mechanism.serves(output, causal):
            continue
        usual = usual_model(output, causal)
        changes: dict[str, Any] = {mechanism.kind: mechanism}
        try:
            config = replace(usual, **changes)
        except InputError as error:
            checks.append(PromiseCheck("it fits the base settings", usual.kind, "failed", str(error), stops=True))
            continue
        named = dict(promises(config))
        named["gradients flow"] = _both(named["gradients flow"], no_gradient_is_zero)
        named["it differs from the baseline"] = _differs_from(usual)
        checks += _tried(config, named.items(), usual.kind)
    return Contract(mechanism.kind, name_of(type(mechanism)), checks)


def check_model(config: ModelConfig) -> ModelContract:
    """Run every promise on a small model with the mechanisms of another one."""
    small = small_model(config)
    checks = _tried(small, promises(small, long=config.context >= SHORTEST), config.kind)
    failed = [check for check in checks if check.verdict == "failed"]
    declared = [check for check in checks if check.verdict == "declared"]
    return ModelContract(
        broken=tuple(map(_sentence, sorted(failed, key=lambda check: not check.stops))),
        declared=tuple(map(_sentence, declared)),
        leaks=any(check.name == FUTURE for check in declared),
        stops=any(check.stops for check in failed),
    )


def check_trained(contract: ModelContract, model: Transformer) -> ModelContract:
    """A contract that was kept before training, tried again: training may have opened a way to the future."""
    if not model.config.causal or contract.leaks or contract.broken:
        return contract
    try:
        with torch.no_grad():
            refuse_leak(model.eval())
    except BrokenError as error:
        return replace(contract, broken=(f"Once trained, it does not keep the promise that {FUTURE}: {error}.",))
    return contract


def small_model(config: ModelConfig) -> ModelConfig:
    """A model with the same mechanisms and as few numbers as they allow."""
    least, largest = CONTEXT
    few = replace(
        config,
        vocabulary=VOCABULARY,
        classes=3 if config.output == "classes" else config.classes,
        context=min(max(config.context, least), largest),
        dropout=0.0,
        embedding_dropout=None,
        attention_dropout=None,
        residual_dropout=None,
    )
    with suppress(InputError):  # A mechanism may need more layers.
        few = replace(few, layers=min(config.layers, LAYERS))
    columns = min(config.columns, COLUMNS)
    try:
        given = None if config.head_size is None else columns
        return replace(few, width=config.heads * columns, head_size=given)
    except InputError:  # A mechanism may need more columns.
        return few


def _tried(config: ModelConfig, named: Iterable[tuple[str, Promise]], model: str) -> list[PromiseCheck]:
    """Every promise, tried."""
    checks = []
    for name, promise in named:
        verdict, detail, stops = "passed", "", False
        try:
            with torch.no_grad():
                promise(config)
        except BrokenError as error:
            verdict, detail = "failed", str(error)
        except DeclaredError as error:
            verdict, detail = "declared", str(error)
        except Exception as error:  # whatever somebody's mechanism raises
            said = str(error) if isinstance(error, UnfitError | InputError) else f"{type(error).__name__}: {error}"
            verdict, detail, stops = "failed", blame(error) or said, True
        if verdict == "failed" and not stops and config.across_tokens and name in (FUTURE, PADDING):
            mixing = " and ".join(written_as(part) for part in config.mechanisms().values() if part.across_tokens)
            verdict, detail = "declared", f"{mixing} mixes the tokens of a batch (across_tokens)"
        checks.append(PromiseCheck(name, model, verdict, detail, stops))
    return checks


def _sentence(check: PromiseCheck) -> str:
    if check.stops:
        return check.detail
    return f"It does not keep the promise that {check.name}: {check.detail.rstrip('.')}."


def _both(one: Promise, other: Promise) -> Promise:
    def promise(config: ModelConfig) -> None:
        one(config)
        other(config)

    return promise


def _differs_from(usual: ModelConfig) -> Promise:
    def promise(config: ModelConfig) -> None:
        if config == usual:
            return
        ids = ids_for(config, 2)
        with seeded(1, "promise"):
            # Some differ in training only, and others only when they are used.
            same = all(
                torch.equal(*(_outcome(model_of(each).train(mode), ids) for each in (config, usual)))
                for mode in (True, False)
            )
        if same:
            raise BrokenError("its outputs are those of the base settings")

    return promise


def _outcome(model: Transformer, ids: Tensor) -> Tensor:
    """Logits and, of a model of tokens, the loss."""
    logits = model(ids).logits.flatten()
    return torch.cat([logits, loss_of(model, ids)[None]]) if model.config.output == "tokens" else logits
