"""`oratory train`."""

from typing import Annotated

import typer

from oratory.cli import _common as common


def command(
    task: Annotated[str, typer.Argument(help="classifier or lm.")],
    settings: common.Settings = None,
    data: Annotated[str, typer.Option(help="sotu, a folder, or hub:NAME.")] = "sotu",
    seed: Annotated[int, typer.Option(help="Decides everything that is random.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the configuration and stop.")] = False,
    plugin: common.Plugins = None,
    presidents: common.Presidents = None,
    text_column: common.TextColumn = None,
    label_column: common.LabelColumn = None,
    json: common.Json = False,
) -> None:
    """A classifier or a language model: so far its configuration and its parameters (--dry-run)."""
    from oratory.errors import InputError
    from oratory.settings import parse_words
    from oratory.train import prepare, settings_of

    if not dry_run:
        raise InputError("Training is not there yet; --dry-run shows what would be trained.")
    common.load_plugins(plugin)
    given = parse_words(settings or [], settings_of())
    prepared = prepare(task, common.load(data, presidents, text_column, label_column), given, seed)
    if json:
        common.print_json(prepared.to_dict())
    else:
        common.show(prepared, f"{task} on {prepared.corpus.name}")
