"""What the baselines of a language model score."""

from collections.abc import Callable, Sequence
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
    """Kneser-Ney n-grams of several orders, modified ones, and modified ones with a cache of the text so far."""

    metric = Perplexity()
    figures = {field.name: field.name for field in fields(CountedText)}  # noqa: RUF012

    @property
    def chosen(self) -> str | None:
        """The plain one with the lowest perplexity on dev; the trigrams where there was no dev."""
        usual = f"{NAME}-3" if self.models else None
        return self._lowest(lambda name: name.startswith(NAME)) or usual

    @property
    def strongest(self) -> str | None:
        """The one with the lowest perplexity on dev of all, such as one with a cache; None where there was no dev."""
        return self._lowest(lambda name: True)

    def _lowest(self, takes_part: Callable[[str], bool]) -> str | None:
        on_dev = {name: facts.dev for name, facts in self.models.items() if facts.dev is not None and takes_part(name)}
        return min(on_dev, key=on_dev.__getitem__, default=None)

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
        stars = {self.strongest: "**", self.chosen: "*"}
        return f"{name} {stars[name]}" if name in stars else name

    def tables(self) -> list[Table]:
        note = "What the tokens leave open is spelled out, so that figures of different tokenizers can be compared."
        return [*super().tables(), self.table(BitsPerByte(), note)] if self.models else []

    def _note(self) -> str:
        if not self.has_dev:
            return f"* usual. {super()._note()}"
        return (
            f"* lowest on dev of the plain ones, ** of all. {super()._note()} Modified: three discounts for each "
            "order, from the counts. Cached: a modified one with a cache of the text so far, its share chosen on dev."
        )

    def pictures(self) -> list[Drawn]:
        """Perplexity against the order of the model."""
        if not self.models:
            return []
        models = [facts for name, facts in self.models.items() if name.startswith(NAME)]
        orders = [model.order for model in models]
        texts = self.texts[:SHOWN]
        series = {text: (orders, [[model.texts[text].perplexity for model in models]]) for text in texts}
        curves = Curves(series, "words in an n-gram (Kneser-Ney)", self.metric.column, log=True, dots=True)
        caption = "Perplexity of the test texts against the order of the n-gram model; lower is better."
        return [Drawn("baseline-perplexity", curves, caption)]
