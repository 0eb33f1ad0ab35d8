"""How a comparison looks while it goes on: a live table of all runs on a terminal, plain lines elsewhere."""

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from oratory.comparison import Outcome, Step


class LiveTable:
    """Variants down, seeds across. To be used in a `with`, so that the terminal is left as it was."""

    def __init__(self, variants: Sequence[str], seeds: Sequence[int]) -> None:
        from rich.console import Console

        self.console = Console(stderr=True, soft_wrap=True, highlight=False)
        self.seeds = seeds
        self.cells: dict[str, dict[int, str]] = {name: dict.fromkeys(seeds, "·") for name in variants}
        self.done = 0
        self.live: Any = None
        if self.console.is_terminal:
            from rich.live import Live

            self.live = Live(self._drawn(), console=self.console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        if self.live:
            self.live.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.live:
            self.live.stop()

    def __call__(self, event: "Step | Outcome") -> None:
        from oratory.comparison import Step

        job = event.job
        if isinstance(event, Step):
            self.cells[job.variant][job.seed] = f"{100 * event.step // max(1, event.steps)}%"
        else:
            self.done += 1
            word = "failed" if event.run is None else "had" if event.reused else "done"
            self.cells[job.variant][job.seed] = word
            if event.run is None or not self.live:
                total = len(self.cells) * len(self.seeds)
                why = f": {event.problem}" if event.run is None else f" ({event.run})"
                self.console.print(f"{self.done}/{total} {job.variant}, seed {job.seed}: {word}{why}", markup=False)
        if self.live:
            self.live.update(self._drawn())

    def _drawn(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        table = Table("variant", *(f"seed {seed}" for seed in self.seeds), box=None, pad_edge=False)
        for name, cells in self.cells.items():
            table.add_row(Text(name), *(cells[seed] for seed in self.seeds))
        return table
