"""What the baselines of a masked language model score."""

from collections.abc import Sequence
from dataclasses import dataclass

from oratory.training.running_text.baselines import TextBaselines
from oratory.training.tasks.mlm.metrics.pseudo_perplexity import PseudoPerplexity


@dataclass(frozen=True)
class MaskedBaselines(TextBaselines):
    """Counts that predict a token between others."""

    metric = PseudoPerplexity()
    figures = {  # noqa: RUF012
        **{f"perplexity{part}": f"pseudo_perplexity{part}" for part in ("", "_seen", "_unseen")},
        "tokens": "tokens",
        "tokens_seen": "tokens_seen",
    }

    @property
    def beside(self) -> Sequence[str]:
        return list(self.models)
