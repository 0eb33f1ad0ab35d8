"""The classifier: a text gets one of several labels."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oratory.errors import InputError
from oratory.tables import plural
from oratory.training.tasks.classifier.baselines import ClassifierBaselines, measure
from oratory.training.tasks.classifier.results import ClassifierResults
from oratory.training.tasks.task import Learning, Task, Trained

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import pyarrow
    from numpy.typing import NDArray

    from oratory.model import ModelConfig, Transformer
    from oratory.text import Corpus
    from oratory.tokens import Tokenizer
    from oratory.training.config import TrainConfig
    from oratory.training.prepared import Prepared
    from oratory.training.tasks.card import TaskCard
    from oratory.training.tasks.classifier.config import ClassifierTraining
    from oratory.training.tasks.classifier.units import LabelledUnits
    from oratory.training.tasks.classifier.use import TextClass
    from oratory.training.tasks.labelled import SplitScores
    from oratory.training.tasks.metric import Metric
    from oratory.training.tasks.results import Recorded
    from oratory.training.tasks.samples import Samples

ALWAYS_RECORDED = {"train.items": "windows", "train.stride": None, "train.truncate": None}
"""Settings of language models. The first records of classifiers have them, and a run's id follows from its record."""


class Classifier(Task):
    """A text gets one of several labels."""

    name = "classifier"
    noun = "classifier"
    model = {"output": "classes"}  # noqa: RUF012
    training = {"epochs": 15}  # noqa: RUF012
    unused = ("tied", "head_bias", "objective")
    cuts = True
    first_try = (*Task.first_try, "--why")
    results = ClassifierResults()
    no_baselines = ClassifierBaselines()

    def has(self, corpus: "Corpus", split: str) -> bool:
        return corpus.classifier is not None and getattr(corpus.classifier, split) is not None

    def need(self, corpus: "Corpus") -> None:
        corpus.need_classifier()

    def test_texts(self, corpus: "Corpus") -> tuple[str, ...]:
        test = corpus.need_classifier().test
        return tuple(test.texts) if test else ()

    def labelled(self, items: "pyarrow.Table") -> "SplitScores":
        from oratory.training.tasks.labelled import SplitScores

        return SplitScores.recorded(items)

    def labels(self, corpus: "Corpus") -> tuple[str, ...]:
        return corpus.need_classifier().label_names

    def train_config(self) -> "type[ClassifierTraining]":
        from oratory.training.tasks.classifier.config import ClassifierTraining

        return ClassifierTraining

    def recorded_training(self, training: "TrainConfig") -> dict[str, Any]:
        return super().recorded_training(training) | ALWAYS_RECORDED

    def tokenizer(self, chosen: str, config: "ModelConfig | None" = None) -> str:
        from oratory.mechanisms.pool.cls import Cls
        from oratory.tokens import CLS, with_special

        return with_special(chosen, CLS) if config and isinstance(config.pool, Cls) else chosen

    def starts_from(self, other: Task) -> bool:
        return True

    def need_tokens(self, tokenizer: "Tokenizer", config: "ModelConfig | None" = None) -> None:
        from oratory.mechanisms.pool.cls import Cls
        from oratory.tokens import CLS

        if config and isinstance(config.pool, Cls) and tokenizer.find(CLS) is None:
            raise InputError(
                f"pool=cls needs the token {CLS}, and this tokenizer has none; train it with "
                f"tokenizer=word(specials={CLS}), or take another pool."
            )

    def learning(self, prepared: "Prepared") -> Learning:
        from oratory.training.tasks.classifier.learning import ClassifierLearning

        return ClassifierLearning(prepared)

    def train_size(self, corpus: "Corpus") -> tuple[int, str]:
        return len(corpus.need_classifier().train), f"labelled {plural(corpus.item)}"

    def in_train(self, corpus: "Corpus") -> str:
        seen = corpus.need_classifier().seen
        share = f" ({100 * sum(seen) / len(seen):.0f}%)" if seen else ""
        return f"{sum(seen):,} of {len(seen):,} test items{share} are also in train: these are seen, the others unseen."

    def units(self, corpus: "Corpus", split: str = "test") -> "LabelledUnits":
        from oratory.training.tasks.classifier.units import LabelledUnits

        return LabelledUnits(corpus, split)

    def averaged(self, tables: "Sequence[pyarrow.Table]") -> "pyarrow.Table":
        from oratory.training.tasks.classifier.averaged import averaged

        return averaged(tables)

    def rivals(
        self, corpus: "Corpus", tokenizer: "Tokenizer", items: "pyarrow.Table", metric: "Metric"
    ) -> "Mapping[str, pyarrow.Table]":
        from oratory.training.tasks.classifier.metrics.accuracy import Accuracy
        from oratory.training.tasks.classifier.rivals import rivals

        # A metric of probabilities has nothing to read from an SVM.
        return rivals(corpus, items) if isinstance(metric, Accuracy) else {}

    def baselines(
        self,
        corpus: "Corpus",
        tokenizers: "Mapping[str, Tokenizer]",
        keep: "Path | None" = None,
        discount: float | None = None,
    ) -> list[ClassifierBaselines]:
        return [measure(corpus, keep)]

    def score(self, run: Trained, line: str) -> "TextClass":
        from oratory.training.tasks.classifier.use import classify

        return classify(run, line)

    def card(self, run: "Recorded") -> "TaskCard":
        from oratory.training.tasks.classifier.card import card_of

        return card_of(run)

    def tracked(self, row: Mapping[str, Any]) -> dict[str, Any]:
        parts = {key: key.partition("_") for key in row}  # test_accuracy
        return {f"{figure}/{split}": row[key] for key, (split, _, figure) in parts.items()}

    def opening(self, tokenizer: "Tokenizer") -> int | None:
        from oratory.tokens import CLS

        return tokenizer.find(CLS)

    def samples(self, run: Trained, corpus: "Corpus", encode: Callable[[str], Sequence[int]], tokens: int) -> "Samples":
        from oratory.training.tasks.samples import texts_of

        return texts_of(corpus, encode, tokens)

    def losses(self, model: "Transformer", samples: "Samples", tokenizer: "Tokenizer") -> "NDArray[np.float64]":
        from oratory.training.tasks.classifier.losses import losses

        return losses(model, samples)
