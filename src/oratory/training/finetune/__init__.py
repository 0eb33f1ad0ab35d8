"""Fine-tuning: a published encoder becomes a classifier, through transformers or through our own modules."""

from oratory.training.finetune.config import FineTuneConfig, finetune_settings
from oratory.training.finetune.prepare import FineTuned, prepare_finetune, read_settings
from oratory.training.finetune.source import DEFAULT, Source, called

__all__ = [
    "DEFAULT",
    "FineTuneConfig",
    "FineTuned",
    "Source",
    "called",
    "finetune_settings",
    "prepare_finetune",
    "read_settings",
]
