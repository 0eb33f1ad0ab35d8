"""What a masked language model scores on the texts of a corpus."""

from dataclasses import dataclass
from typing import Any

from oratory.tables import finite
from oratory.training.running_text.scores import TextsScores, TokenScores
from oratory.training.tasks.mlm.metrics.pseudo_perplexity import PseudoPerplexity


@dataclass(frozen=True, eq=False)
class MaskedTextScores(TokenScores):
    """A masked language model on one text."""

    def to_dict(self) -> dict[str, Any]:
        """Every figure of the text."""
        facts = {"tokens": len(self.nats), "pseudo_perplexity": finite(self.figure), "nats": self.mean}
        return facts | self.of_lines("pseudo_perplexity")


class MaskedScores(TextsScores):
    """A masked language model on every text that was measured."""

    metric = PseudoPerplexity()
