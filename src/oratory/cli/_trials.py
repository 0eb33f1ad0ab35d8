"""How a search looks while it goes on."""

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from oratory.comparison import Outcome, Step
    from oratory.comparison.search import Told
    from oratory.comparison.search_design import SearchDesign


class Trials:
    """A line for every trial on stderr, and on a terminal a bar of all runs below them."""

    def __init__(self, design: "SearchDesign", variant: str = "") -> None:
        from rich.console import Console

        self.console = Console(stderr=True, soft_wrap=True, highlight=False)
        self.trials, self.seeds, self.metric = design.points, len(design.seeds), design.metric
        self.of = f"{variant}, " if variant else ""
        self.bar: Any = None
        self.under_way: dict[tuple[str, int], float] = {}
        self.ended = 0
        if self.console.is_terminal:
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (TextColumn("{task.description}"), BarColumn(bar_width=None), TimeElapsedColumn())
            self.bar = Progress(*columns, console=self.console, transient=True)
            self.line = self.bar.add_task("trials", total=self.trials * self.seeds)

    def __enter__(self) -> Self:
        if self.bar:
            self.bar.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.bar:
            self.bar.stop()

    def __call__(self, event: "Step | Outcome | Told") -> None:
        from oratory.comparison import Step
        from oratory.comparison.search import Told

        if isinstance(event, Told):
            self.under_way = {key: part for key, part in self.under_way.items() if key[0] != _name(event)}
            self.ended = max(self.ended, event.trial.number + 1)
            self.console.print(self._said(event), markup=False)
        else:
            share = event.step / max(1, event.steps) if isinstance(event, Step) else 1.0
            self.under_way[event.job.variant, event.job.seed] = share
        if self.bar:
            done = self.ended * self.seeds + sum(self.under_way.values())
            self.bar.update(self.line, completed=done, description=f"{self.of}trial {self.ended} of {self.trials}")

    def _said(self, event: "Told") -> str:
        trial = event.trial
        words = " ".join(f"{name}={value}" for name, value in trial.settings.items())
        told = f"{trial.number + 1}/{self.trials} {self.of}trial {trial.number}: {words}: "
        told += "–" if trial.mean is None else self._show(trial.mean)
        if trial.state != "complete":
            told += f", {trial.state}{': ' * bool(trial.problem)}{trial.problem}"
        if event.best is not None and event.best.mean is not None:
            told += f" (best so far {self._show(event.best.mean)})"
        return told

    def _show(self, value: float) -> str:
        return f"{100 * value:.1f}% on dev" if self.metric.name == "accuracy" else f"{value:.3f} {self.metric.name}"


def _name(event: "Told") -> str:
    return f"trial {event.trial.number}"
