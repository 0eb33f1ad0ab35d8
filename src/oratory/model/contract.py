"""The contract of every mechanism, run over the whole registry in the tests and on a user's own by `oratory check`."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from oratory.mechanisms import Mechanism, Merge, Pool, written_as
from oratory.mechanisms.registry import name_of
from oratory.model.config import ModelConfig, base
from oratory.model.generate import generate
from oratory.model.network import Transformer
from oratory.model.sparse import SHORTEST, allow
from oratory.tables import Table, Tabled

TOLERANCE = 1e-5
VOCABULARY = 23
MODELS = ("classifier", "lm")


@dataclass(frozen=True)
class PromiseCheck:
    """One promise, kept or not. A declared one is not kept, and the mechanism says so itself."""

    name: str
    model: str
    """The usual model that it was tried in."""
    verdict: str
    """passed, failed or declared."""
    detail: str = ""


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
        rows = tuple((check.name, check.model, check.verdict, check.detail) for check in self.checks)
        title = f"{self.kind}={self.mechanism}: {'passed' if self.passed else 'failed'}"
        return [Table(title, ("promise", "model", "verdict", "detail"), rows, words=4)]


class _BrokenError(Exception):
    """A promise that is not kept; the text says where."""


def check_mechanism(mechanism: Mechanism) -> Contract:
    """Run every promise that a mechanism makes, for encoders and for decoders."""
    checks = []
    across = isinstance(mechanism, Merge) and mechanism.across_tokens
    for model_name in MODELS[:1] if isinstance(mechanism, Pool) else MODELS:
        for name, promise in _promises(_config(None, model_name).causal, across):
            verdict, detail = "passed", ""
            try:
                with torch.set_grad_enabled(promise is _gradients_flow):
                    promise(mechanism, model_name)
            except _BrokenError as error:
                verdict, detail = "failed", str(error)
            except Exception as error:  # whatever somebody's mechanism raises
                verdict, detail = "failed", f"{type(error).__name__}: {error}"
            if verdict == "failed" and across and name in _OF_ONE_TOKEN:
                verdict, detail = "declared", "it mixes the tokens of a batch (across_tokens)"
            checks.append(PromiseCheck(name, model_name, verdict, detail))
    return Contract(mechanism.kind, name_of(type(mechanism)), checks)


Promise = Callable[[Mechanism, str], None]

_OF_ONE_TOKEN = ("the future does not leak", "padding changes nothing")


def _promises(causal: bool, across: bool) -> Iterator[tuple[str, Promise]]:
    yield "the configuration round-trips", _round_trips
    yield "gradients flow", _gradients_flow
    if causal:
        yield "the future does not leak", _future_does_not_leak
    yield "padding changes nothing", _padding_changes_nothing
    yield "weights are a distribution", _weights_are_a_distribution
    yield "the open path equals the fast one", _open_equals_fast
    yield "long texts: the open path equals the fast one", _open_equals_fast_when_long
    if causal and not across:
        yield "the cache changes nothing", _cache_changes_nothing
    yield "it differs from the baseline", _differs_from_baseline


def _config(mechanism: Mechanism | None, model_name: str, context: int = 24) -> ModelConfig:
    changes: dict[str, Any] = {} if mechanism is None else {mechanism.kind: mechanism}
    return base(model_name, VOCABULARY, classes=3, layers=2, heads=4, width=32, context=context, **changes)


def _model(mechanism: Mechanism | None, model_name: str, context: int = 24) -> Transformer:
    return Transformer(_config(mechanism, model_name, context), seed=1).eval()


def _ids(batch: int, length: int) -> Tensor:
    return torch.randint(0, VOCABULARY, (batch, length), generator=torch.Generator().manual_seed(2))


def _same(one: Tensor, other: Tensor, where: str) -> None:
    one, other = one.detach(), other.detach()
    if not (one.isfinite().all() and other.isfinite().all()):
        raise _BrokenError(f"{where}: not finite")
    apart = float((one - other).abs().max())
    if apart > TOLERANCE:
        raise _BrokenError(f"{where}: apart by {apart:.1e}")


def _round_trips(mechanism: Mechanism, model_name: str) -> None:
    config = _config(mechanism, model_name)
    again = ModelConfig.from_dict(json.loads(json.dumps(config.to_dict())))
    if again != config:
        raise _BrokenError(f"{written_as(mechanism)} reads back as {written_as(getattr(again, mechanism.kind))}")


def _gradients_flow(mechanism: Mechanism, model_name: str) -> None:
    model = _model(mechanism, model_name).train()
    logits = model(_ids(2, 12)).logits
    (logits.log_softmax(-1)[..., 0].sum()).backward()
    for name, parameter in model.named_parameters():
        if parameter.grad is None:
            raise _BrokenError(f"{name} has no gradient")
        if not parameter.grad.isfinite().all():
            raise _BrokenError(f"the gradient of {name} is not finite")
        # A bias of keys, or what is equal for all keys, drops out of the softmax; everything else must matter.
        if not parameter.grad.any() and not name.endswith("key.bias"):
            raise _BrokenError(f"the gradient of {name} is zero")


def _future_does_not_leak(mechanism: Mechanism, model_name: str) -> None:
    model, ids = _model(mechanism, model_name), _ids(2, 20)
    for cut in (1, 7, 19):
        other = ids.clone()
        other[:, cut:] = (other[:, cut:] + 5) % VOCABULARY
        _same(model(ids).hidden[:, :cut], model(other).hidden[:, :cut], f"tokens before {cut}")


def _padding_changes_nothing(mechanism: Mechanism, model_name: str) -> None:
    model, ids = _model(mechanism, model_name), _ids(3, 20)
    mask = torch.arange(20)[None] < torch.tensor([[20], [13], [1]])
    other = ids.masked_fill(~mask, 0)
    padded, changed = model(ids, mask), model(other, mask)
    _same(padded.hidden[mask], changed.hidden[mask], "other ids under the padding")
    alone = model(ids[1:2, :13])
    _same(padded.hidden[1, :13], alone.hidden[0], "a text alone and in a batch")
    if model.config.output == "classes":
        _same(padded.logits[1], alone.logits[0], "the logits of a text alone and in a batch")
    empty = model(ids, torch.zeros_like(mask))
    if not empty.logits.isfinite().all():
        raise _BrokenError("a text of padding alone gives values that are not finite")


def _weights_are_a_distribution(mechanism: Mechanism, model_name: str) -> None:
    model, ids = _model(mechanism, model_name), _ids(2, 20)
    mask = torch.arange(20)[None] < torch.tensor([[20], [13]])
    config = model.config
    places = torch.arange(20)
    allowed = allow(config.pattern, config.causal, places[:, None], places[None, :])[None] & mask[:, None]
    for layer, weights in enumerate(model(ids, mask, weights=True).weights):
        if (weights < 0).any():
            raise _BrokenError(f"layer {layer}: a weight below zero")
        sums = weights.sum(-1)[:, :, :13]
        _same(sums, torch.ones_like(sums), f"layer {layer}: the sum of a row")
        if (weights * ~allowed[:, None]).any():
            raise _BrokenError(f"layer {layer}: weight on padding, on the future, or outside of the pattern")


def _open_equals_fast(mechanism: Mechanism, model_name: str, length: int = 20) -> None:
    model, ids = _model(mechanism, model_name, length), _ids(2, length)
    mask = torch.arange(length)[None] < torch.tensor([[length], [length * 2 // 3]])
    for given in (None, mask):
        fast, opened = model(ids, given).hidden, model(ids, given, weights=True).hidden
        kept = mask if given is not None else torch.ones_like(mask)
        _same(fast[kept], opened[kept], "without padding" if given is None else "with padding")


def _open_equals_fast_when_long(mechanism: Mechanism, model_name: str) -> None:
    _open_equals_fast(mechanism, model_name, SHORTEST + 5)


def _cache_changes_nothing(mechanism: Mechanism, model_name: str) -> None:
    model = _model(mechanism, model_name)
    with_cache, without = (generate(model, [1, 2, 3], 12, seed=4, cache=cache) for cache in (True, False))
    if with_cache != without:
        raise _BrokenError(f"{with_cache} with a cache, {without} without")


def _differs_from_baseline(mechanism: Mechanism, model_name: str) -> None:
    if getattr(_config(None, model_name), mechanism.kind) == mechanism:
        return
    ids = _ids(2, 20)
    ours, baseline = _model(mechanism, model_name).train()(ids).logits, _model(None, model_name).train()(ids).logits
    if torch.equal(ours, baseline):
        raise _BrokenError("its outputs are those of the base settings")
