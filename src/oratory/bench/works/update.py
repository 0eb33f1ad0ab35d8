"""One update: at the base settings, at a longer context, and of a mini GPT that learns from single lines."""

from collections.abc import Mapping
from functools import partial

from oratory.bench.work import OURS, Contender, Work

LONG = {"context": "1024", "train.batch": "2"}
MINI = {
    "layers": "3",
    "heads": "3",
    "width": "48",
    "context": "128",
    "feedforward": "gelu",
    "train.items": "lines",
    "train.batch": "32",
}
"""The shape of the recipe r3-gpt; no line here is longer than its context."""


def _contenders(task: str, settings: Mapping[str, str]) -> list[Contender]:
    from oratory.bench.limit import limit_of
    from oratory.bench.ours import update
    from oratory.bench.theirs import updating

    return [Contender(OURS, partial(update, task, settings)), *updating(task, settings), limit_of(task, settings)]


WORKS = (
    Work("lm-update", "One update of a language model, base settings", partial(_contenders, "lm", {})),
    Work("classifier-update", "One update of a classifier, base settings", partial(_contenders, "classifier", {})),
    Work("lm-long", "One update of a language model, context 1,024, batch 2", partial(_contenders, "lm", LONG), 2),
    Work(
        "lm-mini", "One update of a mini GPT on lines: 3 layers, width 48, batch 32", partial(_contenders, "lm", MINI)
    ),
)
