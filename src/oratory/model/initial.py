"""Initial values. That of a parameter depends on the seed and on the parameter's name, and on nothing else.

So variants that share a parameter start from the same value.
"""

import math

import torch
from torch import nn

from oratory.model.config import ModelConfig
from oratory.seeds import derive


@torch.no_grad()
def initialise(model: nn.Module, config: ModelConfig, seed: int) -> None:
    """Set every parameter of a linear map or an embedding; norms are at one and zero already.

    `torch`: the framework's defaults, uniform within 1/sqrt(inputs) for linear maps, normal for embeddings. `gpt2`
    (Radford et al., 2019): normal with 0.02, biases zero, and the two maps that end on the residual stream of each of
    L layers divided by sqrt(2 L).
    """
    for path, module in model.named_modules():
        if not isinstance(module, nn.Linear | nn.Embedding):
            continue
        for name, parameter in module.named_parameters(recurse=False):
            if name not in ("weight", "bias"):  # What a mechanism adds starts as the mechanism says.
                continue
            generator = torch.Generator().manual_seed(derive(seed, f"{path}.{name}"))
            if config.init == "gpt2":
                if name == "bias":
                    parameter.zero_()
                    continue
                ends_on_residual = path.endswith((".output", ".down"))
                scale = 0.02 / math.sqrt(2 * config.layers) if ends_on_residual else 0.02
                parameter.normal_(0.0, scale, generator=generator)
            elif isinstance(module, nn.Embedding):
                parameter.normal_(generator=generator)
            else:
                bound = 1 / math.sqrt(module.in_features)
                parameter.uniform_(-bound, bound, generator=generator)
