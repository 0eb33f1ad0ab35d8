"""`oratory audit`."""

from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Texts"


def command(
    data: common.Data = "sotu",
    near: Annotated[
        float, typer.Option(help="From which Jaccard index of word triples on two texts are near duplicates.")
    ] = 0.5,
    fail_above: Annotated[
        float | None,
        typer.Option(help="Exit with 1 when more than this share of a held-out split is in train."),
    ] = None,
    json: common.Json = False,
) -> None:
    """Leakage, duplicates, near duplicates, label conflicts and balance of a corpus."""
    from oratory.errors import InputError
    from oratory.text import audit

    if fail_above is not None and not 0 <= fail_above <= 1:
        raise InputError(f"--fail-above takes a share from 0 to 1, not {fail_above}.")
    found = audit(common.load(data), near)
    if json:
        common.print_json(found.to_dict())
    else:
        common.show(found, f"Audit of {found.corpus}")
        common.show_sentences(found.sentences())
    if fail_above is not None and found.largest_leak > fail_above:
        common.note(f"{found.largest_leak:.1%} of a held-out split is in train; {fail_above:.1%} is allowed.")
        raise typer.Exit(1)
