"""The report on a study of scale: where curves cross, the curves, and how to repeat it."""

from oratory import __version__
from oratory.comparisons.scales import Scale
from oratory.comparisons.scales.facts import CurveFacts
from oratory.pictures import Drawn, Mark, SizeCurves, Topic
from oratory.reports.command import command_of
from oratory.reports.document import Document, document_of, section_of
from oratory.tables import number
from oratory.training.tasks.metric import Metric


@document_of.register
def scale_document(found: Scale) -> Document:
    """Everything that a reader needs to believe the curves, or not to."""
    lead = (
        f"{len(found.sizes)} nested parts of train, from {found.sizes[0].size:,} to {found.sizes[-1].size:,} "
        f"{found.noun}, and the same test for all; {len(found.seeds)} seeds. Everything that is learned or chosen, the "
        "vocabulary and the settings of baselines too, comes from the part alone."
    )
    topics = [_curves(found), Topic("How to repeat it", code=command_of(found))]
    names = ", ".join(curve.name for curve in found.curves if not curve.baseline)
    title = f"{names}: {found.metric.name} by size, {found.task} on {found.corpus}"
    footer = f"Made by Oratory {__version__} from {found.id}."
    return Document(title, lead, [section_of(topic) for topic in topics], footer)


def _curves(found: Scale) -> Topic:
    metric, xs = found.metric, [float(size.size) for size in found.sizes]
    ends = (xs[0], xs[-1])
    picture = SizeCurves(
        variants={curve.name: (xs, _marks(curve, metric)) for curve in found.curves if not curve.baseline},
        baselines={
            curve.name: (xs, [mark.value for mark in _marks(curve, metric)]) for curve in found.curves if curve.baseline
        },
        lines={
            curve.name: (ends, [metric.plotted_value(curve.line.at(end)) for end in ends])
            for curve in found.curves
            if curve.line is not None
        },
        xlabel=f"{found.noun} to learn from",
        ylabel=metric.column,
        log=metric.better == "lower",
        crossings={
            f"{number(round(each.crossing.size))}: {each.above} overtakes {each.below}": (
                each.crossing.size,
                each.crossing.interval,
            )
            for each in found.crossings
        },
    )
    caption = "Means over seeds with 95% intervals; dashed: baselines; dotted: fitted lines, where a curve is straight."
    caption += " Upright: where curves cross, with its 95% interval." if found.crossings else ""
    return Topic(
        "Who wins at which size",
        "A crossing is named only inside the sizes that were measured, and only where it is certain: the difference at "
        "both ends is more than chance over seeds, and in 95 of 100 draws of seeds the curves cross just once.",
        sentences=found.sentences(),
        figures=(Drawn(f"scale-{found.id}", picture, caption),),
        tables=tuple(found.tables()),
    )


def _marks(curve: CurveFacts, metric: Metric) -> list[Mark]:
    plot = metric.plotted
    return [
        Mark(plot(found.mean), (plot(found.interval[0]), plot(found.interval[1])) if found.interval else None)
        for found in curve.estimates
    ]
