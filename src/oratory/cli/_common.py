"""What the commands share: the options that name a corpus, and how results are printed."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oratory.errors import InputError
from oratory.files import exists

if TYPE_CHECKING:
    from oratory.runs import Run
    from oratory.tables import Tabled
    from oratory.text import Corpus

Data = Annotated[str, typer.Argument(help="sotu, a folder, or hub:NAME.")]
Presidents = Annotated[
    str | None, typer.Option(help="Speakers of sotu: surnames or full names with commas between, or all.")
]
TextColumn = Annotated[str | None, typer.Option(help="The column that holds the text, in a table.")]
LabelColumn = Annotated[str | None, typer.Option(help="The column that holds the label, in a table.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document to stdout and nothing else.")]
Settings = Annotated[
    list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Settings, such as tokenizer=bpe.")
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="The id of a run or its beginning, or last.")]
Runs = Annotated[
    Path | None, typer.Option("--runs", help="The folder of the runs; ORATORY_RUNS or ./runs unless given.")
]
Plugins = Annotated[
    list[Path] | None, typer.Option("--plugin", help="A file with mechanisms of your own; may come again.")
]


def load_plugins(paths: list[Path] | None) -> None:
    """Add the mechanisms of users' own files."""
    if paths:
        from oratory.mechanisms import REGISTRY

        for path in paths:
            REGISTRY.load_plugin(path)


def load(data: str, presidents: str | None, text_column: str | None, label_column: str | None) -> "Corpus":
    """The corpus that the options name."""
    from oratory.text import load_corpus

    if "=" in data and not exists(Path(data)):
        raise InputError(f"{data!r} stands where the data belongs; first the data, then settings, as in: sotu {data}")
    return load_corpus(data, presidents=presidents, text_column=text_column, label_column=label_column)


def source(data: str, **options: str | None) -> dict[str, str]:
    """How to load that corpus again, from any folder."""
    path = Path(data)
    return {"data": str(path.resolve()) if exists(path) else data} | {
        name: value for name, value in options.items() if value is not None
    }


def corpus_of(run: "Run", data: str | None = None) -> "Corpus":
    """The corpus of a run: from where it says, or from where the user says."""
    from oratory.text import load_corpus

    source = run.record["corpus"]["source"] if data is None else {"data": data}
    if source is None:
        raise InputError(f"The run {run.id} does not say how its corpus was loaded; name it with --data.")
    return load_corpus(**source)


def print_json(facts: dict[str, Any]) -> None:
    """One JSON document on stdout."""
    typer.echo(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))


def show(facts: "Tabled", heading: str = "") -> None:
    """The tables of some facts on stdout."""
    from oratory.report.terminal import print_tables

    print_tables(facts.tables(), heading)


def check_report(path: Path | None) -> None:
    """Refuse a kind of report that there is not, before hours of training and not behind them."""
    if path is not None and path.suffix:
        from oratory.report.output import kind_of

        kind_of(path)


def show_or_print(facts: "Tabled", json: bool, heading: str = "") -> None:
    """Tables, or one JSON document where that was asked for."""
    if json:
        print_json(facts.to_dict())  # type: ignore[attr-defined]
    else:
        show(facts, heading)


def note(text: str) -> None:
    """A remark on stderr."""
    typer.echo(text, err=True)
