"""What is searched: a space of settings, a method, and how much of it may be tried."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from oratory import __version__
from oratory.comparison.jobs import Job
from oratory.comparison.matrices import Metric
from oratory.comparison.search_scores import dev_metric
from oratory.comparison.search_space import Choices, Space, setting_kinds
from oratory.errors import InputError, unknown
from oratory.model import base
from oratory.runs.record import NOT_IDENTITY
from oratory.text import Corpus
from oratory.training import prepare
from oratory.training.config import PREFIX, base_training
from oratory.training.finetune import read_settings
from oratory.training.prepare import TASKS

METHODS = ("tpe", "random", "grid")
TRIALS = 20
SEEDS = 3
AT_ONCE = 4


def kinds_of(task: str, settings: Mapping[str, str]) -> dict[str, type | None]:
    """All settings that a search may have, with int or float for those that are numbers."""
    if task not in TASKS:
        raise unknown("task", task, TASKS)
    return setting_kinds(published="model" in settings)


def _refuse_quickly(task: str, corpus: Corpus, settings: Mapping[str, str]) -> None:
    """Refuse settings that cannot be trained, without making a tokenizer or a model."""
    if "model" in settings:
        read_settings(task, settings)
        return
    model = {name: value for name, value in settings.items() if not name.startswith(PREFIX) and name != "tokenizer"}
    training = {name.removeprefix(PREFIX): value for name, value in settings.items() if name.startswith(PREFIX)}
    classes = len(corpus.need_classifier().label_names) if task == "classifier" else 0
    chosen = base_training(task, **training)
    chosen.check_task(task, base(task, vocabulary=2, classes=classes, **model).context)


@dataclass(frozen=True)
class SearchDesign:
    """A search: the same design, corpus and seeds give the same trials."""

    task: str
    corpus: Corpus
    """As it was given; where it has no dev, one is carved for every trial."""
    space: Space
    method: str = "tpe"
    trials: int | None = None
    """None for the whole grid, or for 20."""
    seeds: tuple[int, ...] = tuple(range(SEEDS))
    settings: Mapping[str, str] = field(default_factory=dict)
    """What all trials share."""
    search_seed: int = 0
    at_once: int = AT_ONCE
    """Points that are asked for together; it decides what TPE knows when it chooses."""
    prune: bool = True
    plugins: tuple[tuple[str, str], ...] = ()
    """Files of mechanisms: their names and what is in them."""

    def __post_init__(self) -> None:
        known = kinds_of(self.task, self.settings)
        wrong = next((name for name in (*self.space.parts, *self.settings) if name not in known), None)
        if wrong is not None:
            raise unknown("setting", wrong, known)
        if self.method not in METHODS:
            raise unknown("method", self.method, METHODS)
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise InputError(f"The seeds must be different from each other, and at least one: {list(self.seeds)}.")
        if self.at_once < 1:
            raise InputError(f"--at-once {self.at_once}: at least one point is needed.")
        for name in self.space.parts:
            if name in self.settings:
                raise InputError(f"{name} is given for all trials, and searched as well.")
            if name in NOT_IDENTITY:
                raise InputError(f"{name} decides nothing about the result, so there is nothing to search.")
        self._check_trials()

    def _check_trials(self) -> None:
        if self.trials is not None and self.trials < 1:
            raise InputError(f"--trials {self.trials}: at least one is needed.")
        size = self.space.grid() if self.method == "grid" else self.space.size
        if size is None or self.trials is None:
            return
        if self.method == "grid" and self.trials < size:
            raise InputError(
                f"The grid has {size:,} points, and --trials {self.trials:,} would leave some out; "
                "leave --trials away, or use --method random."
            )
        if self.method != "grid" and self.trials > size:
            raise InputError(f"The space has no more than {size:,} points; use --method grid, or fewer trials.")

    @property
    def points(self) -> int:
        """How many trials there will be."""
        if self.method == "grid":
            return self.space.grid()
        return min(TRIALS, self.space.size or TRIALS) if self.trials is None else self.trials

    @cached_property
    def carved(self) -> bool:
        """Whether the corpus brings no dev for the task."""
        data = self.corpus.need_classifier() if self.task == "classifier" else self.corpus.need_lm()
        return data.dev is None

    @cached_property
    def ready(self) -> Corpus:
        """The corpus that the trials get: with a dev split to choose on."""
        return self.corpus.with_dev() if self.carved else self.corpus

    @property
    def drawn(self) -> Space:
        """The space that points are drawn from: lists only, for a grid."""
        return self.space.listed() if self.method == "grid" else self.space

    @property
    def tokenizers(self) -> tuple[str, ...]:
        """Every tokenizer that a trial may have; a published model brings its own."""
        if "model" in self.settings:
            return ()
        part = self.space.parts.get("tokenizer")
        return part.values if isinstance(part, Choices) else (self.settings.get("tokenizer", "word"),)

    @property
    def metric(self) -> Metric:
        return dev_metric(self.task, set(self.tokenizers))

    def jobs(self, number: int, settings: Mapping[str, str], seeds: Sequence[int]) -> list[Job]:
        """The runs of a trial."""
        shared = {**self.settings, **settings}
        return [Job(f"trial {number}", self.task, shared, seed) for seed in seeds]

    def check(self) -> None:
        """Refuse a space of which some part cannot be trained, before anything is."""
        for point in self.space.probes():
            try:
                _refuse_quickly(self.task, self.ready, {**self.settings, **point})
            except InputError as error:
                words = " ".join(f"{name}={value}" for name, value in point.items())
                raise InputError(f"A point of the space cannot be trained, {words}: {error}") from None
        first = {**self.settings, **next(self.space.probes())}
        for more in [{"tokenizer": name} for name in self.tokenizers] or [{}]:
            prepare(self.task, self.ready, first | more)

    @property
    def id(self) -> str:
        """A name that follows from all that decides which trials there are; not from how many."""
        kept = self.to_dict()
        plugins = [hashlib.sha256(content.encode()).hexdigest() for _, content in self.plugins]
        described = {name: value for name, value in kept.items() if name not in ("trials", "source")}
        text = json.dumps([described, plugins, __version__], sort_keys=True)
        return f"search-{hashlib.sha256(text.encode()).hexdigest()[:10]}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, from which the design can be made again."""
        return {
            "task": self.task,
            "fingerprint": self.corpus.fingerprint,
            "space": self.space.to_dict(),
            "method": self.method,
            "trials": self.trials,
            "seeds": list(self.seeds),
            "settings": dict(self.settings),
            "source": self.corpus.source,
            "search_seed": self.search_seed,
            "at_once": self.at_once,
            "prune": self.prune,
            "better": self.metric.better,
        }
