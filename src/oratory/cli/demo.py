"""`oratory demo`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common


def command(
    data: common.Data = "sotu",
    out: Annotated[Path, typer.Option(help="The folder for the report.")] = Path("oratory-demo"),
    presidents: common.Presidents = None,
    text_column: common.TextColumn = None,
    label_column: common.LabelColumn = None,
    json: common.Json = False,
) -> None:
    """The main job, small: a corpus, its audit, its baselines, and a report as one HTML page."""
    from oratory.baselines import measure_baselines
    from oratory.report import write
    from oratory.report.overview import overview
    from oratory.text import audit, describe

    common.note(f"Reading {data} ...")
    corpus = common.load(data, presidents, text_column, label_column)
    described = describe(corpus)
    common.note("Auditing it ...")
    audited = audit(corpus)
    common.note("Measuring the baselines ...")
    measured = measure_baselines(corpus)
    options = {"--presidents": presidents, "--text-column": text_column, "--label-column": label_column}
    given = [word for option, value in options.items() if value for word in (option, value)]
    again = shlex.join(["oratory", "demo", data, *given])
    [report] = write(overview(described, audited, measured, again), out / "report.html")
    if json:
        facts = {"corpus": described.to_dict(), "audit": audited.to_dict(), "baselines": measured.to_dict()}
        common.print_json({"report": str(report), **facts})
        return
    common.show(described, f"{described.name}  fingerprint {described.fingerprint}")
    common.show(audited, "Audit")
    for sentence in audited.sentences():
        typer.echo(f"- {sentence}")
    typer.echo()
    common.show(measured, "Baselines")
    typer.echo(f"The report is at {report}")
