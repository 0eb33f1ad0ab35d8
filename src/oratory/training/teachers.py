"""Distillation: one model learns the mean of the probabilities of several (Hinton et al., 2015, arXiv:1503.02531)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from oratory.batches import IGNORE, Batch
from oratory.errors import InputError
from oratory.mechanisms import written_as

if TYPE_CHECKING:
    from oratory.training.prepared import Prepared


class Teachers:
    """Trained models whose mean probabilities take the place of labels, or of the tokens that follow."""

    def __init__(self, models: Sequence[nn.Module]) -> None:
        self.models = models

    @classmethod
    def of(cls, prepared: "Prepared") -> "Teachers | None":
        """The teachers that the settings name by the folders of their runs, if they name any."""
        from oratory.model import Transformer
        from oratory.training.origins import origin_of
        from oratory.training.origins.own.earlier import EarlierRun

        head = prepared.config.head
        if prepared.training.teachers and head.leaves_out:
            raise InputError(
                f"head={written_as(head)} takes each token to predict out of its counts, and with train.teachers there "
                "is no such token: take another head."
            )
        models = []
        for folder in prepared.training.teachers or ():
            run = EarlierRun.find(folder)
            if run.task is not prepared.task or run.record.labels != prepared.task.labels(prepared.corpus):
                raise InputError(f"The teacher {run.id} is not a {prepared.task.noun} for the same labels.")
            if run.tokenizer.fingerprint != prepared.tokenizer.fingerprint:
                raise InputError(f"The teacher {run.id} has another vocabulary; its probabilities are not of the same.")
            if not origin_of(run.record.settings).can_be_continued:
                raise InputError(f"The teacher {run.id} is a published model that was fine-tuned, which cannot teach.")
            if run.config.output == "tokens" and run.config.head.hybrid:
                raise InputError(
                    f"The teacher {run.id} holds {run.config.head.hybrid} besides its network, which knows the text "
                    "that is learned from; only a network alone can teach."
                )
            model = Transformer(run.config)
            model.load_state_dict(run.tensors)
            models.append(model.eval().requires_grad_(False))
        return cls(models) if models else None

    def loss(self, model: nn.Module, batch: Batch, targets: int) -> Tensor:
        """The summed cross-entropy with their mean probabilities, over the number of targets in the whole update."""
        with torch.no_grad():
            each = [
                teacher.to(batch.ids.device)(batch.ids, batch.mask).logits.float().softmax(-1)
                for teacher in self.models
            ]
            mean = torch.stack(each).mean(0)
        logits = model(batch.ids, batch.mask).logits.float()
        nats = -(mean * logits.log_softmax(-1)).sum(-1)  # B, or B, T of a language model
        loss: Tensor = nats.masked_fill(batch.targets == IGNORE, 0.0).sum() / targets
        return loss
