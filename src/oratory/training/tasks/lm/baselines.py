"""What the baselines of a language model score."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from oratory.pictures import Curves, Drawn
from oratory.tables import Table
from oratory.training.running_text.baselines import SHOWN, CountedText, TextBaselines
from oratory.training.tasks.lm.metrics.bits_per_byte import BitsPerByte
from oratory.training.tasks.lm.metrics.perplexity import Perplexity

NAME = "kneser-ney"
ABOUT = ("tokenizer", "tokenizer_fingerprint", "vocabulary", "discount", "chosen")


@dataclass(frozen=True)
class LanguageBaselines(TextBaselines):
    """Kneser-Ney n-grams of several orders."""

    metric = Perplexity()
    figures = {field.name: field.name for field in fields(CountedText)}  # noqa: RUF012

    @property
    def chosen(self) -> str | None:
        """The one with the lowest perplexity on dev; the trigrams where there was no dev."""
        on_dev = {name: facts.dev for name, facts in self.models.items() if facts.dev is not None}
        usual = f"{NAME}-3" if self.models else None
        return min(on_dev, key=on_dev.__getitem__) if on_dev else usual

    @property
    def beside(self) -> Sequence[str]:
        return [self.chosen] if self.chosen else []

    def about(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ABOUT}

    def to_dict(self) -> dict[str, Any]:
        """Every model, and the chosen one under the plain name too."""
        facts = super().to_dict()
        return {NAME: facts[self.chosen], **facts} if self.chosen else facts

    def marked(self, name: str) -> str:
        return f"{name} *" if name == self.chosen else name

    def tables(self) -> list[Table]:
        note = "What the tokens leave open is spelled out, so that figures of different tokenizers can be compared."
        return [*super().tables(), self.table(BitsPerByte(), note)] if self.models else []

    def _note(self) -> str:
        return f"* {'lowest on dev' if self.has_dev else 'usual'}. {super()._note()}"

    def pictures(self) -> list[Drawn]:
        """Perplexity against the order of the model."""
        if not self.models:
            return []
        models = list(self.models.values())
        orders = [model.order for model in models]
        texts = self.texts[:SHOWN]
        series = {text: (orders, [[model.texts[text].perplexity for model in models]]) for text in texts}
        curves = Curves(series, "words in an n-gram (Kneser-Ney)", self.metric.column, log=True, dots=True)
        caption = "Perplexity of the test texts against the order of the n-gram model; lower is better."
        return [Drawn("baseline-perplexity", curves, caption)]
