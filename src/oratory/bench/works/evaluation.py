"""Measuring train and test, as after an epoch: everyone predicts each token, or each label, once."""

from functools import partial

from oratory.bench.work import OURS, Contender, Work

WHOLE = {"lm": {"train.stride": "32"}, "classifier": {}}
"""Windows of the language model do not overlap, as those of textbooks."""


def _contenders(task: str) -> list[Contender]:
    from oratory.bench.ours import evaluation
    from oratory.bench.theirs import evaluating

    return [Contender(OURS, partial(evaluation, task, WHOLE[task])), *evaluating(task, {})]


WORKS = tuple(
    Work(f"{task}-evaluation", f"Measuring a {noun} on train and test", partial(_contenders, task), 1)
    for task, noun in (("lm", "language model"), ("classifier", "classifier"))
)
