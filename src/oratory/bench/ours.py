"""What Oratory does when it works: its own loop, its own evaluation, its own generation.

What not every work needs is loaded by the one that does: the memory of the process is measured, too.
"""

import subprocess  # nosec B404
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from oratory.bench.material import ENDLESS, corpus, prepared
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


def prediction(settings: Mapping[str, str], sentences: int) -> Call:
    """The classes of so many sentences."""
    made, learning = prepared("classifier", {**ENDLESS, "train.eval_train": "off", **settings}, sentences)
    model = made.build()
    return lambda: learning.measure(model, False)


def run(task: str, settings: Mapping[str, str]) -> Call:
    """A whole run, from the corpus to its record."""
    from oratory.execution.train import train

    given = {**settings, "train.threads": torch.get_num_threads()}

    def trained() -> None:
        with TemporaryDirectory() as runs:
            train(task, corpus(), given, runs=runs)

    return trained


def comparison(task: str, seeds: int, settings: Mapping[str, str]) -> Call:
    """A comparison of the base settings with another position, from the command line."""
    from oratory.text.export import export

    def compared() -> None:
        with TemporaryDirectory() as place:
            data, runs = Path(place, "data"), Path(place, "runs")
            export(corpus(), data)
            words = ["base", "position=rope", "--task", task, "--data", str(data), "--seeds", str(seeds)]
            shared = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
            command = [sys.executable, "-m", "oratory", "compare", *words, *shared, "--runs", str(runs), "--json"]
            subprocess.run(command, check=True, capture_output=True)  # nosec B603

    return compared


def generation(settings: Mapping[str, str], tokens: int) -> Call:
    """This many tokens after a prompt of one token, drawn one by one."""
    made, _ = prepared("lm", {**ENDLESS, **settings})
    model = made.build()
    assert isinstance(model, Transformer)
    return lambda: generate(model, [1], tokens)
