"""Published claims on two variants, and what our runs say of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from oratory.comparisons.measures import Measure
from oratory.statistics import Difference, holm, paired, verdict, verdict_text
from oratory.tables import Table
from oratory.training.tasks.metric import Metric

BETTER, WORSE, SAME = "better", "worse", "the same"
SAYS = (BETTER, WORSE, SAME)
"""What a report may say of a variant."""


@dataclass(frozen=True)
class Claim:
    """What a report says of one variant against another one."""

    source: str
    text: str
    """In a sentence, without a full stop."""
    evidence: str
    """The figures that it rests on."""
    variant: str
    against: str
    says: str
    """One of `SAYS`."""


@dataclass(frozen=True)
class JudgedClaim:
    """A claim beside our difference."""

    claim: Claim
    metric: Metric
    difference: Difference | None
    p: float | None = None
    """After Holm, over all claims of the recipe."""
    reason: str = ""
    """Why it cannot be judged, if it cannot."""

    @property
    def outcome(self) -> str:
        """Whether the claim holds, in a few words."""
        if self.difference is None:
            return f"cannot be judged: {self.reason}"
        if self.difference.undecided:
            return f"cannot be judged: {self.difference.undecided}"
        found = verdict(self.difference, self.p)
        if found not in (BETTER, WORSE):
            return "not refuted" if self.claim.says == SAME else "not shown"
        return "holds" if found == self.claim.says else f"does not hold: it is {found}"

    @property
    def shown(self) -> str:
        """The verdict on the two variants, as it is read."""
        if self.difference is None:
            return "–"
        return verdict_text(self.difference, self.p, lambda value: self.metric.show_difference(value, "-"))

    def to_dict(self) -> dict[str, Any]:
        found = self.difference
        return {
            "source": self.claim.source,
            "claim": self.claim.text,
            "evidence": self.claim.evidence,
            "variant": self.claim.variant,
            "against": self.claim.against,
            "says": self.claim.says,
            "metric": self.metric.name,
            "difference": found.mean if found else None,
            "difference_interval": list(found.interval) if found and found.interval else None,
            "seeds": found.seeds if found else None,
            "p": self.p,
            "verdict": self.shown,
            "outcome": self.outcome,
        }

    def cells(self) -> tuple[str, ...]:
        """The row in a table."""
        claim, found, show = self.claim, self.difference, self.metric
        ours = show.show_difference(found.mean) if found else "–"
        interval = show.show_difference_interval(found.interval) if found else "–"
        return f"{claim.source}: {claim.text}", claim.evidence, ours, interval, self.outcome


def judge(
    claims: Sequence[Claim], measure: Measure, metric: Metric, no_verdict: Mapping[str, str]
) -> tuple[JudgedClaim, ...]:
    """Every claim against our runs; `no_verdict` says which variants get none, and why."""
    found = []
    for claim in claims:
        reason = no_verdict.get(claim.variant) or no_verdict.get(claim.against) or ""
        if not reason and not measure.paired_seeds(claim.variant, claim.against):
            reason = "no seed was finished on both sides"
        difference = None
        if not reason:
            one, other = measure.matrices[claim.variant], measure.matrices[claim.against]
            difference = paired(
                one, other, measure.weights, better=metric.better, comparisons=len(claims), strata=measure.strata
            )
        found.append(JudgedClaim(claim, metric, difference, reason=reason))
    adjusted = holm([each.difference.p if each.difference else None for each in found])
    return tuple(replace(each, p=p) for each, p in zip(found, adjusted, strict=True))


def claim_table(judged: Sequence[JudgedClaim]) -> Table:
    """Claims beside what our runs show."""
    metric = judged[0].metric
    columns = ("claim", "evidence of the report", f"ours: {metric.difference_label}", "95% interval", "judged")
    note = (
        "Ours is the difference of the two variants over paired seeds; p after Holm over these claims. A claim that "
        "there is no difference can be refuted, but not shown."
    )
    rows = tuple(each.cells() for each in judged)
    return Table("Claims of the report", columns, rows, words=2, note=note)
