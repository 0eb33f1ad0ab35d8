"""`oratory data list`, `show` and `export`."""

from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Texts"

app = typer.Typer(help="List corpora, show one, or export one as a folder.", no_args_is_help=True)


@app.command("list")
def list_corpora(json: common.Json = False) -> None:
    """The sources of corpora with their parameters, and the folders here that hold a corpus."""
    from dataclasses import asdict

    from oratory.reports.terminal import print_tables
    from oratory.settings import about, parameters_of
    from oratory.tables import Table
    from oratory.text.load import at_hand
    from oratory.text.sources import SOURCES

    rows = at_hand().items()
    if json:
        sources = {
            name: {"about": about(cls), "parameters": [asdict(parameter) for parameter in parameters_of(cls)]}
            for name, cls in SOURCES.items()
        }
        corpora = [{"data": data, "about": what} for data, what in rows]
        common.print_json({"corpora": corpora, "sources": sources})
        return
    tables = [Table("Corpora at hand", ("data", "what it is"), tuple(rows), words=2)]
    for name, cls in SOURCES.items():
        helps = tuple((parameter.name, parameter.help) for parameter in parameters_of(cls))
        tables.append(Table(f"{name}(parameter=value, ...)", ("parameter", "meaning"), helps, words=2, note=about(cls)))
    print_tables(tables)


@app.command()
def show(
    data: common.Data = "sotu",
    json: common.Json = False,
) -> None:
    """A corpus on one screen: splits, labels, sizes, examples."""
    from oratory.text import describe

    described = describe(common.load(data))
    if json:
        common.print_json(described.to_dict())
        return
    common.show(described, f"{described.name}  fingerprint {described.fingerprint}")
    common.show_sentences(described.notes)


@app.command("export")
def export_corpus(
    data: common.Data,
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    json: common.Json = False,
) -> None:
    """Write a corpus as a folder: train_CLS.tsv, train_LM.txt, test_LM_<name>.txt and so on."""
    from oratory.text import export

    corpus = common.load(data)
    files = export(corpus, folder)
    if json:
        common.print_json({"fingerprint": corpus.fingerprint, "files": [str(path) for path in files]})
        return
    for path in files:
        common.say(str(path))
