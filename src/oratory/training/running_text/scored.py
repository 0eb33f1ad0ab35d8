"""A text that a model scored token by token."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.tables import TITLE, Table, Tabled, counted, number, shortened
from oratory.tokens.scoring import perplexity
from oratory.tokens.unknown import named
from oratory.training.running_text.metric import TokenMetric
from oratory.training.tasks.task import Trained


@dataclass(frozen=True)
class ScoredTokens(Tabled, ABC):
    """A text in which every token has a surprisal, whatever the model was given of the rest of the text."""

    run: str
    text: str
    tokens: tuple[str, ...]
    surprisal: tuple[float, ...]
    unknown: int
    """Tokens whose text is not in the vocabulary; each is shown as `<unk:text>`."""

    what: ClassVar[str]
    """What the surprisal is called."""
    metric: ClassVar[TokenMetric]
    """What the exponential of its mean is."""

    @property
    def figure(self) -> float:
        """The exponential of the mean."""
        return perplexity(np.array(self.surprisal, np.float64))

    @property
    @abstractmethod
    def summary(self) -> str:
        """The figures of the whole text, in a sentence."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "text": self.text,
            "tokens": list(self.tokens),
            self.what.replace("-", "_"): list(self.surprisal),
            self.metric.recorded: self.figure,
            "unknown": self.unknown,
        }

    def row(self) -> dict[str, Any]:
        """As a row of a table."""
        return {self.metric.recorded: self.figure, "tokens": len(self.tokens), "unknown": self.unknown}

    def tables(self) -> list[Table]:
        rows = tuple((token, number(value, 2)) for token, value in zip(self.tokens, self.surprisal, strict=True))
        top = max((value for value in self.surprisal if isfinite(value)), default=0.0) or 1.0
        shades = tuple(min(1.0, value / top) for value in self.surprisal)
        title, columns = shortened(self.text, TITLE), ("token", f"{self.what}, nats")
        return [Table(title, columns, rows, note=self._note(), shades=shades)]

    def _note(self) -> str:
        if not self.unknown:
            return self.summary
        are = "is" if self.unknown == 1 else "are"
        return f"{self.summary} {self.unknown} of {counted(len(self.tokens), 'token')} {are} unknown text."


def scored_tokens(run: Trained, line: str, ids: NDArray[np.int32], nats: NDArray[np.floating[Any]]) -> dict[str, Any]:
    """The fields of such a text, from its scored tokens."""
    if not len(ids):
        raise InputError(f"There is no token to score in {line!r}.")
    tokenizer = run.tokenizer
    return {
        "run": run.id,
        "text": line,
        "tokens": named(tokenizer, ids, line),
        "surprisal": tuple(float(value) for value in nats),
        "unknown": int((ids == tokenizer.unk_id).sum()) if tokenizer.unk_id is not None else 0,
    }
