"""Optimisers without what PyTorch puts around their methods for the sake of its compiler.

The wrappers import that compiler, and with it SymPy and pandas: a second and 140 MB at the first update of every
process, though nothing is compiled here.
"""

from functools import cache
from inspect import unwrap
from typing import Any

import torch
from torch.optim import Optimizer


class Uncompiled(Optimizer):
    """What is inside the wrappers."""

    add_param_group = unwrap(Optimizer.add_param_group)
    zero_grad = unwrap(Optimizer.zero_grad)
    state_dict = unwrap(Optimizer.state_dict)
    load_state_dict = unwrap(Optimizer.load_state_dict)


@cache
def uncompiled(name: str) -> Any:
    """An optimiser of the framework. Its update takes no part in gradients."""
    kind = getattr(torch.optim, name)
    return type(name, (Uncompiled, kind), {"step": torch.no_grad()(unwrap(kind.step))})
