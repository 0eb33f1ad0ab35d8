"""Fine-tuning: a published encoder becomes a classifier, through transformers or through our own modules."""

from oratory.train.finetune.config import FineTuneConfig, finetune_settings
from oratory.train.finetune.prepare import FineTuned, prepare_finetune
from oratory.train.finetune.source import DEFAULT, Source, called

__all__ = ["DEFAULT", "FineTuneConfig", "FineTuned", "Source", "called", "finetune_settings", "prepare_finetune"]
