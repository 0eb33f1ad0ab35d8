"""What the statistics do: seeds x items, the interval, the verdict, and what would be seen with more seeds."""

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from oratory.comparisons.pairs import ScoredPair, pair_of, pairs_of
from oratory.comparisons.record import ComparisonRecord
from oratory.errors import InputError
from oratory.seeds import derive
from oratory.statistics import Array, Better, Strata
from oratory.statistics.seed_curve import by_seeds, planned
from oratory.statistics.simulated import Simulated
from oratory.training.tasks.metric import Metric
from oratory.web.kept import Kept
from oratory.web.kinds import Id
from oratory.web.laboratory import Laboratory
from oratory.web.view import View

COMPARISONS = 6
"""Comparisons whose scores stay in memory."""
MOST_SEEDS = 30
COLUMNS = 240
"""Columns of the picture; more items than this are drawn as means of several."""

Noise = Annotated[float, Query(ge=0, le=1000)]


class Verdict(View):
    title = "Verdicts"
    about = "How seeds and items make an interval and a verdict: move the number of seeds, and see what would be shown."
    place = 80

    def router(self, lab: Laboratory) -> APIRouter:
        router = APIRouter()
        kept: Kept[dict[str, ScoredPair]] = Kept(COMPARISONS)

        def known() -> list[dict[str, Any]]:
            found = sorted(ComparisonRecord.entries(lab.store), key=lambda entry: entry.created, reverse=True)
            return [{"comparison": entry.id, "about": entry.what, "created": entry.created} for entry in found]

        @router.get("/verdict", include_in_schema=False)
        def page(request: Request) -> HTMLResponse:
            return lab.page(request, "verdict.html", view=self, known=known(), same_as="oratory calibrate")

        @router.get("/api/verdict")
        def comparisons() -> list[dict[str, Any]]:
            """The comparisons whose scores can be looked at."""
            return known()

        @router.get("/api/verdict/simulated")
        def simulated(
            effect: Annotated[float, Query(ge=-1000, le=1000, description="The true difference.")] = 2.0,
            seed_noise: Noise = 1.5,
            item_noise: Noise = 20.0,
            rest: Noise = 30.0,
            seeds: Annotated[int, Query(ge=1, le=MOST_SEEDS)] = 20,
            chosen: Annotated[int, Query(ge=1, le=MOST_SEEDS, description="The first so many are judged.")] = 5,
            items: Annotated[int, Query(ge=2, le=5000)] = 500,
            draw: Annotated[int, Query(ge=0, le=10**6, description="Another number, other scores.")] = 0,
        ) -> dict[str, Any]:
            """A comparison with a true difference that is known, judged as every comparison is."""
            drawn = Simulated(effect, seed_noise, item_noise, rest, seeds, items)

            def make() -> dict[str, Any]:
                scores = drawn.draw(np.random.default_rng(derive(draw, "verdict view")))
                return _facts(scores, np.zeros_like(scores), np.ones(items), None, "higher", min(chosen, seeds))

            return lab.work.do(make)

        @router.get("/api/verdict/of/{name}")
        def stored(
            name: Id,
            variant: Annotated[str, Query(max_length=500, description="The first after the baseline by default.")] = "",
            seeds: Annotated[int, Query(ge=0, le=1000, description="The first so many; 0 for all.")] = 0,
        ) -> dict[str, Any]:
            """The scores of a comparison, and what its first seeds alone would have shown."""
            when = {entry["comparison"]: entry["created"] for entry in known()}
            read = lambda: pairs_of(name, lab.store)  # noqa: E731
            pairs = lab.work.do(lambda: kept.get((name, when.get(name)), read))
            pair = pair_of(pairs, variant)
            judged = (*pair.scores, pair.weights, pair.strata, pair.metric.better, seeds or len(pair.seeds))
            found = lab.work.do(lambda: _facts(*judged))
            about = {"variant": pair.variant, "baseline": pair.baseline, "variants": list(pairs)}
            return {**found, **about, **_unit(pair.metric), "item": pair.measure.unit, "no_verdict": pair.no_verdict}

        return router


def _unit(metric: Metric) -> dict[str, Any]:
    """How differences are shown; those of a logarithmic metric as they are compared, in nats."""
    if metric.logarithmic:
        return {"metric": metric.name, "factor": 1.0, "unit": metric.unit}
    return {"metric": metric.name, "factor": metric.factor, "unit": metric.difference_unit.strip() or metric.unit}


def _facts(
    variant: Array, baseline: Array, weights: Array, strata: Strata | None, better: Better, chosen: int
) -> dict[str, Any]:
    """Everything that the page draws, by the functions that make the verdicts of every comparison."""
    curve = by_seeds(variant, baseline, weights, better=better, strata=strata)
    if not 1 <= chosen <= len(curve):
        raise InputError(f"There are {len(curve)} seeds that have all their scores; {chosen} cannot be taken.")
    ahead = planned(variant[:chosen], baseline[:chosen], range(3, MOST_SEEDS + 1), weights, strata)
    difference = (variant - baseline)[np.isfinite(variant - baseline).all(axis=1)]
    return {
        "seeds": chosen,
        "of_seeds": len(curve),
        "items": len(weights),
        "better": better,
        "curve": [each.to_dict() for each in curve],
        "planned": [each.to_dict() for each in ahead],
        "matrix": _pooled(difference, weights).tolist(),
    }


def _pooled(difference: Array, weights: Array) -> Array:
    """Seeds x columns, ordered by the mean of the items; several items are one column where there are many."""
    order = np.argsort(difference.mean(axis=0), kind="stable")
    each = -(-len(order) // COLUMNS)  # As many items in every column, so that none looks larger than it is.
    parts = [order[at : at + each] for at in range(0, len(order), each)]
    return np.stack([difference[:, part] @ weights[part] / weights[part].sum() for part in parts], axis=1)
