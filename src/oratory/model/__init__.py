"""Encoder, classifier and decoder, written from scratch; their parts are mechanisms.

Names are loaded when they are first used: a configuration needs no torch.
"""

from typing import TYPE_CHECKING

from oratory.discovery import lazily

if TYPE_CHECKING:
    from oratory.model import pretrained
    from oratory.model.config import ModelConfig
    from oratory.model.count import Parameters, count_parameters, parameters_of
    from oratory.model.generation import generate
    from oratory.model.head import Targets
    from oratory.model.network import Output, Transformer
    from oratory.model.view import Cache

__all__ = [
    "Cache",
    "ModelConfig",
    "Output",
    "Parameters",
    "Targets",
    "Transformer",
    "count_parameters",
    "generate",
    "parameters_of",
    "pretrained",
]

__getattr__ = lazily(__name__)
