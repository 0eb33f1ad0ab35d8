"""`oratory data list`, `show` and `export`."""

from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common

app = typer.Typer(help="Corpora: what is at hand, what is in one, and one as a folder.", no_args_is_help=True)


@app.command("list")
def list_corpora(json: common.Json = False) -> None:
    """The corpora at hand: sotu, and the folders here that hold one."""
    from oratory.report.terminal import print_tables
    from oratory.tables import Table
    from oratory.text.folder import is_corpus

    here = Path()
    folders = [folder for folder in (here, *sorted(here.glob("*/")), *sorted(here.glob("*/*/"))) if is_corpus(folder)]
    rows = [("sotu", "every State of the Union address (package sotu); --presidents chooses the speakers")]
    rows += [(str(folder), "a folder") for folder in folders]
    if json:
        common.print_json({"corpora": [{"data": data, "about": about} for data, about in rows]})
        return
    note = "Any other folder by its path, and data sets of the Hugging Face hub as hub:NAME."
    print_tables([Table("Corpora at hand", ("data", "what it is"), tuple(rows), words=2, note=note)])


@app.command()
def show(
    data: common.Data = "sotu",
    presidents: common.Presidents = None,
    text_column: common.TextColumn = None,
    label_column: common.LabelColumn = None,
    json: common.Json = False,
) -> None:
    """A corpus on one screen: splits, labels, sizes, examples."""
    from oratory.text import describe

    described = describe(common.load(data, presidents, text_column, label_column))
    if json:
        common.print_json(described.to_dict())
        return
    common.show(described, f"{described.name}  fingerprint {described.fingerprint}")
    common.show_sentences(described.notes)


@app.command("export")
def export_corpus(
    data: common.Data,
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    presidents: common.Presidents = None,
    text_column: common.TextColumn = None,
    label_column: common.LabelColumn = None,
    json: common.Json = False,
) -> None:
    """Write a corpus as a folder: train_CLS.tsv, train_LM.txt, test_LM_<name>.txt and so on."""
    from oratory.text import export

    corpus = common.load(data, presidents, text_column, label_column)
    files = export(corpus, folder)
    if json:
        common.print_json({"fingerprint": corpus.fingerprint, "files": [str(path) for path in files]})
        return
    for path in files:
        typer.echo(path)
