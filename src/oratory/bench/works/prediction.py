"""Predicting the classes of many sentences, whose tokens are known."""

from functools import partial

from oratory.bench.material import MANY
from oratory.bench.work import OURS, Contender, Work


def _contenders() -> list[Contender]:
    from oratory.bench.ours import prediction
    from oratory.bench.theirs import predicting

    return [Contender(OURS, partial(prediction, {})), *predicting("classifier", {})]


WORKS = (Work("classifier-prediction", f"The classes of {MANY:,} sentences", _contenders, 1),)
