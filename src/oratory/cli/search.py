"""`oratory search`."""

from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from oratory.cli import _common as common

if TYPE_CHECKING:
    from oratory.comparison import Outcome, Step
    from oratory.comparison.search import Told
    from oratory.comparison.search_design import SearchDesign


def command(
    space: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUES...",
            help="A range as in train.lr=1e-4..1e-2 (:log or :linear behind it), or a list as in train.batch=16,32.",
        ),
    ],
    task: common.Task = "classifier",
    model: common.Published = None,
    method: Annotated[str, typer.Option(help="tpe, random or grid.")] = "tpe",
    trials: Annotated[
        int | None, typer.Option(help="Points to try: 20, or the whole grid, unless given.", show_default=False)
    ] = None,
    seeds: Annotated[str, typer.Option(help="How many seeds to a point, or the seeds with commas between.")] = "3",
    settings: common.SetAll = None,
    data: common.DataOption = "sotu",
    search_seed: Annotated[int, typer.Option(help="The seed of the points that are drawn.")] = 0,
    at_once: Annotated[
        int, typer.Option(help="Points that are drawn together; decides what tpe knows when it draws.")
    ] = 4,
    prune: Annotated[
        bool, typer.Option("--prune/--no-prune", help="Leave a point whose first seed is worse than the median.")
    ] = True,
    on: common.On = "local",
    workers: common.Workers = None,
    report: common.Report = None,
    runs: common.Runs = None,
    plugin: common.Plugins = None,
    presidents: common.Presidents = None,
    text_column: common.TextColumn = None,
    label_column: common.LabelColumn = None,
    json: common.Json = False,
) -> None:
    """Search settings: grid, random or TPE, several seeds to a point, chosen on dev.

    Test is measured once, for the best settings, when they have been chosen. Runs that the store has already are used
    as they are. Stopped in the middle, the same command goes on; with more --trials it goes further.
    """
    from oratory.comparison import parse_seeds
    from oratory.comparison.jobs import read_plugins
    from oratory.comparison.search_design import SearchDesign, kinds_of
    from oratory.comparison.search_space import Space
    from oratory.lab.compare import executor_of
    from oratory.lab.search import search_design
    from oratory.settings import parse_words

    common.load_plugins(plugin)
    options = {"presidents": presidents, "text_column": text_column, "label_column": label_column}
    published = common.published(model)
    kinds = kinds_of(task, published)
    design = SearchDesign(
        task=task,
        space=Space.parse(space, kinds),
        corpus=common.load(data, **options),
        method=method,
        trials=trials,
        seeds=parse_seeds(seeds),
        settings=parse_words(settings or [], list(kinds)) | published,
        source=common.source(data, **options),
        search_seed=search_seed,
        at_once=at_once,
        prune=prune,
        plugins=read_plugins(plugin or ()),
    )
    common.check_report(report)
    executor = executor_of(on, workers)
    with Progress(design) as progress:
        found = search_design(design, runs, executor, progress)
    common.write_report(found, report)
    common.show_or_print(found, json)


class Progress:
    """A line for every trial on stderr, and on a terminal a bar of all runs below them."""

    def __init__(self, design: "SearchDesign") -> None:
        from rich.console import Console

        self.console = Console(stderr=True, soft_wrap=True, highlight=False)
        self.trials, self.seeds, self.metric = design.points, len(design.seeds), design.metric
        self.bar: Any = None
        self.under_way: dict[tuple[str, int], float] = {}
        self.ended = 0
        if self.console.is_terminal:
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}"), BarColumn(bar_width=None), TimeElapsedColumn())
            self.bar = Bar(*columns, console=self.console, transient=True)
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
            self.bar.update(self.line, completed=done, description=f"trial {self.ended} of {self.trials}")

    def _said(self, event: "Told") -> str:
        trial = event.trial
        words = " ".join(f"{name}={value}" for name, value in trial.settings.items())
        told = f"{trial.number + 1}/{self.trials} trial {trial.number}: {words}: "
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
