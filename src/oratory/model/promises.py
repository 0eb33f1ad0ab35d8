"""What the mechanisms of a model promise together. Each promise is a function that raises where it is broken."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch import Tensor

from oratory.mechanisms import TrainingText, written_as
from oratory.model.config import ModelConfig
from oratory.model.generation import generate
from oratory.model.head import Targets
from oratory.model.network import Output, Transformer
from oratory.model.sparse import SHORTEST, allow
from oratory.model.watched import watched
from oratory.seeds import derive, seeded

TOLERANCE = 1e-5
WEIGHTS = "weights are a distribution"
FUTURE, PADDING = "the future does not leak", "padding changes nothing"
NOISE = 0.1
"""Of every parameter of a model that is tried."""
LONG = 40
"""Tokens of a text that is counted."""
NEW = 12
"""Tokens that are generated, at most."""

Promise = Callable[[ModelConfig], None]


class BrokenError(Exception):
    """A promise that is not kept; the text says where."""


class DeclaredError(Exception):
    """A promise that a mechanism says itself that it does not make; the text says why."""


def promises(config: ModelConfig, long: bool = True) -> Iterator[tuple[str, Promise]]:
    """Every promise that concerns a model; `long` asks for texts that attention computes by blocks too."""
    yield "the configuration round-trips", _round_trips
    yield "gradients flow", _gradients_flow
    if config.causal:
        yield FUTURE, _future_does_not_leak
    yield PADDING, _padding_changes_nothing
    yield WEIGHTS, _weights_are_a_distribution
    yield "the open path equals the fast one", _open_equals_fast
    if long:
        yield "long texts: the open path equals the fast one", _open_equals_fast_when_long
    if config.causal and config.output == "tokens" and not config.across_tokens:
        yield "the cache changes nothing", _cache_changes_nothing


def model_of(config: ModelConfig, context: int | None = None) -> Transformer:
    """A small model, the same for the same configuration.

    Every parameter has noise added, which follows from its name: what starts at zero, such as a gate, is open.
    """
    model = watched(replace(config, context=context or config.context), seed=1).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            generator = torch.Generator().manual_seed(derive(1, f"noise of {name}"))
            parameter.add_(NOISE * torch.randn(parameter.shape, generator=generator))
    if model.counts_text:  # A text of which it can know something.
        texts = list(ids_for(config, 4, LONG))
        labels = [at % config.classes for at in range(len(texts))] if config.output == "classes" else []
        model.learn_from(TrainingText(texts, [f"word{index}" for index in range(config.vocabulary)], labels))
    return model


def ids_for(config: ModelConfig, batch: int, length: int | None = None) -> Tensor:
    """Tokens, as many as the context unless a length is given."""
    size = (batch, length or config.context)
    return torch.randint(0, config.vocabulary, size, generator=torch.Generator().manual_seed(2))


def _mask(length: int, *lengths: int) -> Tensor:
    """True for tokens, false for padding: a row for each length."""
    return torch.arange(length)[None] < torch.tensor(lengths)[:, None]


def _apart(one: Tensor, other: Tensor, where: str) -> float:
    """How far two outputs differ, in units of their size where they are large."""
    one, other = one.detach(), other.detach()
    if not (one.isfinite().all() and other.isfinite().all()):
        raise BrokenError(f"{where}: not finite")
    if not one.numel():
        return 0.0
    return float((one - other).abs().max()) / max(1.0, float(one.abs().max()))


def _same(one: Tensor, other: Tensor, where: str) -> None:
    apart = _apart(one, other, where)
    if apart > TOLERANCE:
        raise BrokenError(f"{where}: apart by {apart:.1e}")


def _round_trips(config: ModelConfig) -> None:
    again = ModelConfig.from_dict(json.loads(json.dumps(config.to_dict())))
    for name, value in config.to_dict().items():
        if getattr(again, name) != getattr(config, name):
            raise BrokenError(f"{name}={value} reads back as {again.to_dict()[name]}")


def _gradients_flow(config: ModelConfig) -> None:
    for name, gradient in gradients(config).items():
        if gradient is None:
            raise BrokenError(f"{name} has no gradient")
        if not gradient.isfinite().all():
            raise BrokenError(f"the gradient of {name} is not finite")


def no_gradient_is_zero(config: ModelConfig) -> None:
    """Every parameter matters, which is more than a model has to promise: a window of one token needs no queries."""
    for name, gradient in gradients(config).items():
        # A bias of keys, or what is equal for all keys, drops out of the softmax; everything else must matter.
        if gradient is not None and not gradient.any() and not name.endswith("key.bias"):
            raise BrokenError(f"the gradient of {name} is zero")


def gradients(config: ModelConfig) -> dict[str, Tensor | None]:
    """The gradient of every parameter."""
    ids = ids_for(config, 2)
    # What is drawn in training is to be the same each time.
    with torch.enable_grad(), seeded(1, "promise"):
        model = model_of(config).train()
        loss = model(ids).logits.log_softmax(-1)[..., 0].sum()
        if hasattr(model.objective, "added"):
            loss = loss + loss_of(model, ids)
        loss.backward()
    return {name: parameter.grad for name, parameter in model.named_parameters()}


def loss_of(model: Transformer, ids: Tensor) -> Tensor:
    """The loss of a model of tokens that is to predict each token's follower, or in an encoder the token itself."""
    wanted = ids.roll(-1, 1) if model.config.causal else ids
    output: Output = model(ids, targets=Targets(wanted, wanted.numel()))
    assert output.loss is not None
    return output.loss


