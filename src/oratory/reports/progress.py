"""How training looks in progress: a bar on a terminal, plain lines elsewhere; all of it on stderr."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from oratory.runs import Event, Started

BRIEF = 0.1
"""Seconds between two changes of the bar."""


@contextmanager
def in_notebook(progress: Callable[[], Any], listen: Any) -> Iterator[Any]:
    """The listener that was given; in a notebook, where there is none, a bar."""
    from rich.console import Console

    if listen is not None or not Console().is_jupyter:
        yield listen
        return
    with progress() as shown:
        yield shown


class RunProgress:
    """Listens to one run. To be used in a `with`, so that the terminal is left as it was."""

    def __init__(self) -> None:
        from rich.console import Console

        self.console: Console = Console(stderr=True, soft_wrap=True, highlight=False)
        self.bar: Any = None
        self.line: Any = None
        self.shown = 0.0
        self.loss: float | None = None
        self.steps, self.eval_every, self.task = 0, 0, ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, event: "Event") -> None:
        from oratory.runs import Ended, Started
        from oratory.training.events import Measured

        if isinstance(event, Started):
            self._begin(event)
        elif isinstance(event, Measured):
            loss = "" if event.loss is None else f"  loss {event.loss:.3f}"
            self._say(event.scores.described(event.step, event.epoch, loss))
            if self.bar is not None:
                self.bar.update(self.line, description=self.task)
        elif isinstance(event, Ended):
            if event.again:
                self._say(f"{event.run.id} is finished already; oratory runs rm {event.run.id} to train it again.")
        else:
            if event.remark:
                self._say(event.remark)
            self._advance(event.step, event.loss)

    def _begin(self, event: "Started") -> None:
        self.steps, self.eval_every, self.task = event.steps, event.eval_every, event.run.task.name
        for remark in event.remarks:
            self._say(remark)
        how = f"continues at step {event.step:,}" if event.step else "begins"
        total = event.run.record.parameters.total
        self._say(f"{event.run.id} {how}: {event.steps:,} steps, {total:,} parameters, seed {event.run.seed}")
        if not self.console.is_terminal:
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]}"),
            TextColumn("{task.fields[rate]} steps/s"),
            TimeRemainingColumn(),
            console=self.console,
            transient=True,
        )
        self.line = self.bar.add_task(event.run.task.name, total=event.steps, completed=event.step, loss="–", rate="–")
        self.bar.start()

    def _advance(self, step: int, loss: float) -> None:
        # The loss of single batches jumps; what is shown is a running mean.
        self.loss = loss if self.loss is None else 0.95 * self.loss + 0.05 * loss
        # What follows is an evaluation, which has no steps; the bar says why it stands still.
        measured = step == self.steps or (self.eval_every and step % self.eval_every == 0)
        if self.bar is None or (time.monotonic() - self.shown < BRIEF and not measured):
            return
        self.shown = time.monotonic()
        speed = self.bar.tasks[self.line].speed
        rate = f"{speed:.0f}" if speed else "–"
        description = "measuring" if measured else self.task
        self.bar.update(self.line, completed=step, loss=f"{self.loss:.3f}", rate=rate, description=description)

    def _say(self, text: str) -> None:
        from rich.text import Text

        from oratory.tables import printable

        self.console.print(Text(printable(text)))
