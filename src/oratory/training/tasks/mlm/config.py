"""The settings of training that a masked language model has besides those of a language model."""

from dataclasses import dataclass

from oratory.errors import InputError
from oratory.training.running_text.config import LanguageTraining


@dataclass(frozen=True, kw_only=True)
class MaskedTraining(LanguageTraining):
    """How a masked language model is trained."""

    mask: float = 0.15
    """The share of the tokens that a masked language model has to predict; drawn anew in every epoch."""
    whole_words: bool = False
    """Whether all tokens of a word are masked together, where a tokenizer splits words."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.teachers:
            raise InputError("train.teachers is for classifiers and language models, not for masked ones.")
        if not 0 < self.mask < 1:
            raise InputError(f"train.mask={self.mask}: it must be above 0 and below 1.")
