"""What a language model learns from, its loss, and how it is measured."""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from oratory.batches import Batch, LineItems, WindowItems
from oratory.model import Transformer
from oratory.text import Corpus
from oratory.tokens import Encoded, Tokenizer, encode_lm
from oratory.tokens.scoring import count_words, perplexity, predicted
from oratory.tokens.spelling import spelled
from oratory.training.loss import NotFinite, loss_of_tokens
from oratory.training.prepared import Prepared
from oratory.training.running_text.config import LanguageTraining
from oratory.training.running_text.learning import TextLearning
from oratory.training.tasks.lm.scores import LanguageScores, TextScores
from oratory.training.tasks.lm.surprisal import CausalWindows, joined, opened, opening_of, surprisal
from oratory.training.teachers import Teachers

Closing = dict[str, tuple[NDArray[np.float32], int]]
"""What closes each text: the spelling of every scored token, and the number of words."""
CLOSING: WeakKeyDictionary[Tokenizer, dict[str, Closing]] = WeakKeyDictionary()
"""By tokenizer and by the fingerprint of the corpus, since it is the same for all models."""


class LanguageLearning(TextLearning):
    """The running text of a corpus."""

    next_tokens = True

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        training = prepared.training
        assert isinstance(training, LanguageTraining)
        self.teachers = Teachers.of(prepared)
        self.opening = opening_of(self.encoded["train"], self.tokenizer)
        self._closing = CLOSING.setdefault(self.tokenizer, {}).setdefault(prepared.corpus.fingerprint, {})
        if self.by_line:
            lines = opened(self.encoded["train"], self.opening, self.tokenizer)
            self.items = LineItems(lines, training.truncate or self.context, self.tokenizer.pad_id)
        else:
            self.items = WindowItems(self.encoded["train"].ids, self.context)

    def loss(self, model: nn.Module, batch: Batch, targets: int, smoothing: float) -> Tensor:
        if self.teachers is not None:
            return self.teachers.loss(model, batch, targets)
        return loss_of_tokens(model, batch, targets, smoothing)

    def measure(self, model: Transformer, final: bool = True) -> LanguageScores:
        """The scores of every text; on the way perhaps without train, and by sliding windows only.

        What the head has to choose on dev is chosen first.
        """
        if hasattr(model.head, "choose_on_dev") and "dev" in self.encoded:
            model.head.choose_on_dev(lambda: self._nats(model, "dev"))
        return LanguageScores({name: self._score(model, name, final) for name in self.measured(final)})

    def facts(self) -> dict[str, Any]:
        """The opening of a text and the stride, for scoring other texts in the same way."""
        return {"opening": self.opening, "stride": self.stride}

    def _opened(self, name: str) -> Encoded:
        encoded = self.scored[name]
        return opened(encoded if self.by_line else joined(encoded), self.opening, self.tokenizer)

    def _nats(self, model: Transformer, name: str) -> NDArray[np.float32]:
        """The surprisal of every scored token of a text."""
        text = self._opened(name)
        nats = surprisal(model, text.ids, CausalWindows.over(text.starts, self.context, self.stride))
        return nats[predicted(text.ids, self.tokenizer) & ~np.isnan(nats)]

    def _score(self, model: Transformer, name: str, final: bool) -> TextScores:
        encoded, text = self.scored[name], self._opened(name)
        owners = text.owners if self.by_line else np.pad(encoded.owners, (len(text.ids) - len(encoded.ids), 0))
        nats = surprisal(model, text.ids, CausalWindows.over(text.starts, self.context, self.stride))
        _check_finite(nats, text)
        scored = predicted(text.ids, self.tokenizer) & ~np.isnan(nats)
        known = (self.data.seen(name), self.data.in_dev(name)) if name in self.data.tests else (None, None)
        seen, in_dev = (None if lines is None else np.array(lines)[owners[scored]] for lines in known)
        spelling, words = self._closed(name)
        return TextScores(
            tokens=text.ids[scored],
            nats=nats[scored],
            spelling=spelling,
            lines=owners[scored],
            bytes=int(text.sizes.sum()),
            words=words,
            seen=seen,
            windows=self._windows(model, encoded) if final and not self.by_line else None,
            in_dev=in_dev,
        )

    def _closed(self, name: str) -> tuple[NDArray[np.float32], int]:
        """What closes a text."""
        if name not in self._closing:
            encoded, lines = self.scored[name], self.lines(name)
            # Every token but <START> is scored; an opening is given, and not in `encoded`.
            spelling = spelled(lines, encoded, self.tokenizer)[predicted(encoded.ids, self.tokenizer)]
            self._closing[name] = spelling, count_words(lines)
        return self._closing[name]

    def _windows(self, model: Transformer, encoded: Encoded) -> float | None:
        """Perplexity the reference way: windows that do not overlap, and no opening."""
        nats = surprisal(model, encoded.ids, CausalWindows.over(joined(encoded).starts, self.context, self.context))
        _check_finite(nats, joined(encoded))
        scored = predicted(encoded.ids, self.tokenizer) & ~np.isnan(nats)
        return perplexity(nats[scored]) if scored.any() else None


def is_closed(corpus: Corpus, tokenizer: Tokenizer) -> bool:
    """Whether it is known, for every text that is measured, what its tokens leave open."""
    encoded = encode_lm(corpus, tokenizer)
    held_out = {name: lines for name, lines in corpus.need_lm().texts() if name != "train"}
    return not any(np.isnan(spelled(lines, encoded[name], tokenizer)).any() for name, lines in held_out.items())


def _check_finite(nats: NDArray[np.float32], text: Encoded) -> None:
    """Refuse a token without a surprisal, unless it is the first of a text, which nothing predicts."""
    broken = ~np.isfinite(nats)
    broken[text.starts[:-1][text.lengths > 0]] = False
    if broken.any():
        raise NotFinite("The surprisal of a token is not a finite number.")
