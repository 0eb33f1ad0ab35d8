"""The running text of a corpus, ready to be learned from and measured."""

from collections.abc import Sequence

import torch

from oratory.mechanisms import TrainingText
from oratory.tokens import encode_lm
from oratory.training.prepared import Prepared
from oratory.training.running_text.config import LanguageTraining
from oratory.training.tasks.task import Learning

MEASURED = 1 << 17
"""Tokens of train that are measured at the most."""


class TextLearning(Learning):
    """The running text of a corpus."""

    def __init__(self, prepared: Prepared) -> None:
        training, self.tokenizer, self.context = prepared.training, prepared.tokenizer, prepared.config.context
        assert isinstance(training, LanguageTraining)
        self.data = prepared.corpus.need_lm()
        self.encoded = encode_lm(prepared.corpus, self.tokenizer)
        self.scored = self.encoded | {"train": self.encoded["train"].first(MEASURED)}
        """What is measured: of a long train its beginning."""
        self.eval_train = training.eval_train
        self.by_line = training.items == "lines"
        self.stride = training.stride or max(1, self.context // 2)

    def measured(self, final: bool) -> list[str]:
        """The texts that are measured; on the way perhaps without train."""
        return [name for name in self.encoded if final or self.eval_train or name != "train"]

    def training_text(self) -> TrainingText:
        ids = torch.from_numpy(self.encoded["train"].ids.astype("int64"))
        return TrainingText([ids], [self.tokenizer.token(index) for index in range(len(self.tokenizer))])

    def lines(self, name: str) -> Sequence[str]:
        """The lines of a text that are measured."""
        return dict(self.data.texts())[name][: len(self.scored[name])]

    @property
    def remarks(self) -> tuple[str, ...]:
        tokens, all_tokens = len(self.scored["train"].ids), len(self.encoded["train"].ids)
        if tokens == all_tokens:
            return ()
        return (f"Of train, the first {tokens:,} of {all_tokens:,} tokens are measured; all of it is learned from.",)
