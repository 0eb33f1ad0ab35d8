"""A task on running text."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from oratory.training.tasks.task import KeptNumber, Task, Trained

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow

    from oratory.baselines.counts import CountModels
    from oratory.text import Corpus
    from oratory.tokens import Tokenizer
    from oratory.training.running_text.baselines import TextBaselines
    from oratory.training.running_text.config import LanguageTraining
    from oratory.training.running_text.units import Blocks
    from oratory.training.tasks.samples import Samples


class TextTask(Task):
    """Tokens of running text are predicted."""

    unused = ("pool", "head_hidden", "classes")
    kept_numbers: ClassVar[Mapping[str, KeptNumber]] = {"stride": KeptNumber(1, lambda settings: settings["context"])}
    no_baselines: "ClassVar[TextBaselines]"

    def has(self, corpus: "Corpus", split: str) -> bool:
        return corpus.lm is not None and bool(corpus.lm.tests if split == "test" else getattr(corpus.lm, split))

    def test_texts(self, corpus: "Corpus") -> tuple[str, ...]:
        return tuple(line for lines in corpus.need_lm().tests.values() for line in lines)

    def need(self, corpus: "Corpus") -> None:
        corpus.need_lm()

    def train_config(self) -> "type[LanguageTraining]":
        from oratory.training.running_text.config import LanguageTraining

        return LanguageTraining

    def train_size(self, corpus: "Corpus") -> tuple[int, str]:
        from oratory.tokens.scoring import count_words

        return count_words(corpus.need_lm().train), "words"

    def in_train(self, corpus: "Corpus") -> str:
        data = corpus.need_lm()
        seen = [line for name in data.tests for line in data.seen(name)]
        share = f" ({100 * sum(seen) / len(seen):.0f}%)" if seen else ""
        return f"{sum(seen):,} of {len(seen):,} lines of the test texts{share} are also in the training text."

    def units(self, corpus: "Corpus", split: str = "test") -> "Blocks":
        from oratory.training.running_text.units import Blocks

        return Blocks(corpus, split)

    def averaged(self, tables: "Sequence[pyarrow.Table]") -> "pyarrow.Table":
        from oratory.training.running_text.averaged import averaged

        return averaged(tables)

    def counted_tokens(self, corpus: "Corpus", chosen: str) -> "dict[str, Tokenizer]":
        from oratory.tokens import train_tokenizer

        settings = self.tokenizer(chosen)
        return {settings: train_tokenizer(corpus, settings, spelling=self.spells)}

    def baselines(
        self,
        corpus: "Corpus",
        tokenizers: "Mapping[str, Tokenizer]",
        keep: "Path | None" = None,
        discount: float | None = None,
    ) -> "list[TextBaselines]":
        from oratory.training.running_text.measured import measured

        return [measured(self, corpus, name, tokenizer, keep, discount) for name, tokenizer in tokenizers.items()]

    def opening(self, tokenizer: "Tokenizer") -> int | None:
        from oratory.tokens import START

        return tokenizer.find(START)

    def samples(self, run: Trained, corpus: "Corpus", encode: Callable[[str], Sequence[int]], tokens: int) -> "Samples":
        from oratory.training.tasks.samples import windows_of

        return windows_of(corpus, run.tokenizer, run.config.context, tokens)

    @abstractmethod
    def counts(self) -> "type[CountModels]":
        """The counts that are its baselines."""
