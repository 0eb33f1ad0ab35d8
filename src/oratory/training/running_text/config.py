"""The settings of training that models of running text have besides those of every model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from oratory.errors import InputError
from oratory.training.config import TrainConfig

ITEMS = ("windows", "lines")


@dataclass(frozen=True, kw_only=True)
class LanguageTraining(TrainConfig):
    """How a language model is trained."""

    words: ClassVar[Mapping[str, Sequence[str]]] = {**TrainConfig.words, "items": ITEMS}

    items: str = "windows"
    """What a language model learns from: windows of the whole text, or single lines."""
    truncate: int | None = None
    """Tokens of a line that are used, with train.items=lines; none for the context."""
    stride: int | None = None
    """Tokens from one window to the next when perplexity is measured; none for half of the context."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least("stride", 1)
        self._at_least("truncate", 2)
        if self.truncate is not None and self.items != "lines":
            raise InputError("train.truncate is for single lines; say train.items=lines too.")

    def check_context(self, context: int) -> None:
        if self.bucketing and self.items == "windows":
            raise InputError("train.bucketing=on has no use: all windows are of one length.")
        for name in ("stride", "truncate"):
            value = getattr(self, name)
            if value is not None and value > context:
                raise InputError(f"train.{name}={value} is more than context={context}.")
