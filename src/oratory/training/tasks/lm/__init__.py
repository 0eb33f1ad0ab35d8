"""The language model: every token is predicted from those before it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oratory.errors import InputError
from oratory.training.running_text.task import TextTask
from oratory.training.tasks.lm.baselines import LanguageBaselines
from oratory.training.tasks.lm.results import LanguageResults
from oratory.training.tasks.task import KeptNumber, Learning, Trained

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import pyarrow
    from numpy.typing import NDArray

    from oratory.baselines.counts import CountModels
    from oratory.model import Transformer
    from oratory.text import Corpus
    from oratory.tokens import Tokenizer
    from oratory.training.prepared import Prepared
    from oratory.training.running_text.guess import Beam, CountedModel, ExpectedTokens, NextToken
    from oratory.training.tasks.lm.use import Extrapolation, TextSurprisal
    from oratory.training.tasks.metric import Metric
    from oratory.training.tasks.samples import Samples


class LanguageModel(TextTask):
    """Every token is predicted from those before it."""

    name = "lm"
    noun = "language model"
    model = {"output": "tokens", "causal": True, "feedforward": "relu(hidden=100)"}  # noqa: RUF012
    training = {"iterations": 500, "eval_every": 100}  # noqa: RUF012
    spells = True
    first_try = ("generate", "My fellow", "--samples", "3")
    kept_numbers = {  # noqa: RUF012
        **TextTask.kept_numbers,
        "opening": KeptNumber(0, lambda settings: settings["vocabulary"] - 1),
    }
    results = LanguageResults()
    no_baselines = LanguageBaselines()
    counts_share = 0.5

    def learning(self, prepared: "Prepared") -> Learning:
        from oratory.training.tasks.lm.learning import LanguageLearning

        return LanguageLearning(prepared)

    def check_tokens(self, corpus: "Corpus", tokenizers: "Mapping[str, Tokenizer]", metric: str | None = None) -> None:
        from oratory.training.tasks.lm.learning import is_closed

        same = len({tokenizer.fingerprint for tokenizer in tokenizers.values()}) == 1
        if self.metric(same, metric).same_tokens:
            return
        for name, tokenizer in tokenizers.items():
            if not is_closed(corpus, tokenizer):
                raise InputError(
                    f"tokenizer={name} leaves out some of the text, so there is no verdict on models with it and with "
                    "other tokens."
                )

    def counts(self) -> "type[CountModels]":
        from oratory.baselines.counts import KneserNey

        return KneserNey

    def counted_nats(self, corpus: "Corpus", tokenizer: "Tokenizer") -> "Mapping[str, NDArray[np.float64]]":
        from oratory.training.tasks.lm.mixed import counted_nats

        return counted_nats(corpus, tokenizer)

    def mixed_with_counts(
        self, table: "pyarrow.Table", counted: "Mapping[str, NDArray[np.float64]]", share: float
    ) -> "pyarrow.Table":
        from oratory.training.tasks.lm.mixed import mixed_with_counts

        return mixed_with_counts(table, counted, share)

    def rivals(
        self, corpus: "Corpus", tokenizer: "Tokenizer", items: "pyarrow.Table", metric: "Metric"
    ) -> "Mapping[str, pyarrow.Table]":
        from oratory.training.tasks.lm.rivals import rivals

        return rivals(corpus, tokenizer, items)

    def score(self, run: Trained, line: str) -> "TextSurprisal":
        from oratory.training.tasks.lm.use import surprise

        return surprise(run, line)

    def generate(self, run: Trained, prompt: str, tokens: int, **options: Any) -> str:
        from oratory.training.tasks.lm.use import continued

        return continued(run, prompt, tokens, **options)

    def alternatives(self, run: Trained, line: str, most: int) -> "ExpectedTokens":
        from oratory.training.tasks.lm.expected import expected

        return expected(run, line, most)

    def next_token(self, run: Trained, prompt: str, made: Sequence[int], most: int, **options: Any) -> "NextToken":
        from oratory.training.tasks.lm.expected import next_token

        return next_token(run, prompt, made, most, **options)

    def beam(self, run: Trained, prompt: str, made: Sequence[int], width: int, ahead: int) -> "list[Beam]":
        from oratory.training.tasks.lm.expected import beam

        return beam(run, prompt, made, width, ahead)

    def counted(self, run: Trained, corpus: "Corpus", keep: "Path | None" = None) -> "CountedModel":
        from oratory.training.tasks.lm.counted import CountedTokens

        return CountedTokens.of(self, run, corpus, keep)

    def extrapolate(self, run: Trained, corpus: "Corpus", factors: Sequence[int]) -> "Extrapolation":
        from oratory.training.tasks.lm.use import extrapolate

        return extrapolate(run, corpus, factors)

    def losses(self, model: "Transformer", samples: "Samples", tokenizer: "Tokenizer") -> "NDArray[np.float64]":
        from oratory.training.tasks.lm.losses import losses

        return losses(model, samples)
