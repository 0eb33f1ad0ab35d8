"""`oratory demo`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common


def command(
    data: common.Data = "sotu",
    out: Annotated[Path, typer.Option(help="The folder for the report and the runs.")] = Path("oratory-demo"),
    seeds: Annotated[int, typer.Option(min=1, help="Seeds of the comparison.")] = 5,
    settings: common.SetAll = None,
    json: common.Json = False,
) -> None:
    """The main job, small: audit, baselines, a paired comparison, a language model, maps, and a report of it all."""
    from oratory.cli._jobs import JobsProgress
    from oratory.recipes.demo import demo
    from oratory.reports import write_all
    from oratory.runs import Store

    out.mkdir(parents=True, exist_ok=True)  # What cannot be written to is refused before anything is trained.
    common.note(f"Reading {data} ...")
    corpus = common.load(data)
    words = ["oratory", "demo", data, "--seeds", str(seeds), "--out", str(out)]
    words += [word for setting in settings or [] for word in ("--set", setting)]
    with JobsProgress() as progress:
        found = demo(
            corpus,
            Store(out / "runs"),
            shlex.join(words),
            seeds=seeds,
            settings=common.shared_settings(settings),
            say=common.note,
            listen=progress,
        )
    report = write_all(found.document, out)[0]
    if json:
        common.print_json({"report": str(report), **found.to_dict()})
        return
    common.show(found.audit, "Audit")
    common.show_sentences(found.audit.sentences())
    common.say()
    common.show(found.baselines, "Baselines")
    if found.comparison:
        common.show(found.comparison, "Comparison")
    if found.language:
        common.show(found.language, "Language model")
    common.say("What next, on your own texts (a folder, or one table: text and label):")
    for line in (
        "oratory audit FOLDER",
        "oratory train classifier --data FOLDER",
        "oratory compare position=learned position=rope --data FOLDER --seeds 5 --report report.html",
    ):
        common.say(f"  {line}")
    common.say(f"The report is at {report}")
