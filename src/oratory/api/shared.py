"""What the functions of this room have in common: how variants, seeds and listeners are given."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from oratory.comparisons import Variant
from oratory.runs import Store
from oratory.runs.given import as_given
from oratory.training.origins.origin import MODEL, OWN_RUN

AnyPath = str | os.PathLike[str]
AnyListener = Callable[[Any], None]


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
