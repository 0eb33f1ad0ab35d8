"""`oratory finetune`."""

from typing import Annotated

import typer

from oratory.cli import _common as common


def command(
    model: Annotated[
        str | None, typer.Argument(help="minilm (the default, needs no network), a folder, or a name on the hub.")
    ] = None,
    settings: common.Settings = None,
    data: Annotated[str | None, typer.Option(help="sotu (the default), a folder, or hub:NAME.")] = None,
    engine: Annotated[
        str | None, typer.Option(help="hf, through transformers (the default), or own, through Oratory's modules.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Decides everything that is random; 0 unless given.")] = None,
    resume: Annotated[
        str | None, typer.Option(help="Go on with a run: its id, or last for the newest that is not finished.")
    ] = None,
    track: Annotated[
        list[str] | None, typer.Option(help="Show the run in wandb, tensorboard or mlflow too; may come again.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the configuration and stop.")] = False,
    runs: common.Runs = None,
    presidents: common.Presidents = None,
    text_column: common.TextColumn = None,
    label_column: common.LabelColumn = None,
    json: common.Json = False,
) -> None:
    """Fine-tune a published encoder as a classifier, and keep the record of the run.

    The same command again goes on with a run that was stopped. The weights that are kept are the best ones on dev; test
    is measured once, at the end.
    """
    from contextlib import ExitStack

    from oratory.cli._progress import Progress
    from oratory.runs.continuing import resume as go_on
    from oratory.runs.execute import finetune
    from oratory.runs.track import together, tracker
    from oratory.settings import parse_words
    from oratory.training import prepare
    from oratory.training.finetune import DEFAULT, called, finetune_settings
    from oratory.training.parallel import leads

    words = list(settings or [])
    if model is not None and "=" in model:
        words, model = [model, *words], None
    words += [f"engine={engine}"] if engine is not None else []
    given = parse_words(words, [name for name in finetune_settings() if name != "model"])
    options = {"presidents": presidents, "text_column": text_column, "label_column": label_column}
    with Progress() as progress, ExitStack() as stack:
        trackers = [stack.enter_context(tracker(name, say=common.note)) for name in dict.fromkeys(track or [])]
        listen = together(progress, *trackers)
        if resume is not None:
            corpus = None if data is None else common.load(data, **options)
            given |= {} if model is None else {"model": called(model)}
            run = go_on(resume, runs=runs, task="classifier", corpus=corpus, settings=given, seed=seed, listen=listen)
        else:
            corpus = common.load(data or "sotu", **options)
            name = model or DEFAULT
            if dry_run:
                prepared = prepare("classifier", corpus, {"model": called(name), **given}, seed or 0)
                common.show_or_print(prepared, json, f"{name} on {corpus.name}")
                return
            source = common.source(data or "sotu", **options)
            run = finetune(name, corpus, given, seed or 0, runs=runs, source=source, listen=listen)
    if leads():
        what = f"{run.settings['model']} on {run.record['corpus']['name']}"
        common.show_or_print(run, json, f"{what}, seed {run.seed}: {run.id}")
