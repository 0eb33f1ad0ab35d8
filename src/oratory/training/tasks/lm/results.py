"""The recorded results of a language model, as people read them."""

from oratory.tables import Table, number
from oratory.training.running_text.results import TextResults
from oratory.training.tasks.lm.metric import closed_figure
from oratory.training.tasks.lm.metrics.bits_per_byte import BitsPerByte
from oratory.training.tasks.lm.metrics.perplexity import Perplexity
from oratory.training.tasks.results import Recorded, Result

FIGURES = ("perplexity", "perplexity_windows", "perplexity_lines")
PARTS = ("seen", "unseen", "in_dev")
CLOSED = ("bits_per_byte", "perplexity_per_word")


class LanguageResults(TextResults):
    """Perplexity of every text."""

    metric = Perplexity()
    scored = "Every token of every text is scored once."
    title = "Language models"
    known = (metric.recorded,)
    figure_types = {  # noqa: RUF012
        "tokens": int,
        **dict.fromkeys((*FIGURES, *CLOSED, *(f"perplexity_{part}" for part in PARTS)), float | None),
    }

    def by_figure(self, result: Result) -> dict[str, dict[str, float | None]]:
        by_figure = {figure: {name: text[figure] for name, text in result.items()} for figure in FIGURES}
        return by_figure | {
            figure: {name: closed_figure(text, figure) for name, text in result.items()} for figure in CLOSED
        }

    def tables(self, run: Recorded) -> list[Table]:
        columns = ("text", "tokens", "perplexity", "windows", "per word", "bits per byte")
        show = self.metric.show_value
        rows = tuple(
            (
                name,
                number(text["tokens"]),
                show(text["perplexity"]),
                show(text["perplexity_windows"]),
                show(closed_figure(text, "perplexity_per_word")),
                BitsPerByte().show_value(closed_figure(text, "bits_per_byte")),
            )
            for name, text in run.result.items()
        )
        note = f"perplexity: every token once, windows of {run.settings['context']} tokens that move on by "
        note += f"{run.facts['stride']}; windows: the reference way, windows that do not overlap; per word, and bits "
        note += "per byte: what the tokens leave open is spelled out, so that other tokens can be compared."
        return [Table(f"Perplexity after {run.step:,} updates", columns, rows, note=note)]
