"""What is compared: variants of one model, trained with the same seeds on the same corpus."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from oratory import __version__
from oratory.errors import InputError
from oratory.files import digest
from oratory.ids import id_of, key_of
from oratory.runs import Store
from oratory.settings import parse_words
from oratory.tables import shortened
from oratory.text import Corpus
from oratory.training.origins import all_settings, contract_of, full_name, origin_of
from oratory.training.tasks import Task

if TYPE_CHECKING:
    from oratory.training.prepared import Prepared

BASE = "base"
SEEDS = 5
MOST_SEEDS = 10_000
"""The most seeds that a comparison may have; a number with many digits would only fill the memory."""


@dataclass(frozen=True)
class Variant:
    """Settings that differ, and what they are called."""

    name: str
    settings: Mapping[str, str] = field(default_factory=dict)
    search: str | None = None
    """The search that chose some of them, where one did."""

    @classmethod
    def parse(cls, text: str) -> "Variant":
        """`position=rope`, several such words in quotes, or `base`; with a name of its own as in `wide: width=128`."""
        name, colon, rest = text.partition(":")
        named = bool(colon) and "=" not in name
        try:
            words = shlex.split(rest if named else text)
        except ValueError as error:
            raise InputError(f"The variant {text!r} cannot be read: {error}.") from None
        if words == [BASE]:
            words = []
        settings = parse_words(map(full_word, words), all_settings())
        return cls(name.strip() if named else " ".join(words) or BASE, settings)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Say which variant is refused."""
        try:
            yield
        except InputError as error:
            raise InputError(f"The variant {self.name!r} cannot be compared: {error}") from None

    def check_words(self, task: Task, shared: Mapping[str, str]) -> None:
        """Refuse names and values that cannot be right, before torch is loaded."""
        given = {**shared, **self.settings}
        with self.named():
            origin_of(given).check_words(task, given)

    @property
    def spelled(self) -> bool:
        """Whether the name is just the settings as they were written."""
        try:
            return Variant.parse(self.name).settings == self.settings
        except InputError:
            return False


@dataclass(frozen=True)
class Design:
    """Variants x seeds. The first variant is the baseline."""

    task: Task
    corpus: Corpus
    variants: tuple[Variant, ...]
    seeds: tuple[int, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    """What all variants share."""
    metric: str | None = None
    """The metric to compare by; the task's usual one unless given."""
    plugins: tuple[tuple[str, str], ...] = ()
    """Files of mechanisms: where they are, and their content."""
    train_at_end: bool = False
    """Whether runs measure train at the end only, if test has a curve and the settings do not ask for that of train."""

    def __post_init__(self) -> None:
        check_two(self.variants)
        check_seeds(self.seeds)
        check_variants(self.variants, self.settings)
        self.task.metric(name=self.metric)  # Refuses a metric that the task does not have.

    def of(self, variant: Variant) -> dict[str, str]:
        """All settings of a variant's runs."""
        given = {**self.settings, **variant.settings}
        return {**origin_of(given).in_comparisons, **given} if self.train_at_end else given

    @property
    def id(self) -> str:
        """A name that follows from everything that decides the result."""
        variants = [dict(variant.settings) for variant in self.variants]
        described = [self.task.name, self.corpus.fingerprint, variants, list(self.seeds), dict(self.settings)]
        return id_of("compare", key_of([*described, self.metric, contents(self.plugins), __version__]))

    def check_words(self) -> None:
        """Refuse names and values that cannot be right, before texts are read and torch is loaded."""
        for variant in self.variants:
            variant.check_words(self.task, self.settings)

    def check(self) -> None:
        """Refuse variants that cannot be trained or compared, before anything is."""
        self.check_settings()  # What is wrong with a name is said before texts are encoded.
        tokenizers = {prepared.tokenizer_settings: prepared.tokenizer for prepared in self.prepared}
        self.task.check_tokens(self.corpus, tokenizers, self.metric)

    def check_settings(self) -> None:
        """Refuse a corpus or settings that cannot work, before any text is encoded."""
        self.task.need_test(self.corpus)
        for variant in self.variants:
            with variant.named():
                contract_of(self.task, self.of(variant))

    def check_room(self, store: Store, here: bool) -> None:
        """Refuse a device that is not there, or a folder without room; `here` says whether this machine trains."""
        from oratory.execution.ready import check_room

        check_room(self.prepared, self.seeds, store, here)

    @cached_property
    def prepared(self) -> "tuple[Prepared, ...]":
        """What each variant would train."""
        from oratory.execution.ready import ready

        found = []
        for variant in self.variants:
            with variant.named():
                found.append(ready(self.task, self.corpus, self.of(variant)))
        return tuple(found)


def check_two(variants: Sequence[Variant]) -> None:
    """Refuse to compare a variant with nothing."""
    if len(variants) < 2:
        raise InputError("A comparison needs at least two variants; the first is what the others are compared with.")


def check_seeds(seeds: Sequence[int]) -> None:
    """Refuse seeds that are none, or of which one is there twice."""
    if not seeds or len(set(seeds)) < len(seeds):
        raise InputError(f"The seeds must be different from each other, and at least one: {list(seeds)}.")


def check_variants(variants: Sequence[Variant], shared: Mapping[str, str]) -> None:
    """Refuse a variant that is there twice, and one with a setting that is also given for all."""
    names = [variant.name for variant in variants]
    for variant in variants:
        if names.count(variant.name) > 1:
            raise InputError(f"The variant {variant.name!r} is given twice.")
        both = set(variant.settings) & set(shared)
        if both:
            raise InputError(f"{both.pop()} is given for all variants, and again for the variant {variant.name!r}.")


def contents(plugins: Sequence[tuple[str, str]]) -> list[str]:
    """What an id has of plugins: the checksums of their files, wherever these are."""
    return [digest(content.encode()) for _, content in plugins]


def full_word(word: str) -> str:
    """A setting of training may be written without its beginning: optimizer=sgd for train.optimizer=sgd."""
    key, equals, value = word.partition("=")
    return f"{full_name(key)}{equals}{value}"


def parse_seeds(text: str) -> tuple[int, ...]:
    """`10` for the seeds 0 to 9, or a list of seeds such as 0,1,2."""
    try:
        if "," in text:
            return tuple(int(part) for part in text.split(",") if part.strip())
        if not 1 <= int(text) <= MOST_SEEDS:
            raise InputError(f"--seeds {shortened(text, 40)}: from 1 to {MOST_SEEDS:,} seeds can be asked for.")
        return tuple(range(int(text)))
    except ValueError:
        raise InputError(f"--seeds {text!r} is neither a number of seeds nor a list such as 0,1,2.") from None


def write_seeds(seeds: Sequence[int]) -> str:
    """Seeds as `parse_seeds` reads them; a comma tells one seed from a number of seeds."""
    return ",".join(map(str, seeds)) + "," * (len(seeds) == 1)


def parse_variants(texts: Sequence[str]) -> tuple[Variant, ...]:
    """The variants of a command line."""
    return tuple(Variant.parse(text) for text in texts)
