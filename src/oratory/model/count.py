"""How many parameters a model has, and where."""

import os
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from oratory.errors import InputError
from oratory.model.config import ModelConfig, plugins_of
from oratory.model.network import Transformer
from oratory.tables import Table, Tabled, number, percent

MOST_BUILT = 64
"""Layers that are counted one by one; of more layers, each has as many parameters as the last of these."""
BYTES = 8
"""Of a parameter that learns, at the least: its value and its gradient."""
_LIMIT = Path("/sys/fs/cgroup/memory.max")
"""Where Linux says what a container may take."""

_NAMES = {
    "tokens": "token embedding",
    "types": "token types",
    "position": "positions",
    "embedding_norm": "norms",
    "norm": "norms",
    "pool": "pool",
    "head": "head",
    "objective": "objective",
}
_IN_BLOCKS = {"attention": "attention", "feedforward": "feed-forward", "mixer": "mixer", "residual": "residuals"}


@dataclass(frozen=True)
class Parameters(Tabled):
    """Parameters by component; those that two components share count once."""

    total: int
    components: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        return {"total": self.total, "components": self.components}

    def tables(self) -> list[Table]:
        rows = [(name, number(count), percent(count / self.total)) for name, count in self.components.items()]
        rows.append(("total", number(self.total), percent(1.0)))
        return [Table("Parameters", ("component", "parameters", "%"), tuple(rows))]


def count_parameters(model: nn.Module) -> Parameters:
    """The parameters of each component, in the order in which a token meets them."""
    counts: dict[str, int] = defaultdict(int)
    for path, parameter in model.named_parameters():
        first, *rest = path.split(".")
        component = _IN_BLOCKS.get(rest[1], "norms") if first == "blocks" else _NAMES[first]
        counts[component] += parameter.numel()
    return Parameters(sum(counts.values()), dict(counts))


def parameters_of(config: ModelConfig, seed: int = 0) -> Parameters:
    """What `count_parameters` says of a model of this configuration, which is not built: it may be too large for that.

    One that could not be trained in the memory of this machine is refused.
    """
    found = _along_a_line(config, seed)
    _check_memory(config, found)
    # The layers of a plugin may differ with their number.
    if config.layers > MOST_BUILT and (plugins_of(config) or not config.residual.uniform):
        found = _unbuilt(config, seed)
        _check_memory(config, found)
    return found


def _along_a_line(config: ModelConfig, seed: int) -> Parameters:
    """The parameters, counted in full for a few layers, and from what one more layer adds for many."""
    if config.layers <= MOST_BUILT:
        return _unbuilt(config, seed)
    # A mechanism may need some layers, so it is not the first two that are compared.
    one, two = (_unbuilt(replace(config, layers=layers), seed).components for layers in (MOST_BUILT - 1, MOST_BUILT))
    counts = {name: count + (config.layers - MOST_BUILT) * (count - one[name]) for name, count in two.items()}
    return Parameters(sum(counts.values()), counts)


def _unbuilt(config: ModelConfig, seed: int) -> Parameters:
    """The parameters of a model that has shapes only, without memory for its values."""
    try:
        with torch.device("meta"), _NoValues():
            return count_parameters(Transformer(config, seed))
    except (RuntimeError, OverflowError, TypeError, ValueError):
        if plugins_of(config):  # Which may look at values while they build.
            return count_parameters(Transformer(config, seed))
        raise InputError(f"A model with {_size(config)} has more parameters than can be counted.") from None


class _NoValues(TorchFunctionMode):
    """Leaves out the drawing of initial values, for which PyTorch would load its compiler where there is no memory."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in (torch.Tensor.normal_, torch.Tensor.uniform_) or getattr(func, "__module__", "") == "torch.nn.init":
            return args[0] if args else kwargs["tensor"]
        return func(*args, **(kwargs or {}))


def _check_memory(config: ModelConfig, parameters: Parameters) -> None:
    there = memory()
    if there is not None and parameters.total * BYTES > there:
        raise InputError(
            f"A model with {_size(config)} has {parameters.total:,} parameters. To train them takes "
            f"{parameters.total * BYTES / 1024**3:,.1f} GiB at the least, and this machine has {there / 1024**3:,.1f}."
        )


def _size(config: ModelConfig) -> str:
    names = ("layers", "width", "context", "vocabulary")
    return ", ".join(f"{name}={getattr(config, name)}" for name in names)


def memory() -> int | None:
    """Bytes of memory that this machine has, or that its container may take; None where it does not say."""
    found = []
    with suppress(OSError, ValueError, AttributeError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):  # It may say max.
        found.append(int(_LIMIT.read_text()))
    return min(found, default=None)
