"""The recorded results of a language model, as people read them."""

from collections.abc import Iterable, Mapping, Sequence
from math import exp, log
from typing import Any

from oratory.pictures import Drawn, Mark, Points, Topic
from oratory.tables import Table, finite, number
from oratory.training.tasks.metric import Metric
from oratory.training.tasks.results import Curve, History, Recorded, Result, Results

NOT_TEST = ("train", "dev")
TEXTS = 4
"""Test texts of a language model in a table; all are in the JSON."""
FIGURES = ("perplexity", "perplexity_windows", "perplexity_lines", "bits_per_byte")
SCORED = "Every token of every text is scored once."


class LanguageResults(Results):
    """Perplexity of every text."""

    title = "Language models"
    place = "step"
    place_label = "update"
    known = ("perplexity",)
    parts_title = "Each text"

    def figures(self, result: Result) -> dict[str, float | None]:
        perplexities = {f"perplexity.{name}": finite(text["perplexity"]) for name, text in result.items()}
        return ({"perplexity": _mean_perplexity(result)} if result else {}) | perplexities

    def shown(self, figures: Iterable[str]) -> list[str]:
        found = list(figures)
        texts = [name for name in found if name.startswith("perplexity.")]
        return [name for name in found if name not in texts] + texts[: TEXTS + len(NOT_TEST)]

    def heading(self, figure: str) -> str:
        return figure.removeprefix("perplexity.")

    def facts(self, run: Recorded, result: Result) -> dict[str, Any]:
        by_figure = {figure: {name: text[figure] for name, text in result.items()} for figure in FIGURES}
        history = [
            {
                "iteration": entry["step"],
                "loss": entry["train_loss"],
                **entry["perplexity"],
                "seconds": entry["seconds"],
            }
            for entry in run.history()
        ]
        return {**by_figure, "texts": result, "history": history}

    def tables(self, run: Recorded) -> list[Table]:
        columns = ("text", "tokens", "perplexity", "windows", "bits per byte")
        rows = tuple(
            (
                name,
                number(text["tokens"]),
                number(text["perplexity"], 1),
                number(text["perplexity_windows"], 1),
                number(text["bits_per_byte"], 3),
            )
            for name, text in run.result.items()
        )
        note = f"perplexity: every token once, windows of {run.settings['context']} tokens that move on by "
        note += f"{run.facts['stride']}; windows: the reference way, windows that do not overlap."
        return [Table(f"Perplexity after {run.step:,} updates", columns, rows, note=note)]

    def topics(self, run: Recorded) -> list[Topic]:
        texts = {name: text["perplexity"] for name, text in run.result.items() if text["perplexity"] is not None}
        points = Points(tuple(texts), {"perplexity": [Mark(value) for value in texts.values()]}, "perplexity", log=True)
        caption = "Perplexity of each text; lower is better. Train was learned from."
        figures = (Drawn("perplexity", points, caption),) if texts else ()
        return [Topic("What it scores", SCORED, figures=figures, tables=self.tables(run))]

    def curves(self, history: History) -> list[Curve]:
        texts = dict.fromkeys(text for entry in history for text in entry["perplexity"])
        return [Curve(text, "perplexity", _reader(text), log=True) for text in texts]

    def compared_curves(self, histories: Sequence[History]) -> tuple[list[Curve], str]:
        return [Curve("perplexity", "perplexity of the test texts", _of_tests, log=True)], ""

    def parts(
        self,
        names: Sequence[str],
        variants: Mapping[str, Sequence[Mark]],
        baselines: Mapping[str, Sequence[float | None]],
        metric: Metric,
    ) -> Topic:
        points = Points(names, variants, metric.column, baselines, log=metric.logarithmic)
        caption = f"{metric.name.capitalize()} of each test text, with 95% intervals; marks are baselines."
        return Topic("Each text", f"{SCORED} Lower is better.", figures=(Drawn("parts", points, caption),))


def _reader(text: str) -> Any:
    def value(entry: Mapping[str, Any]) -> float | None:
        found: float | None = entry["perplexity"].get(text)
        return found

    return value


def _of_tests(entry: Mapping[str, Any]) -> float | None:
    """The geometric mean over the test texts of one evaluation."""
    import numpy as np

    held_out = [value for name, value in entry["perplexity"].items() if name not in NOT_TEST and value]
    return float(np.exp(np.mean(np.log(held_out)))) if held_out else None


def _mean_perplexity(result: Result) -> float | None:
    """Over every token of the test texts."""
    texts = [text for name, text in result.items() if name not in NOT_TEST]
    tokens = sum(text["tokens"] for text in texts)
    if not tokens or any(finite(text["perplexity"]) is None for text in texts):
        return None
    return exp(sum(text["tokens"] * log(text["perplexity"]) for text in texts) / tokens)
