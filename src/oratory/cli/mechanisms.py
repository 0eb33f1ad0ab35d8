"""`oratory mechanisms`."""

from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Models"


def command(
    kind: Annotated[str | None, typer.Argument(help="A kind, such as position, attention or norm.")] = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Every mechanism, its parameters and its paper."""
    from dataclasses import asdict

    from oratory.mechanisms import REGISTRY
    from oratory.mechanisms.kinds import KINDS
    from oratory.mechanisms.registry import describe
    from oratory.reports.terminal import print_tables
    from oratory.tables import Table

    common.load_plugins(plugin)
    kinds = [kind] if kind else list(KINDS)
    entries = {name: [describe(cls) for cls in REGISTRY[name].values()] for name in kinds}
    if json:
        common.print_json({name: [asdict(entry) for entry in found] for name, found in entries.items()})
        return
    for name, found in entries.items():
        rows = []
        for entry in found:
            shown = ", ".join(f"{parameter.name}={parameter.default}" for parameter in entry.parameters)
            rows.append((entry.name, entry.about, shown, entry.paper))
        print_tables([Table(name, ("name", "what it does", "parameters", "paper"), tuple(rows), words=4)])
