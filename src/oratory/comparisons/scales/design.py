"""What is trained: every variant with every seed on nested parts of train."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from oratory import __version__
from oratory.comparisons.design import Variant, check_seeds, check_variants, contents
from oratory.errors import InputError
from oratory.execution.ready import check_room, ready
from oratory.ids import id_of, key_of
from oratory.runs import Store
from oratory.text import Corpus, load_corpus
from oratory.text.load import parse_source
from oratory.training.origins import contract_of, origin_of
from oratory.training.prepared import Prepared
from oratory.training.tasks import Task

SHARES = (0.0625, 0.125, 0.25, 0.5, 1.0)
"""The parts of train, unless the user gives others."""
LEAST = 2
"""The fewest parts of train that make a curve."""


@dataclass(frozen=True)
class ScaleDesign:
    """Variants x seeds x parts of train."""

    task: Task
    corpus: Corpus
    """With all of train."""
    variants: tuple[Variant, ...]
    shares: tuple[float, ...]
    """Of train, the smallest first."""
    seeds: tuple[int, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    """What all variants share."""
    metric: str | None = None
    plugins: tuple[tuple[str, str], ...] = ()
    """Files of mechanisms: where they are, and their content."""

    def __post_init__(self) -> None:
        check_seeds(self.seeds)
        check_variants(self.variants, self.settings)
        if len(self.shares) < LEAST or list(self.shares) != sorted(set(self.shares)):
            raise InputError(f"--sizes {_joined(self.shares)}: give two or more different shares, the smallest first.")
        if not all(0 < share <= 1 for share in self.shares):
            raise InputError(f"--sizes {_joined(self.shares)}: every share of train lies above 0, and is at most 1.")
        if self.corpus.source is None:
            raise InputError("The corpus was made in Python, and parts of it could not be loaded again; save it first.")
        # Parts have vocabularies of their own, so a figure of tokens could not be compared.
        self.task.metric(same_tokens=False, name=self.metric)

    def check_words(self) -> None:
        """Refuse names and values that cannot be right, before texts are read and torch is loaded."""
        for variant in self.variants:
            variant.check_words(self.task, self.settings)

    def of(self, variant: Variant) -> dict[str, str]:
        """All settings of a variant's runs."""
        given = {**self.settings, **variant.settings}
        return {**origin_of(given).in_comparisons, **given}

    @property
    def id(self) -> str:
        """A name that follows from everything that decides the result."""
        variants = [dict(variant.settings) for variant in self.variants]
        described = [self.task.name, self.corpus.fingerprint, variants, list(self.shares), list(self.seeds)]
        more = [dict(self.settings), self.metric, contents(self.plugins)]
        return id_of("scale", key_of([*described, *more, __version__]))

    @cached_property
    def parts(self) -> tuple[Corpus, ...]:
        """The corpus with each share of its train."""
        source = parse_source(self.corpus.source or "")
        found = [load_corpus(replace(source, keep=source.keep * share)) for share in self.shares]
        for smaller, larger, share in zip(found, found[1:], self.shares, strict=False):
            if smaller.fingerprint == larger.fingerprint:
                size, noun = self.task.train_size(smaller)
                raise InputError(
                    f"--sizes {_joined(self.shares)}: {share:g} of train and the next share are the same {size:,} "
                    f"{noun}; there is too little text for parts so small."
                )
        return tuple(found)

    @cached_property
    def prepared(self) -> tuple[tuple[Prepared, ...], ...]:
        """What every variant would train on every part."""
        found = []
        for share, part in zip(self.shares, self.parts, strict=True):
            of_part = []
            for variant in self.variants:
                try:
                    of_part.append(ready(self.task, part, self.of(variant)))
                except InputError as error:
                    raise InputError(f"{variant.name!r} cannot be trained on {share:g} of train: {error}") from None
            found.append(tuple(of_part))
        return tuple(found)

    def check(self, store: Store, here: bool) -> None:
        """Refuse what cannot be trained, before anything is."""
        self.task.need_test(self.corpus)
        for variant in self.variants:
            contract_of(self.task, self.of(variant))
        for of_part in self.prepared:
            check_room(of_part, self.seeds, store, here)


def _joined(shares: tuple[float, ...]) -> str:
    return ",".join(f"{share:g}" for share in shares)
