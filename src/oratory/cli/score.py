"""`oratory score`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oratory.cli import _common as common
from oratory.cli import _predictions as predictions

if TYPE_CHECKING:
    from oratory.runs import Run

PANEL = "A trained model"
PICTURES = (".svg", ".html", ".pdf", ".md", ".tex")
TABLES = (".csv", ".parquet")


def command(
    run: common.RunName,
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="Texts, each in quotes; or a file, or - for the lines of stdin."),
    ] = None,
    samples: Annotated[bool, typer.Option("--samples", help="A normal, a weird and a long sentence.")] = False,
    lengths: Annotated[
        bool, typer.Option("--lengths", help="The test texts with 1, 2, 4 and 8 times the training context.")
    ] = False,
    why: Annotated[
        bool, typer.Option("--why", help="Of a classifier: which tokens mattered, by gradients and by occlusion.")
    ] = False,
    data: Annotated[str | None, typer.Option(help="For --lengths: the corpus, if it has moved.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="A coloured picture: .svg or .html; or a table with a row for each text: .csv or .parquet."),
    ] = None,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Class probabilities, or the surprisal of every token and the perplexity, of texts of your own."""
    from oratory.errors import InputError
    from oratory.runs.samples import SAMPLES

    source = _source(texts or [])
    as_table = source is not None or (out is not None and out.suffix.lower() in TABLES)
    if as_table:
        predictions.check_predictions(out)
    elif out is not None:
        from oratory.reports.canvas import kind_of

        kind_of(out, (*PICTURES, *TABLES))
    if bool(texts) + samples + lengths != 1:
        raise InputError("Say what to score: texts, or --samples, or --lengths.")
    if why and (lengths or out is not None or source is not None):
        raise InputError("--why explains single texts, as a table or with --json; give texts, or --samples.")
    common.load_plugins(plugin)
    found = common.load_run(run, runs)
    if lengths:
        common.show_or_print(found.extrapolate(common.corpus_of(found, data)), json)
        return
    if source is not None:
        lines = predictions.stdin_lines() if source == "-" else Path(source)
        predictions.show_predictions(found, found.predict(lines), out, json)
        return
    given = list(SAMPLES.values()) if samples else _pieces(found, texts or [])
    if as_table:
        predictions.show_predictions(found, found.predict(given), out, json)
        return
    if why:
        from oratory.inspect import attribute

        scored: list[Any] = [attribute(found, text) for text in given]
    else:
        scored = found.score(given)
    if out is not None:
        from oratory.reports.surprisal import write_surprisal

        write_surprisal(out, scored)
        common.note(f"The picture is at {out}")
    if json:
        facts = [entry.to_dict() for entry in scored]
        if samples:
            shown = dict(zip(SAMPLES, facts, strict=True))
        else:
            shown = facts[0] if len(facts) == 1 else {"run": found.id, "texts": facts}
        common.print_json(common.with_state(found, shown))
        return
    for entry in scored:
        common.show(entry)


def _pieces(run: "Run", texts: list[str]) -> list[str]:
    """Texts as those of the corpus are: where these are sentences, each sentence by itself."""
    pieces = [piece for text in texts for piece in run.pieces(text)]
    if len(pieces) > len(texts):
        common.note(f"{len(pieces)} sentences, each by itself: the texts of {run.record.corpus.name} are sentences.")
    return pieces


def _source(texts: list[str]) -> str | None:
    """The one word that is - or the name of a file, whose texts are scored; None for texts."""
    from oratory.errors import InputError
    from oratory.files import exists

    named = [text for text in texts if text == "-" or (exists(Path(text)) and Path(text).is_file())]
    if named and len(texts) > 1:
        raise InputError(f"{named[0]!r} is a file, or stdin, and there are texts beside it; score it by itself.")
    return named[0] if named else None
