"""Pictures as plain values: the facts decide what is shown, a report decides how it is drawn.

What is drawn is exactly what is given here: means, intervals and differences are computed where the facts are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from oratory.tables import Table

Series = Mapping[str, tuple[Sequence[float], Sequence[Sequence[float]]]]
"""Curves by name: the places x and, for each seed, the values there."""


@dataclass(frozen=True)
class Mark:
    """One measured value, its 95% interval if it has one, and the value of each seed."""

    value: float
    interval: tuple[float, float] | None = None
    seeds: Sequence[float] = ()


@dataclass(frozen=True)
class Curves:
    """Learning curves: a line for the mean over seeds, and a band from the lowest seed to the highest.

    A seed that stopped early, or has a value that is not finite, counts only where it has a value.
    """

    series: Series
    xlabel: str
    ylabel: str
    log: bool = False
    dots: bool = False
    """Whether each place has a dot and a label of its own; for a few whole numbers."""


@dataclass(frozen=True)
class Differences:
    """The difference of each variant from the baseline: mean, interval and one dot for each seed."""

    rows: Mapping[str, Mark]
    label: str
    better: Literal["higher", "lower"] = "higher"


@dataclass(frozen=True)
class EffectsAndCosts:
    """The difference of each row from the baseline, and beside it what it costs; some rows have a cost only."""

    rows: Mapping[str, tuple[Mark | None, float | None]]
    label: str
    cost_label: str
    better: Literal["higher", "lower"] = "higher"
    marked: Sequence[str] = ()
    """Rows whose difference counts."""


@dataclass(frozen=True)
class Bars:
    """Bars of the variants, side by side in each group, with intervals and with lines for the baselines.

    Every variant and every baseline has one entry for each group, or None where there is nothing to show.
    """

    groups: Sequence[str]
    variants: Mapping[str, Sequence[Mark | None]]
    ylabel: str
    baselines: Mapping[str, Sequence[float | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Points:
    """The value of each text under each variant, with interval and seeds, and with lines for the baselines.

    Every variant and every baseline has one entry for each text, or None where there is nothing to show.
    """

    names: Sequence[str]
    variants: Mapping[str, Sequence[Mark | None]]
    ylabel: str
    baselines: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    log: bool = True


@dataclass(frozen=True)
class Scatter:
    """Dots by name: numbers x, or places among `names` where these are words, and the values there."""

    points: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    xlabel: str
    ylabel: str
    names: Sequence[str] = ()
    log: bool = False
    """Whether the numbers x are on a logarithmic axis."""


@dataclass(frozen=True)
class Confusion:
    """How often each label (a row) was predicted as each label (a column)."""

    matrix: Sequence[Sequence[float]]
    labels: Sequence[str]


@dataclass(frozen=True)
class Reliability:
    """Accuracy against confidence. Each bin has its mean confidence, its correct items and all of its items.

    See Guo et al. (2017), On Calibration of Modern Neural Networks.
    """

    bins: Sequence[tuple[float, int, int]]


@dataclass(frozen=True)
class ReferenceCurves:
    """Our learning curves, and the points (x values and y values) that a publication gives for them."""

    series: Series
    points: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    xlabel: str
    ylabel: str
    log: bool = False


@dataclass(frozen=True)
class ReferenceMark:
    """A published value as a difference from our mean, with two intervals of ours on the same scale."""

    reference: float
    interval: tuple[float, float] | None
    """The 95% interval of our mean."""
    prediction: tuple[float, float] | None
    """Where one new seed of ours would be in 95% of cases."""
    comparable: bool = True


@dataclass(frozen=True)
class ReferenceDifferences:
    """Published values beside ours, one row each."""

    rows: Mapping[str, ReferenceMark]
    label: str


@dataclass(frozen=True)
class SizeCurves:
    """A figure against how much there is to learn from, on logarithmic axes: marks with intervals, and fitted lines.

    Baselines have values alone. A line is two sizes and the values there.
    """

    variants: Mapping[str, tuple[Sequence[float], Sequence[Mark]]]
    baselines: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    xlabel: str
    ylabel: str
    log: bool = False
    """Whether the figure is on a logarithmic axis too."""
    crossings: Mapping[str, tuple[float, tuple[float, float]]] = field(default_factory=dict)
    """Where curves cross: the size, and the interval that it lies in, by what overtakes what."""


Picture = (
    SizeCurves
    | Curves
    | Differences
    | EffectsAndCosts
    | Bars
    | Points
    | Scatter
    | Confusion
    | Reliability
    | ReferenceCurves
    | ReferenceDifferences
)


@dataclass(frozen=True)
class Drawn:
    """A picture to be drawn in a report, with a name for its file and a caption."""

    name: str
    picture: Picture
    caption: str


@dataclass(frozen=True)
class Topic:
    """What one section of a report says, before its pictures are drawn."""

    title: str
    lead: str = ""
    sentences: Sequence[str] = ()
    figures: Sequence[Drawn] = ()
    tables: Sequence[Table] = ()
    code: str = ""
    """Commands to type or settings to copy; shown unchanged."""
