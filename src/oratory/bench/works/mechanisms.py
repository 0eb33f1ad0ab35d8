"""One update with every position and every pattern, beside learned positions and full attention."""

from functools import partial

from oratory.bench.work import Contender, Work
from oratory.mechanisms import REGISTRY

BASE = {"position": "learned", "pattern": "full"}


def _named(settings: dict[str, str]) -> str:
    return ", ".join(settings.values())


def _contenders(task: str) -> list[Contender]:
    from oratory.bench.ours import update

    changes = [{kind: name} for kind, usual in BASE.items() for name in REGISTRY[kind] if name != usual]
    made = [BASE, *(BASE | change for change in changes)]
    return [Contender(_named(settings), partial(update, task, settings)) for settings in made]


WORKS = tuple(
    Work(
        f"{task}-mechanisms",
        f"One update of a {noun}, every position and pattern",
        partial(_contenders, task),
        4,
        _named(BASE),
    )
    for task, noun in (("lm", "language model"), ("classifier", "classifier"))
)
