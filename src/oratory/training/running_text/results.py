"""The recorded results of a model of running text, as people read them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import exp, log
from typing import Any, ClassVar

from oratory.pictures import Drawn, Mark, Points, Topic
from oratory.tables import finite
from oratory.training.running_text.metric import TokenMetric
from oratory.training.tasks.metric import Metric
from oratory.training.tasks.results import Curve, History, Recorded, Result, Results

NOT_TEST = ("train", "dev")
TEXTS = 4
"""Test texts in a list of runs; all are in the JSON."""


class TextResults(Results):
    """One figure of every text."""

    of_tokens = True

    metric: ClassVar[TokenMetric]
    """The figure."""
    scored: ClassVar[str]
    """What is measured, in a sentence."""

    place = "step"
    place_label = "update"
    parts_title = "Each text"

    def figures(self, result: Result) -> dict[str, float | None]:
        key = self.metric.recorded
        of_texts = {f"{key}.{name}": finite(text[key]) for name, text in result.items()}
        return ({key: self._of_tests(result)} if result else {}) | of_texts

    def shown(self, figures: Iterable[str]) -> list[str]:
        found = list(figures)
        texts = [name for name in found if name.startswith(f"{self.metric.recorded}.")]
        return [name for name in found if name not in texts] + texts[: TEXTS + len(NOT_TEST)]

    def heading(self, figure: str) -> str:
        key = self.metric.recorded
        return self.metric.name if figure == key else figure.removeprefix(f"{key}.")

    def show(self, figure: str, value: float | None) -> str:
        return self.metric.show_value(value)

    def facts(self, run: Recorded, result: Result) -> dict[str, Any]:
        key = self.metric.recorded
        history = [
            {"iteration": entry["step"], "loss": entry["train_loss"], **entry[key], "seconds": entry["seconds"]}
            for entry in run.history()
        ]
        return {**self.by_figure(result), "texts": result, "history": history}

    def by_figure(self, result: Result) -> dict[str, dict[str, float | None]]:
        """Every figure that `--json` prints, by text."""
        key = self.metric.recorded
        return {key: {name: text[key] for name, text in result.items()}}

    def topics(self, run: Recorded) -> list[Topic]:
        name, texts = self.metric.name, self.by_figure(run.result)[self.metric.recorded]
        marks = {text: Mark(value) for text, value in texts.items() if value is not None}
        points = Points(tuple(marks), {name: list(marks.values())}, self.metric.column)
        caption = f"{name.capitalize()} of each text; lower is better. Train was learned from."
        figures = (Drawn(name, points, caption),) if marks else ()
        return [Topic("What it scores", self.scored, figures=figures, tables=self.tables(run))]

    def curves(self, history: History) -> list[Curve]:
        texts = dict.fromkeys(text for entry in history for text in entry[self.metric.recorded])
        return [Curve(text, self.metric.column, self._reader(text), log=True) for text in texts]

    def compared_curves(self, histories: Sequence[History]) -> tuple[list[Curve], str]:
        name = self.metric.name
        return [Curve(name, f"{name} of the test texts", self._mean_of_tests, log=True)], ""

    def parts(
        self,
        names: Sequence[str],
        variants: Mapping[str, Sequence[Mark]],
        baselines: Mapping[str, Sequence[float | None]],
        metric: Metric,
    ) -> Topic:
        points = Points(names, variants, metric.column, baselines, log=metric.logarithmic)
        caption = f"{metric.name.capitalize()} of each test text, with 95% intervals; marks are baselines."
        return Topic("Each text", f"{self.scored} Lower is better.", figures=(Drawn("parts", points, caption),))

    def _reader(self, text: str) -> Callable[[Mapping[str, Any]], float | None]:
        return lambda entry: entry[self.metric.recorded].get(text)

    def _mean_of_tests(self, entry: Mapping[str, Any]) -> float | None:
        """The geometric mean over the test texts of one evaluation."""
        import numpy as np

        texts = entry[self.metric.recorded]
        held_out = [value for name, value in texts.items() if name not in NOT_TEST and value]
        return float(np.exp(np.mean(np.log(held_out)))) if held_out else None

    def _of_tests(self, result: Result) -> float | None:
        """Over every token of the test texts."""
        texts = [text for name, text in result.items() if name not in NOT_TEST]
        tokens, key = sum(text["tokens"] for text in texts), self.metric.recorded
        if not tokens or any(finite(text[key]) is None for text in texts):
            return None
        return exp(sum(text["tokens"] * log(text[key]) for text in texts) / tokens)
