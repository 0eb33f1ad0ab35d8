"""Encoder, classifier and decoder, written from scratch; their parts are mechanisms."""

from oratory.model import pretrained
from oratory.model.attention import Cache
from oratory.model.config import ModelConfig, base
from oratory.model.count import Parameters, count_parameters
from oratory.model.generate import generate
from oratory.model.network import Output, Transformer

__all__ = [
    "Cache",
    "ModelConfig",
    "Output",
    "Parameters",
    "Transformer",
    "base",
    "count_parameters",
    "generate",
    "pretrained",
]
