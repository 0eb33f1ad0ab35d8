"""`oratory train`."""

from typing import Annotated

import typer

from oratory.cli import _common as common


def command(
    task: Annotated[str | None, typer.Argument(help="classifier or lm.")] = None,
    settings: common.Settings = None,
    data: Annotated[str | None, typer.Option(help="sotu (the default), a folder, or hub:NAME.")] = None,
    seed: Annotated[int | None, typer.Option(help="Decides everything that is random; 0 unless given.")] = None,
    resume: Annotated[
        str | None, typer.Option(help="Go on with a run: its id, or last for the newest that is not finished.")
    ] = None,
    track: Annotated[
        list[str] | None, typer.Option(help="Show the run in wandb, tensorboard or mlflow too; may come again.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the configuration and stop.")] = False,
    runs: common.Runs = None,
    plugin: common.Plugins = None,
    presidents: common.Presidents = None,
    text_column: common.TextColumn = None,
    label_column: common.LabelColumn = None,
    json: common.Json = False,
) -> None:
    """Train a classifier or a language model, and keep the record of the run.

    The same command again goes on with a run that was stopped. Under torchrun, several processes train together.
    """
    from contextlib import ExitStack

    from oratory.cli._progress import Progress
    from oratory.errors import InputError
    from oratory.runs import resume as go_on
    from oratory.runs import train
    from oratory.runs.track import together, tracker
    from oratory.settings import parse_words
    from oratory.training import prepare, settings_of
    from oratory.training.parallel import leads

    common.load_plugins(plugin)
    if task is not None and "=" in task:
        raise InputError(f"{task!r} stands where the task belongs; first classifier or lm, then settings.")
    given = parse_words(settings or [], settings_of())
    options = {"presidents": presidents, "text_column": text_column, "label_column": label_column}
    with Progress() as progress, ExitStack() as stack:
        trackers = [stack.enter_context(tracker(name, say=common.note)) for name in dict.fromkeys(track or [])]
        listen = together(progress, *trackers)
        if resume is not None:
            corpus = None if data is None else common.load(data, **options)
            run = go_on(resume, runs=runs, task=task, corpus=corpus, settings=given, seed=seed, listen=listen)
        else:
            if task is None:
                raise InputError("Say what to train, classifier or lm; or which run to go on with: --resume last.")
            corpus = common.load(data or "sotu", **options)
            if dry_run:
                prepared = prepare(task, corpus, given, seed or 0)
                common.show_or_print(prepared, json, f"{task} on {corpus.name}")
                return
            source = common.source(data or "sotu", **options)
            run = train(task, corpus, given, seed or 0, runs=runs, source=source, listen=listen)
    if leads():
        common.show_or_print(run, json, f"{run.task} on {run.record['corpus']['name']}, seed {run.seed}: {run.id}")
