"""Predicting the classes of many sentences, whose tokens are known."""

from functools import partial

from oratory.bench.work import OURS, Contender, Work

SENTENCES = 10_000


def _contenders() -> list[Contender]:
    from oratory.bench.ours import prediction
    from oratory.bench.theirs import predicting

    return [Contender(OURS, partial(prediction, {}, SENTENCES)), *predicting({}, SENTENCES)]


WORKS = (Work("classifier-prediction", f"The classes of {SENTENCES:,} sentences", _contenders, 1),)
