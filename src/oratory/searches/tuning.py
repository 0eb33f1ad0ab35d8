"""Every variant at the settings that are best for it: searched on dev, with the same trials and seeds for all.

One learning rate for all optimisers compares rates as much as optimisers. So each variant is searched by itself, and
takes part in the comparison with the settings that were found and with those that were given.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from oratory.comparisons.design import Design, Variant, full_word
from oratory.errors import InputError
from oratory.searches.design import SearchDesign
from oratory.searches.result import Search
from oratory.searches.space import Space, setting_kinds
from oratory.training.origins import origin_of

TRIALS = 8
"""Points of a space that has a range."""
SEEDS = 2
FIRST_SEED = 1000
"""The first seed of a search: the seeds that chose the settings would flatter them in the comparison."""


@dataclass(frozen=True)
class Tuning:
    """What is searched for each variant: lists as a grid, a space with a range at random."""

    space: Space
    trials: int | None = None
    """None for the whole grid, or for 8 points of a space with a range."""
    seeds: int = SEEDS

    def __post_init__(self) -> None:
        if self.trials is not None and self.trials < 1:
            raise InputError(f"--tune-trials {self.trials}: at least one point is needed.")
        if self.seeds < 1:
            raise InputError(f"--tune-seeds {self.seeds}: at least one seed is needed.")

    @classmethod
    def parse(
        cls, words: Sequence[str], design: Design, trials: int | None = None, seeds: int = SEEDS
    ) -> "Tuning | None":
        """`train.lr=1e-4,1e-3` or `train.lr=1e-4..1e-2`; settings of training may leave out what they begin with.

        None where there are no words. What cannot be searched is refused before texts are read and torch is loaded.
        """
        if not words:
            if trials is not None:
                raise InputError(
                    "--tune-trials says how much of --tune is tried; say what to tune, as in --tune train.lr=1e-4,1e-3."
                )
            return None
        kinds = setting_kinds(origin_of(design.settings))
        found = cls(Space.parse(map(full_word, words), kinds), trials, seeds)
        for search in found.searches(design):
            search.check_words()
        return found

    def searches(self, design: Design) -> list[SearchDesign]:
        """A search for every variant, in their order."""
        listed = self.space.size is not None
        seeds = tuple(range(FIRST_SEED, FIRST_SEED + self.seeds))
        both = set(seeds) & set(design.seeds)
        if both:
            raise InputError(f"The seed {both.pop()} chooses settings for --tune; compare with others.")
        return [
            SearchDesign(
                task=design.task,
                corpus=design.corpus,
                space=self.space,
                method="grid" if listed else "random",
                trials=self.trials if listed or self.trials else TRIALS,
                seeds=seeds,
                settings=self._others(design.of(variant)),
                plugins=design.plugins,
            )
            for variant in design.variants
        ]

    def tuned(self, design: Design, found: Sequence[Search]) -> Design:
        """The variants as their searches found them, and then as they were given; the first is the baseline."""
        shared = {name: value for name, value in design.settings.items() if name in self.space.parts}
        best = [self._variant(variant, search) for variant, search in zip(design.variants, found, strict=True)]
        given = [replace(variant, settings=shared | dict(variant.settings)) for variant in design.variants]
        chosen = [variant.settings for variant in best]
        more = [variant for variant in given if variant.settings not in chosen]
        return replace(design, variants=(*best, *more), settings=self._others(design.settings))

    def _variant(self, variant: Variant, search: Search) -> Variant:
        settings = self._others(variant.settings) | dict(search.best.settings)
        name = f"{variant.name}, tuned"
        if variant.spelled:
            words = shlex.split(variant.name) if variant.settings else []
            kept = [word for word in words if full_word(word).partition("=")[0] not in self.space.parts]
            name = " ".join([*kept, *(f"{key}={value}" for key, value in search.best.settings.items())])
        return Variant(name, settings, search.id)

    def _others(self, settings: Mapping[str, str]) -> dict[str, str]:
        return {name: value for name, value in settings.items() if name not in self.space.parts}
