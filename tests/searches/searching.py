"""A small corpus without dev, and settings of runs that take no time."""

from pathlib import Path

from tests.execution import training
from tests.execution.training import LINES

SMALL = training.SMALL | {"train.eval_train": "off"}
LM = SMALL | {"train.iterations": "6", "train.eval_every": "6", "train.batch": "4"}
CLASSIFIER = SMALL | {"train.epochs": "2", "train.batch": "5"}
SETTINGS = {"lm": LM, "classifier": CLASSIFIER}


def write_corpus(folder: Path) -> Path:
    """Enough labelled texts to carve dev from."""
    labelled = [f"{at % 2}\t{line} {end}" for end in ("", "Now.", "Indeed.") for at, line in enumerate(LINES)]
    return training.write_corpus(folder, labelled)
