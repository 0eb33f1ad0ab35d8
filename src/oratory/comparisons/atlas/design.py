"""What an atlas compares: every mechanism of some kinds, one at a time, with the base settings of a task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from oratory import __version__
from oratory.comparisons.design import BASE, Design, Variant, contents
from oratory.errors import InputError
from oratory.ids import id_of, key_of
from oratory.mechanisms import REGISTRY
from oratory.mechanisms.kinds import KINDS
from oratory.mechanisms.registry import check_kind
from oratory.settings import required
from oratory.text import Corpus
from oratory.training.origins import origin_of
from oratory.training.tasks import Task

CONTROLS = ("control 1", "control 2")
"""The base settings again, under other names and with other seeds: any difference that they show is chance."""
CONTROL_SEED = 100_000
"""The seeds of the first control begin here, and those of the second at twice this."""
LIMIT = 10.0
"""How many times the cost of an update with the base settings an update may have."""


@dataclass(frozen=True)
class AtlasEntry:
    """One mechanism, in place of the one that the base settings have."""

    kind: str
    mechanism: str

    @property
    def name(self) -> str:
        return f"{self.kind}={self.mechanism}"

    @property
    def settings(self) -> dict[str, str]:
        return {self.kind: self.mechanism}


def check_kinds(task: Task, kinds: Sequence[str]) -> None:
    """Refuse kinds of mechanism that there are not, or that the task has no use for."""
    for kind in kinds:
        check_kind(kind)
        if not task.uses(kind):
            raise InputError(f"--only {kind}: it changes nothing in a {task.noun}.")


def entries_of(
    task: Task, only: Sequence[str] = (), settings: Mapping[str, str] | None = None
) -> tuple[AtlasEntry, ...]:
    """Every mechanism of the registry that the base settings do not have, of all kinds or of some."""
    check_kinds(task, only)
    shared = dict(settings or {})
    base = origin_of(shared).complete(task, shared).settings
    found = []
    for kind in only or [kind for kind in KINDS if task.uses(kind)]:
        for name, cls in REGISTRY[kind].items():
            entry = AtlasEntry(kind, name)
            if not required(cls) and not _is_base(task, shared | entry.settings, base):
                found.append(entry)
    if not found:
        raise InputError("There is no mechanism to compare with the base settings.")
    return tuple(found)


def _is_base(task: Task, settings: Mapping[str, str], base: Mapping[str, object]) -> bool:
    try:
        return origin_of(settings).complete(task, settings).settings == base
    except InputError:  # It does not fit, and its row will say so.
        return False


@dataclass(frozen=True)
class AtlasDesign:
    """A task, a corpus, mechanisms and seeds."""

    task: Task
    corpus: Corpus
    entries: tuple[AtlasEntry, ...]
    seeds: tuple[int, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    """What all runs share."""
    metric: str | None = None
    plugins: tuple[tuple[str, str], ...] = ()
    """Files of mechanisms: where they are, and their content."""
    limit: float = LIMIT
    """How many times the cost of a base update an update may have; a mechanism that costs more is not trained."""
    only: tuple[str, ...] = ()
    """The kinds that were asked for; all unless some were."""

    def __post_init__(self) -> None:
        if not self.limit > 0:
            raise InputError(f"--limit {self.limit}: it must be above 0.")
        if any(seed >= CONTROL_SEED for seed in self.seeds):
            raise InputError(f"The seeds from {CONTROL_SEED:,} on are those of the controls; take smaller ones.")

    def check_words(self) -> None:
        """Refuse names and values that cannot be right, before texts are read and torch is loaded."""
        check_kinds(self.task, self.only)
        origin_of(self.settings).check_words(self.task, self.settings)
        self.beside_itself()

    def beside_itself(self) -> Design:
        """The base settings against a control: a family as all are here, for which no mechanism needs to be loaded."""
        base = self.variant(None)
        return self.family([base, replace(base, name=CONTROLS[0])])

    @property
    def id(self) -> str:
        """A name that follows from everything that decides the result."""
        described = [self.task.name, self.corpus.fingerprint, [entry.name for entry in self.entries]]
        more = [list(self.seeds), dict(self.settings), self.metric, self.limit, contents(self.plugins), __version__]
        return id_of("atlas", key_of([*described, *more]))

    def variant(self, entry: AtlasEntry | None) -> Variant:
        """The variant of a mechanism, or of the base settings."""
        settings = {**self.settings, **(entry.settings if entry else {})}
        return Variant(entry.name if entry else BASE, {**origin_of(settings).in_comparisons, **settings})

    def family(self, variants: Sequence[Variant]) -> Design:
        """The comparison of all variants with the first of them."""
        return Design(self.task, self.corpus, tuple(variants), self.seeds, {}, self.metric, self.plugins)

    def seeds_of(self, name: str) -> tuple[int, ...]:
        """The seeds of a variant: the same for all, except for the controls."""
        if name not in CONTROLS:
            return self.seeds
        return tuple(CONTROL_SEED * (1 + CONTROLS.index(name)) + seed for seed in self.seeds)
