"""`oratory finetune`."""

from typing import Annotated

import typer

from oratory.cli import _common as common


def command(
    model: Annotated[
        str | None, typer.Argument(help="minilm (the default, needs no network), a folder, or a name on the hub.")
    ] = None,
    settings: common.Settings = None,
    data: common.TrainData = None,
    engine: Annotated[
        str | None, typer.Option(help="hf, through transformers (the default), or own, through Oratory's modules.")
    ] = None,
    seed: common.Seed = None,
    resume: common.Resume = None,
    track: common.Track = None,
    dry_run: common.DryRun = False,
    runs: common.RunsFolder = None,
    json: common.Json = False,
) -> None:
    """Fine-tune a published encoder as a classifier, and keep the record of the run.

    The same command again continues a run that was stopped. The weights that are kept are the best ones on dev; test
    is measured once, at the end.
    """
    from oratory.settings import parse_words
    from oratory.training.origins import origin_of
    from oratory.training.origins.published.model import DEFAULT

    words = list(settings or [])
    if model is not None and "=" in model:
        words, model = [model, *words], None
    words += [f"engine={engine}"] if engine is not None else []
    named = {"model": model or DEFAULT}
    origin = origin_of(named)
    given = parse_words(words, [name for name in origin.known() if name not in named])
    if model is not None or resume is None:
        given = origin.given({**named, **given})
    task = origin.served()[0].name
    common.train(task, given, seed, data, resume=resume, track=track, dry_run=dry_run, runs=runs, json=json)
