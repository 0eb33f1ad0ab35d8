"""The classifier: a text gets one of several labels."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oratory.training.tasks.classifier.results import ClassifierResults
from oratory.training.tasks.task import Learning, Task, Trained

if TYPE_CHECKING:
    from pathlib import Path

    from oratory.baselines import Baselines
    from oratory.model import ModelConfig
    from oratory.text import Corpus
    from oratory.training.prepared import Prepared
    from oratory.training.tasks.classifier.units import LabelledUnits
    from oratory.training.tasks.classifier.use import TextClass


class Classifier(Task):
    """A text gets one of several labels."""

    name = "classifier"
    noun = "classifier"
    model = {"output": "classes"}  # noqa: RUF012
    training = {"epochs": 15}  # noqa: RUF012
    unused = ("tied", "head_bias")
    results = ClassifierResults()

    def has(self, corpus: "Corpus", split: str) -> bool:
        return corpus.classifier is not None and getattr(corpus.classifier, split) is not None

    def need(self, corpus: "Corpus") -> None:
        corpus.need_classifier()

    def labels(self, corpus: "Corpus") -> tuple[str, ...]:
        return corpus.need_classifier().label_names

    def tokenizer(self, chosen: str, config: "ModelConfig") -> str:
        from oratory.mechanisms.pool.cls import Cls
        from oratory.tokens import CLS, with_special

        return with_special(chosen, CLS) if isinstance(config.pool, Cls) else chosen

    def learning(self, prepared: "Prepared") -> Learning:
        from oratory.training.tasks.classifier.learning import ClassifierLearning

        return ClassifierLearning(prepared)

    def units(self, corpus: "Corpus", split: str = "test") -> "LabelledUnits":
        from oratory.training.tasks.classifier.units import LabelledUnits

        return LabelledUnits(corpus.need_classifier(), split)

    def baselines(self, corpus: "Corpus", tokenizers: Sequence[str], keep: "Path | None" = None) -> "Baselines":
        from dataclasses import replace

        from oratory.baselines import measure_baselines

        return measure_baselines(replace(corpus, lm=None), keep=keep)

    def score(self, run: Trained, line: str) -> "TextClass":
        from oratory.training.tasks.classifier.use import classify

        return classify(run, line)
