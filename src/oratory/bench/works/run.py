"""A whole run at the base settings, and a comparison of many runs beside one run of a textbook."""

from functools import partial

from oratory.bench.work import OURS, Contender, Work

NOUNS = {"lm": "a language model", "classifier": "a classifier"}
SEEDS = 10
TURNS = 3


def _runs(task: str) -> list[Contender]:
    from oratory.bench.ours import run
    from oratory.bench.theirs import running

    return [Contender(OURS, partial(run, task, {})), *running(task, {})]


def _comparisons(task: str) -> list[Contender]:
    from oratory.bench.ours import comparison
    from oratory.bench.theirs import running

    return [Contender(OURS, partial(comparison, task, SEEDS, {}), programs=True), *running(task, {})]


WORKS = tuple(
    work
    for task, noun in NOUNS.items()
    for work in (
        Work(
            f"{task}-run",
            f"Training {noun}, base settings, with its evaluations",
            partial(_runs, task),
            1,
            warm=0,
            most=TURNS,
        ),
        Work(
            f"{task}-comparison",
            f"Ours: a comparison of 2 variants x {SEEDS} seeds, from the command line; others: training {noun} once",
            partial(_comparisons, task),
            1,
            warm=0,
            most=1,
        ),
    )
)
