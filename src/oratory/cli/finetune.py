"""`oratory finetune`."""

from typing import Annotated

import typer

from oratory.cli import _common as common
from oratory.cli import _training as training
from oratory.training.tasks import task_names

PANEL = "Models"


def command(
    model: common.ModelArgument = None,
    settings: common.Settings = None,
    data: common.TrainData = None,
    task: Annotated[
        str | None, typer.Option(help=f"What to train: {task_names()}; classifier unless given.", show_default=False)
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            help="Of a published model: hf, through transformers (the default), or own, through Oratory's modules."
        ),
    ] = None,
    seed: common.Seed = None,
    resume: common.Resume = None,
    track: common.Track = None,
    dry_run: common.DryRun = False,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Fine-tune a run of your own, or a published encoder, and keep the record of the run.

    A run brings its architecture, its weights and its tokenizer; the head is new, unless the task stays the same. If
    the text that it learned from holds test texts, it is refused: train it with --without. A published encoder becomes
    a classifier; the weights that are kept are the best ones on dev, and test is measured once, at the end. The same
    command again continues a run that was stopped.
    """
    from oratory.settings import parse_words
    from oratory.training.origins import all_settings, origin_of
    from oratory.training.origins.published.config import DEFAULT

    common.load_plugins(plugin)
    words = list(settings or [])
    if model is not None and "=" in model:
        words, model = [model, *words], None
    words += [f"engine={engine}"] if engine is not None else []
    if model is None and resume is not None:
        given = parse_words(words, list(all_settings()))
    else:
        given = common.model_settings(model or DEFAULT, words, runs)
        task = task or origin_of(given).served()[0].name
    training.train(task, given, seed, data, resume=resume, track=track, dry_run=dry_run, runs=runs, json=json)
