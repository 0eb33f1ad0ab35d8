"""The running text of a corpus, ready to be learned from and measured."""

from oratory.tokens import encode_lm
from oratory.training.prepared import Prepared
from oratory.training.running_text.config import LanguageTraining
from oratory.training.tasks.task import Learning


class TextLearning(Learning):
    """The running text of a corpus."""

    def __init__(self, prepared: Prepared) -> None:
        training, self.tokenizer, self.context = prepared.training, prepared.tokenizer, prepared.config.context
        assert isinstance(training, LanguageTraining)
        self.data = prepared.corpus.need_lm()
        self.encoded = encode_lm(prepared.corpus, self.tokenizer)
        self.eval_train = training.eval_train
        self.by_line = training.items == "lines"
        self.stride = training.stride or max(1, self.context // 2)

    def measured(self, final: bool) -> list[str]:
        """The texts that are measured; on the way perhaps without train."""
        return [name for name in self.encoded if final or self.eval_train or name != "train"]
