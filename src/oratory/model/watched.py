"""A model whose hooks are watched: what they give must have the right shape.

A tensor of another shape would end in an error somewhere else, or broadcast to something that nobody meant.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from oratory.mechanisms.hooks import HOOKS
from oratory.mechanisms.plugins import blame
from oratory.model.config import ModelConfig
from oratory.model.network import Transformer


class UnfitError(Exception):
    """A hook that does not fit a model; the text says how it should be."""


def watched(config: ModelConfig, seed: int) -> Transformer:
    """The model of a configuration with all its hooks watched."""
    _check_numbers(config)
    model = Transformer(config, seed)
    model.position = _watched(model.position)
    for block in model.blocks:
        attention: Any = block.attention
        if attention is not None:
            attention.merge = _watched(attention.merge)
            attention.kind = _watched(attention.kind)
        block.mixer = _watched(block.mixer)
        block.residual = _watched(block.residual)
    for name in ("pool", "objective"):
        if getattr(model, name) is not None:
            setattr(model, name, _watched(getattr(model, name)))
    for part, name in ((model.tokens, "embedding"), (model.head, "head")):
        if part is not None:
            _watch_end(part, name)
    owners = [model, *model.blocks]
    for owner in owners:
        for name in ("norm", "embedding_norm", "attention_norm", "feedforward_norm", "feedforward"):
            part = getattr(owner, name, None)
            if part is not None:
                _watch_module(part, name)
    return model


def _check_numbers(config: ModelConfig) -> None:
    """What is asked of a mechanism before a model is built, and of a pattern."""
    scale, limit = config.position.scale(config.columns), config.longest
    if not isinstance(scale, int | float):
        raise UnfitError(f"scale gave {scale!r}. {HOOKS['scale'].expected}")
    if limit is not None and not isinstance(limit, int):
        raise UnfitError(f"limit gave {limit!r}. {HOOKS['limit'].expected}")
    if hasattr(config.residual, "block_of"):
        _check_blocks(config)
    if hasattr(config.pattern, "allow"):
        places = torch.arange(6)
        found = _called("allow", config.pattern.allow, (places[:, None], places[None, :]))
        if not isinstance(found, Tensor) or found.dtype != torch.bool or not _adds_to(found, (6, 6)):
            raise UnfitError(f"allow gave {_described(found)}. {HOOKS['allow'].expected}")


def _check_blocks(config: ModelConfig) -> None:
    """Which block a layer uses: one of its own or of a layer before it, and none is left out."""
    residual: Any = config.residual
    found = [residual.block_of(layer) for layer in range(config.layers)]
    fits = all(isinstance(number, int) and 0 <= number <= layer for layer, number in enumerate(found))
    if not fits or set(found) != set(range(max(found) + 1)):
        raise UnfitError(f"block_of gave {found}. {HOOKS['block_of'].expected}")


def _watched(part: Any) -> Any:
    """Check what the hooks of a part return: those of a module in place, others through a proxy."""
    if not isinstance(part, nn.Module):
        return _Watched(part)
    for name in _FITS:
        hook = getattr(part, name, None)
        if callable(hook):  # A parameter may have the name of another kind's hook.
            setattr(part, name, _checked(name, hook))
    return part


class _Watched:
    def __init__(self, part: Any) -> None:
        self._part = part

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._part, name)
        return _checked(name, value) if name in _FITS else value


def _watch_module(part: Any, name: str) -> None:
    """Watch what a Norm or a Feedforward builds."""
    if not isinstance(part, nn.Module):
        raise UnfitError(f"build gave {_described(part)} as {name}. {HOOKS['build'].expected}")

    def check(module: nn.Module, given: tuple[Tensor, ...], found: Any) -> None:
        if _shape(found) != given[0].shape:
            raise UnfitError(f"{name} gave {_described(found)}. {HOOKS['forward'].expected}")

    part.register_forward_hook(check)


def _watch_end(part: Any, name: str) -> None:
    """Watch what an Embedding or a Head builds."""
    if not isinstance(part, nn.Module):
        raise UnfitError(f"build gave {_described(part)} as {name}. {HOOKS['build'].expected}")
    hook = "vectors" if name == "embedding" else "logits"
    if hasattr(part, hook):
        setattr(part, hook, _checked(hook, getattr(part, hook)))
    elif name == "embedding":
        raise UnfitError(f"build gave {_described(part)} as embedding. {HOOKS[hook].expected}")


def _checked(name: str, hook: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any) -> Any:
        found = _called(name, hook, given)
        if not _FITS[name](given, found):
            raise UnfitError(f"{name} gave {_described(found)}. {HOOKS[name].expected}")
        return found

    return call


def _called(name: str, hook: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """What a hook returns. An error that was not raised in the user's own lines means that it was called wrongly."""
    try:
        return hook(*given)
    except Exception as error:
        if blame(error) is not None:
            raise
        raise UnfitError(f"{type(error).__name__}: {error}. {HOOKS[name].expected}") from None


def _shape(found: Any) -> Any:
    return found.shape if isinstance(found, Tensor) else None


def _adds_to(found: Any, shape: tuple[int, ...]) -> bool:
    """Whether a tensor broadcasts to a shape."""
    try:
        return isinstance(found, Tensor) and found.expand(shape).shape == shape
    except RuntimeError:
        return False


def _described(found: Any) -> str:
    if isinstance(found, Tensor):
        return f"a tensor {tuple(found.shape)} of {str(found.dtype).removeprefix('torch.')}"
    if isinstance(found, tuple | list):
        return f"{len(found)} values: {', '.join(map(_described, found))}"
    return f"something of type {type(found).__name__}"


_FITS: dict[str, Callable[[tuple[Any, ...], Any], bool]] = {
    "embed": lambda given, found: _shape(found) == given[0].shape,
    "rotate": lambda given, found: (
        isinstance(found, tuple | list) and [*map(_shape, found)] == [part.shape for part in given[:2]]
    ),
    "bias": lambda given, found: _adds_to(found, (*given[0].shape[:3], given[1].shape[2])),
    "score": lambda given, found: _shape(found) == given[0].shape,
    "merge": lambda given, found: _shape(found) == given[0].shape,
    "pool": lambda given, found: _shape(found) == given[0].shape[::2],
    "vectors": lambda given, found: isinstance(found, Tensor) and found.shape[:-1] == given[0].shape,
    "logits": lambda given, found: isinstance(found, Tensor) and found.shape[:-1] == given[0].shape[:-1],
    "prepare": lambda given, found: (
        isinstance(found, tuple | list) and [*map(_shape, found)] == [part.shape for part in given]
    ),
    "values": lambda given, found: _shape(found) == given[0].shape,
    "weigh": lambda given, found: _shape(found) == (*given[0].shape[:3], given[1].shape[2]),
    "outputs": lambda given, found: _shape(found) == given[0].shape,
    "enter": lambda given, found: _shape(found) == given[1][-1].shape,
    "add": lambda given, found: _shape(found) == given[0].shape,
    "block": lambda given, found: _shape(found) == given[0].shape,
    "mix": lambda given, found: _shape(found) == given[0].shape,
    "added": lambda given, found: _shape(found) == (),
}
"""Whether what a hook gives has the shape that it should have."""
