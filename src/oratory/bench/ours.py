"""What Oratory does when it works: its own loop, its own evaluation, its own generation."""

from collections.abc import Mapping

from oratory.bench.material import ENDLESS, prepared
from oratory.bench.work import Call
from oratory.execution.machine import keep_memory
from oratory.model import Transformer, generate
from oratory.training.loop import Fit


def update(task: str, settings: Mapping[str, str]) -> Call:
    """An update of the training loop, batches and norms included."""
    keep_memory()
    made, learning = prepared(task, {**ENDLESS, **settings})
    fit = Fit(made.build(), learning, made.training, made.seed)
    fit.measured = 0  # The model before training is not measured.
    events = fit.run()
    return lambda: next(events)


def evaluation(task: str, settings: Mapping[str, str]) -> Call:
    """The scores of train and test, as after an epoch."""
    keep_memory()
    made, learning = prepared(task, {**ENDLESS, **settings})
    model = made.build()
    return lambda: learning.measure(model, False)


def generation(settings: Mapping[str, str], tokens: int) -> Call:
    """This many tokens after a prompt of one token, drawn one by one."""
    made, _ = prepared("lm", {**ENDLESS, **settings})
    model = made.build()
    assert isinstance(model, Transformer)
    return lambda: generate(model, [1], tokens)
