"""What a reader must know before believing a comparison, in plain sentences. All of them are collected here."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from oratory.comparisons.design import Design
from oratory.comparisons.record import ComparisonRecord
from oratory.errors import InputError
from oratory.runs import Run, Store
from oratory.statistics import LEAST_SEEDS
from oratory.training.config import chooses_on_dev, split_settings

if TYPE_CHECKING:
    from oratory.comparisons.comparison import VariantFacts


def warnings_of(
    variants: Sequence["VariantFacts"], seeds: Sequence[int], problems: Mapping[str, str]
) -> tuple[str, ...]:
    """Few seeds, seeds that failed, scores that are missing, and variance that is missing."""
    return (*_few(seeds), *_missing(variants, len(seeds), problems), *_without_variance(variants))


def _few(seeds: Sequence[int]) -> Iterator[str]:
    if len(seeds) < LEAST_SEEDS:
        count = "One seed gives" if len(seeds) == 1 else f"{len(seeds)} seeds give"
        yield f"{count} no verdict: at least {LEAST_SEEDS} are needed, 5 to explore, 10 to claim."


def _missing(variants: Sequence["VariantFacts"], seeds: int, problems: Mapping[str, str]) -> Iterator[str]:
    """Runs that failed and runs that lack scores; what is left may be the luckier part."""
    for variant in variants:
        failed = variant.runs.count(None)
        unscored = variant.whole.estimate.left_out - failed
        if failed:
            yield (
                f"{variant.name} finished {seeds - failed} of {seeds} seeds, and only these count: a variant that "
                "fails with some seeds may look better than it is."
            )
        if unscored:
            yield f"{variant.name} lacks scores with {unscored} of {seeds} seeds, and these seeds are left out."
    yield from (f"Failed: {where}: {why}" for where, why in problems.items())


def _without_variance(variants: Sequence["VariantFacts"]) -> Iterator[str]:
    for variant in variants:
        difference = variant.whole.difference
        if difference and difference.undecided and difference.seeds >= LEAST_SEEDS:
            yield f"There is no verdict on {variant.name}: {difference.undecided}."


def unequal_train(design: Design, runs: Mapping[str, Sequence[Run | None]]) -> Iterator[str]:
    """Variants that had less to learn from, because their dev was carved from train."""
    if design.task.has(design.corpus, "dev"):
        return
    of_variant = {name: next(run for run in found if run).settings for name, found in runs.items()}
    carved = [name for name, settings in of_variant.items() if chooses_on_dev(split_settings(settings)[0])]
    if 0 < len(carved) < len(of_variant):
        yield (
            f"{' and '.join(carved)} had less text to learn from than the others: the corpus has no dev split, and "
            "to choose on dev (train.keep=best, train.patience) sets a tenth of train aside."
        )


def looked_before(design: Design, store: Store) -> Iterator[str]:
    """The same comparison with fewer seeds: to add seeds until something shows is to try again and again."""
    wanted = [(variant.name, dict(variant.settings)) for variant in design.variants]
    fewer = set()
    for name in ComparisonRecord.names(store):
        with suppress(InputError):  # Damaged, which is for its reader to hear.
            kept = ComparisonRecord.read(name, store)
            same = (kept.task, kept.corpus.fingerprint, kept.metric, dict(kept.settings)) == (
                design.task.name,
                design.corpus.fingerprint,
                design.metric,
                dict(design.settings),
            )
            if same and [(entry.name, dict(entry.settings)) for entry in kept.variants] == wanted:
                fewer |= {len(kept.seeds)} if set(kept.seeds) < set(design.seeds) else set()
    judged = sorted(count for count in fewer if count >= LEAST_SEEDS)
    if judged:
        yield (
            f"This comparison was made before with {' and '.join(map(str, judged))} seeds. Whoever looks after each "
            "new seed, from 3 to 10, and stops when a difference shows is wrong in 7 to 17 of 100 cases and not in 5 "
            "(oratory calibrate): decide on the number of seeds first."
        )
