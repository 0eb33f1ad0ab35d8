"""What the runs of an atlas show: each family as one comparison, and a row for every mechanism."""

from collections.abc import Mapping, Sequence

from oratory.comparisons.atlas.design import CONTROLS, AtlasDesign
from oratory.comparisons.atlas.facts import FAILED, JUDGED, REFUSED, Atlas, AtlasRow, Effect
from oratory.comparisons.atlas.record import AtlasRecord, RowRecord
from oratory.comparisons.comparison import UNPAIRED, Comparison, VariantFacts
from oratory.comparisons.design import BASE, Variant
from oratory.comparisons.make import evaluate
from oratory.errors import Failed
from oratory.mechanisms import REGISTRY
from oratory.runs import Run, Store
from oratory.statistics import false_discovery

VariantRuns = Mapping[str, Sequence[Run | None]]
"""By the name of the variant, and by seed; None where a run failed."""


def evaluate_atlas(design: AtlasDesign, record: AtlasRecord, runs: Mapping[str, VariantRuns], store: Store) -> Atlas:
    """What the runs show."""
    named = {row.name: row for row in record.rows}
    compared: dict[str, Comparison] = {}
    for family, found in runs.items():
        done = {name: each for name, each in found.items() if any(each)}
        if len(done) < 2:
            raise Failed("Every run but those of the base settings failed, so there is nothing to compare.")
        variants = [Variant(name, named[name].settings[family]) for name in done]
        compared[family] = evaluate(design.family(variants), done, {}, store)
    effects = {family: _effects(comparison) for family, comparison in compared.items()}
    facts = {family: {each.name: each for each in made.variants} for family, made in compared.items()}
    usual = named[BASE].update
    rows = {name: _row(name, row, usual, effects, facts) for name, row in named.items()}
    mechanisms = [row for name, row in rows.items() if name not in (BASE, *CONTROLS)]
    first = next(iter(compared.values()))
    sign = -1.0 if first.metric.better == "higher" else 1.0

    def place(row: AtlasRow) -> tuple[bool, float]:
        """The best first, and last what has no effect."""
        return row.effect is None, sign * row.effect.difference if row.effect else 0.0

    return Atlas(
        id=record.id,
        task=design.task,
        corpus=first.corpus,
        fingerprint=first.fingerprint,
        source=first.source,
        metric=first.metric,
        seeds=record.seeds,
        settings=record.settings,
        only=record.only,
        limit=record.limit,
        rows=tuple(sorted(mechanisms, key=place)),
        controls=tuple(rows[name] for name in CONTROLS if name in rows),
        base=rows[BASE],
        base_means={
            family: first.metric.value(made.variants[0].whole.estimate.mean) for family, made in compared.items()
        },
        versions=record.versions,
        made=record.made,
        tune=record.tune,
        in_train=first.in_train,
        new_items=first.new_items,
        plugins=tuple(path for path, _ in design.plugins),
        families=compared,
    )


def _effects(comparison: Comparison) -> dict[str, Effect]:
    """The effect of each variant that has one."""
    differences = [variant.whole.difference for variant in comparison.variants]
    discovery = false_discovery([found.p if found else None for found in differences])
    made = {}
    for variant, found, share in zip(comparison.variants, differences, discovery, strict=True):
        if found is not None:
            made[variant.name] = Effect(
                seeds=found.seeds,
                mean=comparison.metric.value(variant.whole.estimate.mean),
                difference=found.mean,
                interval=found.interval,
                wins=found.wins,
                p=found.p,
                holm=variant.p,
                discovery=share,
                verdict=variant.verdict,
                text=comparison.verdict_text(variant),
            )
    return made


def _row(
    name: str,
    row: RowRecord,
    usual: float | None,
    effects: Mapping[str, Mapping[str, Effect]],
    facts: Mapping[str, Mapping[str, VariantFacts]],
) -> AtlasRow:
    own = {family: found[name] for family, found in effects.items() if name in found}
    status, reason = row.status, row.reason
    if row.problems and own:
        failed = sum(runs.count(None) for runs in row.runs.values())
        reason = f"{failed} of {sum(map(len, row.runs.values()))} runs failed and are left out ({row.problems[0]})"
    elif row.problems:
        status, reason = FAILED, row.problems[0]
    elif not own and status == JUDGED and name != BASE:
        said = [found[name].no_verdict for found in facts.values() if name in found]
        status, reason = REFUSED, next(filter(None, said), UNPAIRED)
    return AtlasRow(
        kind=row.kind,
        mechanism=row.mechanism,
        status=status,
        reason=reason,
        parameters=row.parameters,
        update=row.update,
        cost=row.update / usual if row.update and usual else None,
        effects=own,
        paper=REGISTRY[row.kind][row.mechanism].paper if row.kind and row.mechanism in REGISTRY[row.kind] else "",
    )
