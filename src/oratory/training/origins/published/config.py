"""What can be chosen about fine-tuning: frozen, and the same in Python, JSON and on the command line."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oratory.errors import InputError, unknown
from oratory.files import exists
from oratory.training.layers import FREEZE_WORDS, LayerConfig

DEFAULT = "minilm"
"""The encoder that comes as a package (Wang et al., 2020; Reimers and Gurevych, 2019), so that no network is needed."""
ENGINES = ("hf", "own")
POOLS = ("cls", "mean")
VALUES = {"engine": ENGINES, "pool": POOLS, "freeze": FREEZE_WORDS}
"""What can be written for a setting that is a word."""
TRAINING: dict[str, Any] = {
    "lr": 1e-4,
    "epochs": 4,
    "optimizer": "adamw",
    "schedule": "linear(warmup=0.1)",
    "weight_decay": 0.01,
    "clip": 1.0,
    "bucketing": True,
    "keep": "best",
    "save_every": 120.0,
}
"""Where the training of a published model differs from that of a new one."""


@dataclass(frozen=True, kw_only=True)
class FineTuneConfig(LayerConfig):
    """How a published model is set up before it is trained."""

    engine: str = "hf"
    """What computes: hf, the library transformers, or own, Oratory's modules."""
    context: int = 64
    """Tokens of a text, special tokens included; a longer text is cut."""
    pool: str = "cls"
    """What the head gets: cls, the first token with the family's own head, or mean, the mean of all tokens."""
    dropout: float | None = None
    """The share of activations set to zero in training; none for the rate in the model's config.json."""
    lora: int = 0
    """Rank of the low-rank changes that are trained instead of the weights (Hu et al., 2021); 0 for none."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, known in (("engine", ENGINES), ("pool", POOLS)):
            if getattr(self, name) not in known:
                raise unknown(name, getattr(self, name), known)
        if self.context < 3:
            raise InputError(f"context={self.context}: it must be at least 3, for a token between two special ones.")
        if self.dropout is not None and not 0 <= self.dropout < 1:
            raise InputError(f"dropout={self.dropout}: it must be at least 0 and below 1.")
        if self.lora < 0:
            raise InputError(f"lora={self.lora}: a rank must be at least 0.")
        if self.lora and self.engine != "hf":
            raise InputError("lora needs engine=hf: the low-rank changes are those of the library peft.")
        if self.lora and self.freeze != "none":
            raise InputError("lora leaves all but the head as it is; freeze has no use beside it.")


def called(model: str | os.PathLike[str]) -> str:
    """What a model is called in a record: a folder by its whole path, so that it is found from everywhere."""
    path = Path(model)
    return str(path.resolve()) if str(model) != DEFAULT and exists(path) else os.fspath(model)
