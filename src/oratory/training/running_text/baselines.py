"""What the baselines of a task on running text score: facts, and the tables that they make."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from oratory.tables import Table, number
from oratory.training.running_text.metric import LanguageMetric, TokenMetric
from oratory.training.tasks.baselines import TaskBaselines

SHOWN = 6
"""Test texts in a table or a picture."""


@dataclass(frozen=True)
class CountedText:
    """What one baseline makes of one text: of all its lines, and of those train has or has not.

    Of a model that is asked from both sides, perplexities are pseudo-perplexities.
    """

    perplexity: float
    perplexity_seen: float | None
    perplexity_unseen: float | None
    bits_per_byte: float | None
    """Closed over text, as the next one; None where the tokenizer cannot spell what its tokens leave open."""
    perplexity_per_word: float | None
    tokens: int = 0
    tokens_seen: int = 0
    """In lines that train has."""
    bits_per_byte_seen: float | None = None
    bits_per_byte_unseen: float | None = None
    bytes: int = 0
    bytes_seen: int = 0
    perplexity_per_word_seen: float | None = None
    perplexity_per_word_unseen: float | None = None
    words: int = 0
    words_seen: int = 0


@dataclass(frozen=True)
class CountFacts:
    """One baseline on every test text."""

    order: int
    discount: float | None
    """None for a model that has no single one."""
    dev: float | None
    """Perplexity of dev at this discount, before the model was fitted on all of train; None where there is no dev."""
    texts: dict[str, CountedText]
    cache: float | None = None
    """The share of a cache of the text so far, chosen on dev; None for a model with a discount."""


@dataclass(frozen=True)
class TextBaselines(TaskBaselines):
    """Counts that a model of running text must beat, over the tokens of one tokenizer."""

    metric: ClassVar[TokenMetric]
    """What the perplexities here are."""
    figures: ClassVar[Mapping[str, str]]
    """What the JSON calls the figures of a text."""

    models: Mapping[str, CountFacts] = field(default_factory=dict)
    tokenizer: str | None = None
    tokenizer_fingerprint: str | None = None
    vocabulary: int | None = None
    """Entries."""
    discount: float | None = None
    """The discount that was asked for; None where it was chosen on dev."""

    @property
    @abstractmethod
    def beside(self) -> Sequence[str]:
        """The baselines that are shown beside models."""

    @property
    def texts(self) -> list[str]:
        return list(next(iter(self.models.values())).texts) if self.models else []

    def to_dict(self) -> dict[str, Any]:
        return {
            name: {
                **{key: getattr(facts, key) for key in ("order", "discount", "cache", "dev")},
                **{
                    key: {text: getattr(found, figure) for text, found in facts.texts.items()}
                    for figure, key in self.figures.items()
                },
            }
            for name, facts in self.models.items()
        }

    def tables(self) -> list[Table]:
        if not self.models:
            return []
        show = self.metric.show_value
        columns = {"discount": lambda m: number(m.discount, 2), "cache": lambda m: number(m.cache, 2)}
        if not any(facts.cache for facts in self.models.values()):
            del columns["cache"]
        return [self.table(self.metric, self._note(), **columns, dev=lambda m: show(m.dev))]

    def table(self, metric: LanguageMetric, note: str, **more: Callable[[CountFacts], str]) -> Table:
        """Every baseline on the test texts, with more columns before them."""
        shown = self.texts[:SHOWN]

        def cells(model: CountFacts) -> list[str]:
            of_texts = (metric.of_text(model.texts[text]) for text in shown)
            return [*(show(model) for show in more.values()), *map(metric.show_value, of_texts)]

        rows = tuple((self.marked(name), *cells(model)) for name, model in self.models.items())
        return Table(f"{metric.name.capitalize()} of the test texts", ("baseline", *more, *shown), rows, note=note)

    def marked(self, name: str) -> str:
        """The name of a baseline in a table."""
        return name

    @property
    def has_dev(self) -> bool:
        return any(facts.dev is not None for facts in self.models.values())

    def _note(self) -> str:
        how = "chosen on dev" if self.has_dev else "usual, for want of a dev split"
        how = how if self.discount is None else "as given"
        note = f"Tokenizer {self.tokenizer}, {self.vocabulary:,} entries; discounts {how}."
        more = len(self.texts) - SHOWN
        return f"{note} {more} more texts are in the JSON." if more > 0 else note
