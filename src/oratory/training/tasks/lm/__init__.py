"""The language model: every token is predicted from those before it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oratory.errors import InputError
from oratory.training.tasks.lm.results import LanguageResults
from oratory.training.tasks.task import Learning, Task, Trained

if TYPE_CHECKING:
    from pathlib import Path

    from oratory.baselines import Baselines
    from oratory.text import Corpus
    from oratory.training.config import TrainConfig
    from oratory.training.prepared import Prepared
    from oratory.training.tasks.lm.units import Blocks
    from oratory.training.tasks.lm.use import Extrapolation, TextSurprisal


class LanguageModel(Task):
    """Every token is predicted from those before it."""

    name = "lm"
    noun = "language model"
    model = {"output": "tokens", "causal": True, "feedforward": "relu(hidden=100)"}  # noqa: RUF012
    training = {"iterations": 500, "eval_every": 100}  # noqa: RUF012
    foreign = {}  # noqa: RUF012
    unused = ("pool", "head_hidden")
    results = LanguageResults()

    def has(self, corpus: "Corpus", split: str) -> bool:
        return corpus.lm is not None and bool(corpus.lm.tests if split == "test" else getattr(corpus.lm, split))

    def need(self, corpus: "Corpus") -> None:
        corpus.need_lm()

    def check(self, training: "TrainConfig", context: int) -> None:
        super().check(training, context)
        if training.bucketing and training.items == "windows":
            raise InputError("train.bucketing=on has no use: all windows are of one length.")
        for name in ("stride", "truncate"):
            value = getattr(training, name)
            if value is not None and value > context:
                raise InputError(f"train.{name}={value} is more than context={context}.")

    def learning(self, prepared: "Prepared") -> Learning:
        from oratory.training.tasks.lm.learning import LanguageLearning

        return LanguageLearning(prepared)

    def units(self, corpus: "Corpus", split: str = "test") -> "Blocks":
        from oratory.training.tasks.lm.units import Blocks

        data = corpus.need_lm()
        return Blocks(data.tests if split == "test" else {"dev": data.dev or ()})

    def baselines(self, corpus: "Corpus", tokenizers: Sequence[str], keep: "Path | None" = None) -> "Baselines":
        from dataclasses import replace

        from oratory.baselines import measure_baselines

        words = tokenizers[0] if len(set(tokenizers)) == 1 else "word"
        return measure_baselines(replace(corpus, classifier=None), words, keep=keep)

    def score(self, run: Trained, line: str) -> "TextSurprisal":
        from oratory.training.tasks.lm.use import surprise

        return surprise(run, line)

    def generate(self, run: Trained, prompt: str, tokens: int, **options: Any) -> str:
        from oratory.training.tasks.lm.use import continued

        return continued(run, prompt, tokens, **options)

    def extrapolate(self, run: Trained, corpus: "Corpus", factors: Sequence[int]) -> "Extrapolation":
        from oratory.training.tasks.lm.use import extrapolate

        return extrapolate(run, corpus, factors)