def _future_does_not_leak(config: ModelConfig) -> None:
    refuse_leak(model_of(config))


def refuse_leak(model: Transformer) -> None:
    """Raise where a token changes what is computed before it."""
    ids = ids_for(model.config, 2).to(next(model.parameters()).device)
    length = ids.shape[1]

    def outputs(ids: Tensor, cut: int) -> Tensor:
        found: Output = model(ids)
        return (found.logits if model.config.output == "tokens" else found.hidden)[:, :cut]

    for cut in (1, length // 3, length - 1):
        other = ids.clone()
        other[:, cut:] = (other[:, cut:] + 5) % model.config.vocabulary
        where = f"with other tokens from place {cut} on, the outputs before them"
        apart = _apart(outputs(ids, cut), outputs(other, cut), where)
        if apart > TOLERANCE:
            raise BrokenError(f"{where} change by {apart:.1e}")


def _padding_changes_nothing(config: ModelConfig) -> None:
    model, ids = model_of(config), ids_for(config, 3)
    part = ids.shape[1] * 2 // 3
    mask = _mask(ids.shape[1], ids.shape[1], part, 1)
    other = ids.masked_fill(~mask, 0)
    padded, changed = model(ids, mask), model(other, mask)
    _same(padded.hidden[mask], changed.hidden[mask], "other ids under the padding")
    alone = model(ids[1:2, :part])
    _same(padded.hidden[1, :part], alone.hidden[0], "a text alone and in a batch")
    if config.output == "classes":
        _same(padded.logits[1], alone.logits[0], "the logits of a text alone and in a batch")
    empty = model(ids, torch.zeros_like(mask))
    if not empty.logits.isfinite().all():
        raise BrokenError("a text of padding alone gives values that are not finite")


def _weights_are_a_distribution(config: ModelConfig) -> None:
    if config.mixer.instead:
        raise DeclaredError(f"{written_as(config.mixer)} takes the place of attention: there are no weights")
    model, ids, loose = model_of(config), ids_for(config, 2), config.attention.loose
    length = ids.shape[1]
    part = length * 2 // 3
    mask, places = _mask(length, length, part), torch.arange(length)
    allowed = allow(config.pattern, config.causal, places[:, None], places[None, :])[None] & mask[:, None]
    seeing = allowed.any(-1)[:, None, :part]  # A query that may see nothing has no weights.
    for layer, weights in enumerate(model(ids, mask, weights=True).weights):
        if (weights * ~allowed[:, None]).any() or not weights.isfinite().all():
            raise BrokenError(f"layer {layer}: weight on padding, on the future, or outside of the pattern")
        if loose:
            continue
        if (weights < 0).any():
            raise BrokenError(f"layer {layer}: a weight below zero")
        sums = weights.sum(-1)[:, :, :part]
        _same(sums, torch.ones_like(sums) * seeing, f"layer {layer}: the sum of a row")
    if loose:
        raise DeclaredError(f"{written_as(config.attention)}: {loose}")


def _open_equals_fast(config: ModelConfig, length: int | None = None) -> None:
    model, ids = model_of(config, length), ids_for(config, 2, length)
    mask = _mask(ids.shape[1], ids.shape[1], ids.shape[1] * 2 // 3)
    for given in (None, mask):
        fast, opened = model(ids, given).hidden, model(ids, given, weights=True).hidden
        kept = mask if given is not None else torch.ones_like(mask)
        _same(fast[kept], opened[kept], "without padding" if given is None else "with padding")


def _open_equals_fast_when_long(config: ModelConfig) -> None:
    _open_equals_fast(config, SHORTEST + 5)


def _cache_changes_nothing(config: ModelConfig) -> None:
    model, new = model_of(config), min(NEW, config.context - 3)
    with_cache, without = (generate(model, [1, 2, 3], new, seed=4, cache=cache) for cache in (True, False))
    if with_cache != without:
        raise BrokenError(f"{with_cache} with a cache, {without} without")
