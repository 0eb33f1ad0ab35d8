"""How many runs look while they are trained: a live table or a bar on a terminal, plain lines elsewhere; on stderr."""

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from oratory.execution.jobs import Job, JobsPlanned, Outcome, Step
    from oratory.searches.events import SearchBegun, TrialEnded


class JobsProgress:
    """Listens to a comparison, a search, or a search for each variant and then their comparison."""

    def __init__(self) -> None:
        from rich.console import Console

        self.console = Console(stderr=True, soft_wrap=True, highlight=False)
        self.view: _Table | _Trials | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.leave()

    def __call__(self, event: "JobsPlanned | SearchBegun | Step | Outcome | TrialEnded") -> None:
        from oratory.execution.jobs import JobsPlanned
        from oratory.searches.events import SearchBegun

        if isinstance(event, JobsPlanned):
            self.leave()
            self.view = _Table(self.console, event.jobs)
        elif isinstance(event, SearchBegun):
            self.leave()
            self.view = _Trials(self.console, event)
        elif self.view is not None:
            self.view.show(event)

    def leave(self) -> None:
        """Leave the terminal as it was."""
        if self.view is not None:
            self.view.stop()
        self.view = None


def _print(console: Any, line: str) -> None:
    """A line of text, in which nothing is obeyed."""
    from rich.text import Text

    from oratory.tables import printable

    console.print(Text(printable(line)))


class _Table:
    """Variants down, seeds across."""

    def __init__(self, console: Any, jobs: "tuple[Job, ...]") -> None:
        self.console, self.total, self.done = console, len(jobs), 0
        self.parts: dict[tuple[str, int], float] = {}
        self.clock = TimeLeft(len(jobs))
        self.seeds = list(dict.fromkeys(job.seed for job in jobs))
        self.cells: dict[str, dict[int, str]] = {}
        for job in jobs:
            self.cells.setdefault(job.variant, {})[job.seed] = "·"
        self.live: Any = None
        if console.is_terminal:
            from rich.live import Live

            self.live = Live(self._drawn(), console=console, refresh_per_second=4, transient=True)
            self.live.start()

    def stop(self) -> None:
        if self.live:
            self.live.stop()

    def show(self, event: Any) -> None:
        from oratory.execution.jobs import Step

        job = event.job
        if isinstance(event, Step):
            self.cells[job.variant][job.seed] = f"{100 * event.step // max(1, event.steps)}%"
            self.parts[job.variant, job.seed] = event.step / max(1, event.steps)
        else:
            self._ended(event)
        if self.live:
            self.live.update(self._drawn())

    def _ended(self, outcome: "Outcome") -> None:
        self.done += 1
        job = outcome.job
        if outcome.reused:
            self.clock.skip(1)
        self.parts[job.variant, job.seed] = 0.0 if outcome.reused else 1.0
        word = "failed" if outcome.run is None else "had" if outcome.reused else "done"
        self.cells[job.variant][job.seed] = word
        if outcome.run is None or not self.live:
            why = f": {outcome.problem}" if outcome.run is None else f" ({outcome.run})"
            line = f"{self.done}/{self.total} {job.variant}, seed {job.seed}: {word}{why}"
            _print(self.console, line)

    def _drawn(self) -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        from oratory.tables import printable

        table = Table("variant", *(f"seed {seed}" for seed in self.seeds), box=None, pad_edge=False)
        for name, cells in self.cells.items():
            table.add_row(Text(printable(name)), *(cells.get(seed, "") for seed in self.seeds))
        under_way = f"{self.done} of {self.total} runs are done{self.clock.left(sum(self.parts.values()))}"
        return Group(table, Text(under_way, style="dim"))


class TimeLeft:
    """How long the rest takes, from what was done since the beginning."""

    def __init__(self, total: float) -> None:
        self.total, self.began = total, time.monotonic()

    def skip(self, work: float) -> None:
        """What need not be done after all."""
        self.total -= work

    def left(self, done: float) -> str:
        """In words; nothing before a twentieth of a run is done, when nobody could say."""
        from oratory.tables import duration

        seconds = time.monotonic() - self.began
        if done < 0.05 or seconds < 1 or self.total <= done:
            return ""
        return f", about {duration(seconds * (self.total - done) / done)} left"


class _Trials:
    """A line for every trial, and on a terminal a bar of all runs below them."""

    def __init__(self, console: Any, begun: "SearchBegun") -> None:
        from oratory.tables import printable

        design = begun.design
        self.console, self.trials, self.seeds, self.metric = console, design.points, len(design.seeds), design.metric
        self.of = f"{printable(begun.variant)}, " if begun.variant else ""
        self.under_way: dict[tuple[str, int], float] = {}
        self.ended = 0
        self.bar: Any = None
        if console.is_terminal:
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=None), TimeRemainingColumn())
            self.bar = Progress(*columns, console=console, transient=True)
            self.line = self.bar.add_task("trials", total=self.trials * self.seeds)
            self.bar.start()

    def stop(self) -> None:
        if self.bar:
            self.bar.stop()

    def show(self, event: Any) -> None:
        from oratory.execution.jobs import Step
        from oratory.searches.events import TrialEnded

        if isinstance(event, TrialEnded):
            name = f"trial {event.trial.number}"
            self.under_way = {key: part for key, part in self.under_way.items() if key[0] != name}
            self.ended = max(self.ended, event.trial.number + 1)
            _print(self.console, self._line(event))
        else:
            share = event.step / max(1, event.steps) if isinstance(event, Step) else 1.0
            self.under_way[event.job.variant, event.job.seed] = share
        if self.bar:
            done = self.ended * self.seeds + sum(self.under_way.values())
            self.bar.update(self.line, completed=done, description=f"{self.of}trial {self.ended} of {self.trials}")

    def _line(self, event: "TrialEnded") -> str:
        trial, metric = event.trial, self.metric
        words = " ".join(f"{name}={value}" for name, value in trial.settings.items())
        told = f"{trial.number + 1}/{self.trials} {self.of}trial {trial.number}: {words}: "
        name, _, unit = metric.column.partition(", ")
        told += f"{name} on dev {metric.show(trial.mean)}{unit}"
        if trial.state != "complete":
            told += f", {trial.state}{': ' * bool(trial.problem)}{trial.problem}"
        if event.best is not None and event.best.mean is not None:
            told += f" (best so far {metric.show(event.best.mean)}{unit})"
        return told
