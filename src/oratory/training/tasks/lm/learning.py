"""What a language model learns from, its loss, and how it is measured."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from oratory.batches import Batch, LineItems, WindowItems
from oratory.model import Transformer
from oratory.tokens import Encoded, encode_lm
from oratory.tokens.scoring import perplexity, predicted
from oratory.training.loss import NotFinite, cross_entropy_of
from oratory.training.prepared import Prepared
from oratory.training.tasks.lm.scores import LanguageScores, TextScores
from oratory.training.tasks.lm.surprisal import cover, joined, opened, opening_of, surprisal


class LanguageLearning:
    """The running text of a corpus."""

    def __init__(self, prepared: Prepared) -> None:
        training, self.tokenizer, self.context = prepared.training, prepared.tokenizer, prepared.config.context
        self.data = prepared.corpus.need_lm()
        self.encoded = encode_lm(prepared.corpus, self.tokenizer)
        self.eval_train = training.eval_train
        self.by_line = training.items == "lines"
        self.stride = training.stride or max(1, self.context // 2)
        self.opening = opening_of(self.encoded["train"], self.tokenizer)
        self.items: WindowItems | LineItems
        if self.by_line:
            lines = opened(self.encoded["train"], self.opening, self.tokenizer)
            self.items = LineItems(lines, training.truncate or self.context, self.tokenizer.pad_id)
        else:
            self.items = WindowItems(self.encoded["train"].ids, self.context)

    def loss(self, model: nn.Module, batch: Batch, targets: int, smoothing: float) -> Tensor:
        return cross_entropy_of(model, batch, targets, smoothing)

    def measure(self, model: Transformer, final: bool = True) -> LanguageScores:
        """The scores of every text; on the way perhaps without train, and by sliding windows only."""
        names = [name for name in self.encoded if final or self.eval_train or name != "train"]
        return LanguageScores({name: self._score(model, name, final) for name in names})

    def facts(self) -> dict[str, Any]:
        """The opening of a text and the stride, for scoring other texts in the same way."""
        return {"opening": self.opening, "stride": self.stride}

    def _score(self, model: Transformer, name: str, final: bool) -> TextScores:
        encoded = self.encoded[name]
        text = opened(encoded if self.by_line else joined(encoded), self.opening, self.tokenizer)
        owners = text.owners if self.by_line else np.pad(encoded.owners, (len(text.ids) - len(encoded.ids), 0))
        nats = surprisal(model, text.ids, cover(text.starts, self.context, self.stride))
        _check_finite(nats, text)
        scored = predicted(text.ids, self.tokenizer) & ~np.isnan(nats)
        seen = np.array(self.data.seen(name))[owners[scored]] if name in self.data.tests else None
        windows = self._windows(model, encoded) if final and not self.by_line else None
        return TextScores(text.ids[scored], nats[scored], owners[scored], int(text.sizes.sum()), seen, windows)

    def _windows(self, model: Transformer, encoded: Encoded) -> float | None:
        """Perplexity the reference way: windows that do not overlap, and no opening."""
        nats = surprisal(model, encoded.ids, cover(joined(encoded).starts, self.context, self.context))
        _check_finite(nats, joined(encoded))
        scored = predicted(encoded.ids, self.tokenizer) & ~np.isnan(nats)
        return perplexity(nats[scored]) if scored.any() else None


def _check_finite(nats: NDArray[np.float32], text: Encoded) -> None:
    """Refuse a token without a surprisal, unless it is the first of a text, which nothing predicts."""
    broken = ~np.isfinite(nats)
    broken[text.starts[:-1][text.lengths > 0]] = False
    if broken.any():
        raise NotFinite("The surprisal of a token is not a finite number.")
