"""`oratory train`."""

from typing import Annotated

import typer

from oratory.cli import _common as common
from oratory.cli import _training as training
from oratory.training.tasks import task_names

PANEL = "Models"


def command(
    task: Annotated[str | None, typer.Argument(help=f"{task_names()}.")] = None,
    settings: common.Settings = None,
    data: common.TrainData = None,
    without: common.Without = None,
    seed: common.Seed = None,
    resume: common.Resume = None,
    track: common.Track = None,
    dry_run: common.DryRun = False,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Train a model for a task, and keep the record of the run.

    The same command again continues a run that was stopped. Under torchrun, several processes train together.
    """
    from oratory.errors import InputError
    from oratory.settings import parse_words
    from oratory.training.origins import origin_of

    common.load_plugins(plugin)
    if task is not None and "=" in task:
        raise InputError(f"{task!r} is a setting; the task comes first, {task_names()}, then settings.")
    given = parse_words(settings or [], list(origin_of({}).known()))
    data = training.without(data, without)
    training.train(task, given, seed, data, resume=resume, track=track, dry_run=dry_run, runs=runs, json=json)
