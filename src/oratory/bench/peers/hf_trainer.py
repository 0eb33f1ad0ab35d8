"""GPT-2 and BERT of transformers, in the library's own loop."""

import gc
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad

from oratory.batches import IGNORE
from oratory.bench.peer import Forward
from oratory.bench.peers.hf import Bert, Gpt2
from oratory.bench.work import Call

if TYPE_CHECKING:
    from oratory.batches import Batch


class _Trained:
    """A model in `transformers.Trainer`."""

    needs: ClassVar[str | None] = "accelerate"
    """The loop asks for it; the models do not."""
    generates = False
    at_once = 20
    """So that what the loop does before and after its updates weighs little."""

    def updating(self, module: nn.Module, forward: Forward, batches: "Sequence[Batch]") -> Call:
        from transformers import PrinterCallback, Trainer, TrainingArguments

        def loss(found: Any, wanted: Tensor, num_items_in_batch: object = None) -> Tensor:
            return cross_entropy(found.logits.flatten(0, -2), wanted.flatten(), ignore_index=IGNORE)

        texts = _texts(batches)
        gc.freeze()  # The loop looks for garbage once, before its first update, which takes as long as ten of them.

        def train() -> None:
            with TemporaryDirectory() as out:
                arguments = TrainingArguments(
                    output_dir=out,
                    per_device_train_batch_size=len(batches[0].ids),
                    max_steps=self.at_once,
                    learning_rate=1e-3,
                    use_cpu=True,
                    report_to=[],
                    save_strategy="no",
                    logging_strategy="no",
                    disable_tqdm=True,
                    dataloader_pin_memory=False,
                )
                trainer = Trainer(model=module, args=arguments, train_dataset=texts, compute_loss_func=loss)
                trainer.remove_callback(PrinterCallback)
                trainer.train()

        return train


def _texts(batches: "Sequence[Batch]") -> list[dict[str, Tensor]]:
    """The texts of all batches one by one, at one length."""
    longest = max(batch.ids.shape[1] for batch in batches)
    texts = []
    for batch in batches:
        more = (0, longest - batch.ids.shape[1])
        mask = torch.ones_like(batch.ids) if batch.mask is None else batch.mask.long()
        wanted = batch.targets if batch.targets.dim() == 1 else pad(batch.targets, more, value=IGNORE)
        columns = {"input_ids": pad(batch.ids, more), "attention_mask": pad(mask, more), "labels": wanted}
        texts += [{name: column[row] for name, column in columns.items()} for row in range(len(mask))]
    return texts


class TrainedGpt2(_Trained, Gpt2):
    """GPT-2 in `transformers.Trainer`."""

    name = "transformers GPT-2, Trainer"


class TrainedBert(_Trained, Bert):
    """BERT in `transformers.Trainer`."""

    name = "transformers BERT, Trainer"
