"""`oratory solve`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from oratory.cli import _common as common

PANEL = "Everything else"


def command(
    keys: Annotated[str, typer.Option(help="A row of numbers for each key, such as [[1, 0], [0, 1]].")],
    select: Annotated[int | None, typer.Option(help="The key that should have all the weight, counted from 0.")] = None,
    average: Annotated[str | None, typer.Option(help="Keys that should have equal weights, such as 0,1.")] = None,
    weights: Annotated[str | None, typer.Option(help="The weight of every key, such as 0.2,0.8.")] = None,
    identity: Annotated[bool, typer.Option("--identity", help="A query for every key that selects it.")] = False,
    query: Annotated[str | None, typer.Option(help="A fixed query, such as [1, 0]; with --replace-key.")] = None,
    replace_key: Annotated[int | None, typer.Option(help="The key to replace; with --query.")] = None,
    length: Annotated[float | None, typer.Option(help="The length of the new key, or the limit for a query.")] = None,
    values: Annotated[str | None, typer.Option(help="A row of numbers for each key, to compute the output.")] = None,
    method: Annotated[str, typer.Option(help="exact or lstsq (least squares).")] = "exact",
    targets: Annotated[
        str | None, typer.Option(help="The scores that least squares aims at, such as 3,3,-2,-3.")
    ] = None,
    scale: Annotated[bool, typer.Option("--scale", help="Divide scores by the root of the dimension.")] = False,
    out: Annotated[Path | None, typer.Option(help="A picture to write: .svg, .png or .pdf.")] = None,
    json: common.Json = False,
) -> None:
    """Attention by hand: a query, or a key, that selects a value, averages some, or gives wanted weights.

    Exit code 1 when there is none, or none that survives rounding; the certificate says why.
    """
    from oratory.inspect import solve

    if out:
        from oratory.reports.keys import kind_of

        kind_of(out)
    found = solve(
        _parsed("--keys", keys),
        select=select,
        average=_row("--average", average),
        weights=_row("--weights", weights),
        identity=identity,
        query=_row("--query", query),
        replace_key=replace_key,
        length=length,
        method=method,
        scale=scale,
        values=None if values is None else _parsed("--values", values),
        targets=_row("--targets", targets),
    )
    if out:
        from oratory.reports.keys import write_picture

        write_picture(found, out)
        common.note(f"The picture is in {out}.")
    if json:
        common.print_json(found.to_dict())
    else:
        common.show(found, f"{found.task[0].upper()}{found.task[1:]} ({found.method})")
        common.show_sentences(found.sentences())
    if not found.possible:
        raise typer.Exit(1)


def _row(option: str, text: str | None) -> Any:
    """Numbers separated by commas, with or without brackets."""
    if text is None:
        return None
    return _parsed(option, text if text.strip().startswith("[") else f"[{text}]")


def _parsed(option: str, text: str) -> Any:
    """The value of an option that is written as JSON."""
    import json

    from oratory.errors import InputError

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(
            f"{option} must be numbers in brackets, such as [[1, 0], [0, 1]] or 0,1, not {text!r}."
        ) from None
