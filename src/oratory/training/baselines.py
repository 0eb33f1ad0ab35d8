"""The baselines of every task on a corpus."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oratory.errors import InputError
from oratory.pictures import Drawn
from oratory.tables import Table, Tabled
from oratory.text import Corpus
from oratory.training.tasks import tasks
from oratory.training.tasks.baselines import TaskBaselines


@dataclass(frozen=True)
class Baselines(Tabled):
    """All baselines of a corpus; `to_dict` is what `--json` prints.

    Each of its keys is an attribute too: `found.lm` has the baselines of that task by their names, `found.chosen` is
    the language model that was best on dev.
    """

    corpus: str
    fingerprint: str
    of_tasks: Mapping[str, TaskBaselines]

    def __getattr__(self, name: str) -> Any:
        of_tasks = vars(self).get("of_tasks", {})  # Copies are asked before they have any.
        known = {key: value for found in of_tasks.values() for key, value in found.about().items()}
        known |= {task: found.models for task, found in of_tasks.items()}
        if name not in known:
            raise AttributeError(f"The baselines have no {name!r}.")
        return known[name]

    def to_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"corpus": self.corpus, "fingerprint": self.fingerprint}
        for task, found in self.of_tasks.items():
            facts |= {**found.about(), task: found.to_dict()}
        return facts

    def tables(self) -> list[Table]:
        return [table for found in self.of_tasks.values() for table in found.tables()]

    def pictures(self) -> list[Drawn]:
        return [drawn for found in self.of_tasks.values() for drawn in found.pictures()]


def measure_baselines(
    corpus: Corpus, tokenizer: str = "word", discount: float | None = None, keep: Path | None = None
) -> Baselines:
    """Fit every baseline on train and measure it on test. A discount that is not given is chosen on dev.

    With a folder in `keep`, what was measured is kept there, and used again for the same corpus and tokens.
    """
    if discount is not None and not 0 < discount < 1:
        raise InputError(f"The discount must lie between 0 and 1, not {discount}.")
    of_tasks = {}
    for name, task in tasks().items():
        of_tasks[name] = task.no_baselines
        if task.has(corpus, "test"):
            [of_tasks[name]] = task.baselines(corpus, task.counted_tokens(corpus, tokenizer), keep, discount)
    if not any(found.models for found in of_tasks.values()):
        raise InputError(f"The corpus {corpus.name} has no test split, so there is nothing to measure on.")
    return Baselines(corpus.name, corpus.fingerprint, of_tasks)
