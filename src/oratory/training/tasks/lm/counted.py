"""The best Kneser-Ney model as one that scores single texts, over the very tokens of a run."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from oratory.baselines.counts import KneserNey
from oratory.errors import InputError
from oratory.text import Corpus
from oratory.tokens import encode_lm
from oratory.training.running_text.guess import ExpectedTokens, Guess
from oratory.training.tasks.lm.baselines import LanguageBaselines
from oratory.training.tasks.lm.use import scored_places, surprise_of, windowed
from oratory.training.tasks.task import Trained

if TYPE_CHECKING:
    from oratory.training.tasks.lm import LanguageModel


@dataclass(frozen=True, eq=False)
class CountedTokens:
    """Counts of the training text of a corpus; their order and discount were chosen on dev."""

    name: str
    fingerprint: str
    """Of the tokenizer."""
    discount: float
    counts: KneserNey

    @classmethod
    def of(cls, task: "LanguageModel", run: Trained, corpus: Corpus, keep: Path | None) -> "CountedTokens":
        """The one that stands beside a run in its report."""
        if corpus.fingerprint != run.fingerprint:
            raise InputError(f"The corpus {corpus.name} is no longer the one that the run {run.id} was trained on.")
        [found] = task.baselines(corpus, {run.id: run.tokenizer}, keep)
        assert isinstance(found, LanguageBaselines)
        if found.chosen is None:
            raise InputError(f"The corpus {corpus.name} has no text to count.")
        counts = KneserNey(encode_lm(corpus, run.tokenizer)["train"].ids, len(run.tokenizer))
        discount = found.models[found.chosen].discount
        assert discount is not None  # The plain models have one.
        return cls(found.chosen, run.tokenizer.fingerprint, discount, counts)

    def alternatives(self, run: Trained, line: str, most: int) -> ExpectedTokens:
        """What `Task.alternatives` gives, by these counts in place of the model of the run, whose tokens they count."""
        order = self.counts.orders[self.name]
        text, _ = windowed(run, line)
        # The opening of a text is given, and a token is expected by what stands before it, the opening included.
        [nats] = self.counts.nats(self.name, text.ids, (self.discount,))
        nats[0] = np.nan
        scored = scored_places(text, nats, run.tokenizer)
        ranks, guesses = [], []
        for place in np.flatnonzero(scored):
            history = text.ids[max(0, place - order + 1) : place].tolist()
            shares = self.counts.counts.distribution(history, order, self.discount)
            best = np.argsort(-shares, kind="stable")[:most]
            ranks.append(1 + int((shares > shares[text.ids[place]]).sum()))
            guesses.append(tuple(Guess(run.tokenizer.token(int(i)), float(shares[i]), int(i)) for i in best))
        return ExpectedTokens(surprise_of(run, line, text, nats), tuple(ranks), tuple(guesses))
