"""What the functions of this room have in common: how variants, seeds and listeners are given."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from oratory.comparisons import Design, Variant
from oratory.comparisons.atlas import AtlasDesign
from oratory.comparisons.scales import ScaleDesign
from oratory.runs import Store
from oratory.runs.given import as_given
from oratory.searches.design import SearchDesign
from oratory.text import Corpus, as_loaded
from oratory.text.corpus import LanguageData
from oratory.training.origins.origin import MODEL, OWN_RUN

AnyPath = str | os.PathLike[str]
AnyListener = Callable[[Any], None]
AnyDesign = TypeVar("AnyDesign", Design, AtlasDesign, ScaleDesign, SearchDesign)

UNREAD = Corpus("unread", lm=LanguageData(()), source="")
"""Stands for the texts of a design until they are read: what is wrong with its words is said before that."""


def with_texts(design: AnyDesign, corpus: Corpus | AnyPath) -> AnyDesign:
    """A design with its corpus. Names and values that cannot be right are refused first: the answer comes at once."""
    design.check_words()
    return replace(design, corpus=as_loaded(corpus))


def ignore(event: Any) -> None:
    """Listen to nothing."""


def seeds_of(seeds: int | Sequence[int]) -> tuple[int, ...]:
    """How many seeds, or the seeds themselves."""
    return tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds)


def started(variant: Variant, store: Store) -> Variant:
    """A variant whose model may be a run of the store: without a name of its own, it has the id of the run in it."""
    settings = as_given(variant.settings, store)
    if not variant.spelled or settings == variant.settings:
        return replace(variant, settings=settings)
    shown = settings | {MODEL: Path(settings[MODEL].removeprefix(OWN_RUN)).name}
    return replace(variant, name=" ".join(f"{name}={value}" for name, value in shown.items()), settings=settings)
