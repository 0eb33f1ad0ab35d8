"""The recorded results of a masked language model, as people read them."""

from oratory.tables import Table, number
from oratory.training.running_text.results import TextResults
from oratory.training.tasks.mlm.metrics.nats_per_masked_token import NatsPerMaskedToken
from oratory.training.tasks.mlm.metrics.pseudo_perplexity import PseudoPerplexity
from oratory.training.tasks.results import Recorded


class MaskedResults(TextResults):
    """Pseudo-perplexity of every text."""

    metric = PseudoPerplexity()
    scored = "Every token of every text is masked once, and predicted from the tokens on both sides of it."
    title = "Masked language models"
    known = (metric.recorded,)
    figure_types = {  # noqa: RUF012
        "tokens": int,
        "nats": float,
        **dict.fromkeys(("pseudo_perplexity", "pseudo_perplexity_seen", "pseudo_perplexity_unseen"), float | None),
    }

    def tables(self, run: Recorded) -> list[Table]:
        key, nats = self.metric.recorded, NatsPerMaskedToken()
        figures = (key, f"{key}_seen", f"{key}_unseen")
        rows = tuple(
            (
                name,
                number(text["tokens"]),
                *(self.metric.show_value(text.get(figure)) for figure in figures),
                nats.show_value(text["nats"]),
            )
            for name, text in run.result.items()
        )
        facts, context = run.facts, run.settings["context"]
        note = f"One token in {facts['passes']} is masked at once, in windows of {context} tokens that move on by "
        note += f"{facts['stride']}. seen: lines that train has too. Not comparable with perplexity."
        columns = ("text", "tokens", self.metric.column, "seen", "unseen", nats.column)
        return [Table(f"Pseudo-perplexity after {run.step:,} updates", columns, rows, note=note)]
