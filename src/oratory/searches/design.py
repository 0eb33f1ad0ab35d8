"""The design of a search: a space of settings, a method, and how many points are tried."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from oratory import __version__
from oratory.comparisons.design import check_seeds, contents
from oratory.errors import InputError, unknown
from oratory.execution.jobs import Job
from oratory.execution.ready import check_room, ready, refuse_broken
from oratory.ids import id_of, key_of
from oratory.runs import Store
from oratory.runs.record import NOT_IDENTITY
from oratory.searches.record import SearchRecord
from oratory.searches.space import Choices, Space
from oratory.text import Corpus
from oratory.tokens import train_tokenizer
from oratory.training.origins import Origin, contract_of, origin_of
from oratory.training.prepared import Prepared
from oratory.training.tasks import Task
from oratory.training.tasks.metric import Metric

METHODS = ("tpe", "random", "grid")
TRIALS = 20
SEEDS = 3
AT_ONCE = 4


@dataclass(frozen=True)
class SearchDesign:
    """A search: the same design, corpus and seeds give the same trials."""

    task: Task
    corpus: Corpus
    """As it was given; if it has no dev, one is carved for every trial."""
    space: Space
    method: str = "tpe"
    trials: int | None = None
    """None for the whole grid, or for 20 points of another method."""
    seeds: tuple[int, ...] = tuple(range(SEEDS))
    settings: Mapping[str, str] = field(default_factory=dict)
    """What all trials share."""
    search_seed: int = 0
    at_once: int = AT_ONCE
    """Points that are drawn together; it decides what TPE knows when it draws them."""
    prune: bool = True
    plugins: tuple[tuple[str, str], ...] = ()
    """Files of mechanisms: where they are, and their content."""

    def __post_init__(self) -> None:
        self.origin.check_names(self.task, (*self.space.parts, *self.settings))
        if self.method not in METHODS:
            raise unknown("method", self.method, METHODS)
        check_seeds(self.seeds)
        if self.at_once < 1:
            raise InputError(f"--at-once {self.at_once}: at least one point is needed.")
        for name in self.space.parts:
            if name in self.settings:
                raise InputError(f"{name} is given for all trials, and searched as well.")
            if name in NOT_IDENTITY:
                raise InputError(f"{name} decides nothing about the result, so there is nothing to search.")
        self._check_trials()

    @property
    def origin(self) -> Origin:
        """Where the models come from."""
        return origin_of(self.settings)

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
        self.task.need(self.corpus)
        return not self.task.has(self.corpus, "dev")

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
        part = self.space.parts.get("tokenizer")
        if isinstance(part, Choices):
            return part.values
        known = self.origin.complete(self.task, {**self.settings, **next(self.space.probes())}).settings
        return (known["tokenizer"],) if "tokenizer" in known else ()

    @property
    def test_metric(self) -> Metric:
        """The metric of the chosen settings on test."""
        return self.task.metric(self._same_tokens)

    @cached_property
    def _same_tokens(self) -> bool:
        """Whether all trials have the same tokens, whatever the settings of their tokenizers are."""
        names = set(self.tokenizers)
        return len(names) <= 1 or len({train_tokenizer(self.corpus, name).fingerprint for name in names}) == 1

    @property
    def metric(self) -> Metric:
        """The metric on dev that settings are chosen by."""
        return self.test_metric.chosen_by()

    def jobs(self, number: int, settings: Mapping[str, str], seeds: Sequence[int]) -> list[Job]:
        """The runs of a trial."""
        shared = {**self.settings, **settings}
        return [Job(f"trial {number}", self.task.name, shared, seed) for seed in seeds]

    def check_words(self) -> None:
        """Refuse names and values that cannot be right, before texts are read and torch is loaded."""
        for point in self.space.probes():
            with _named(point):
                self.origin.check_words(self.task, {**self.settings, **point})

    def check(self) -> None:
        """Refuse a space of which some part cannot be trained or compared with the others, before anything is."""
        leaking: dict[str, bool] = {}
        for point in self.space.probes():
            with _named(point):
                contract = contract_of(self.task, {**self.settings, **point})
                refuse_broken(contract)
            leaking[_words(point)] = contract is not None and contract.leaks
        if any(leaking.values()) and not all(leaking.values()):
            words = next(words for words, leaks in leaking.items() if leaks)
            raise InputError(
                f"With {words} a model is not a {self.task.noun}, since it sees the future, and with others of these "
                "values it is one. Dev would choose it for what it has seen; search such models by themselves."
            )
        tokenizers = {prepared.tokenizer_settings: prepared.tokenizer for prepared in self.prepared}
        self.task.check_tokens(self.ready, tokenizers)

    def check_room(self, store: Store, here: bool) -> None:
        """Refuse a device that is not there, or a folder without room; `here` says whether this machine trains."""
        check_room(self.prepared, self.seeds, store, here)

    @cached_property
    def prepared(self) -> tuple[Prepared, ...]:
        """What the first point would train, with every tokenizer."""
        first = {**self.settings, **next(self.space.probes())}
        more = [{"tokenizer": name} for name in self.tokenizers] or [{}]
        return tuple(ready(self.task, self.ready, first | chosen) for chosen in more)

    @property
    def id(self) -> str:
        """A name that follows from everything that decides which trials there are, but not from how many."""
        values = self.to_dict()
        described = {name: value for name, value in values.items() if name not in ("trials", "source", "plugins")}
        return id_of("search", key_of([described, contents(self.plugins), __version__]))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, from which the design can be made again."""
        return asdict(
            SearchRecord(
                task=self.task.name,
                fingerprint=self.corpus.fingerprint,
                space=self.space.to_dict(),
                method=self.method,
                trials=self.trials,
                seeds=self.seeds,
                settings=dict(self.settings),
                source=self.corpus.source,
                plugins=tuple(path for path, _ in self.plugins),
                search_seed=self.search_seed,
                at_once=self.at_once,
                prune=self.prune,
                better=self.metric.better,
            )
        )


def _words(point: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in point.items())


@contextmanager
def _named(point: Mapping[str, str]) -> Iterator[None]:
    """Say which point is refused."""
    try:
        yield
    except InputError as error:
        raise InputError(f"A point of the space cannot be trained, {_words(point)}: {error}") from None
