"""The report on an atlas: a figure of all effects and costs, and a table of every row."""

import shlex
from collections.abc import Iterable

from oratory import __version__
from oratory.comparisons import write_seeds
from oratory.comparisons.atlas import Atlas, Stacks
from oratory.comparisons.atlas.facts import GIVEN, AtlasRow
from oratory.pictures import Drawn, EffectsAndCosts, Mark, Topic
from oratory.reports.command import command_of, joined, set_words
from oratory.reports.document import Document, Section, document_of, section_of
from oratory.statistics import LEVEL
from oratory.tables import Table
from oratory.training.tasks.metric import Metric

CAPTION = (
    "Differences with 95% intervals, the best first; a diamond where the difference counts after Holm over all rows. "
    "Beside them the processor time of an update, times that of the base settings. The controls are the base settings "
    "with other seeds."
)


@document_of.register
def atlas_document(atlas: Atlas) -> Document:
    """Everything that a reader needs to believe the verdicts, or not to."""
    title = f"The atlas: {atlas.task} on {atlas.corpus}"
    sections = [_family(atlas, family) for family in (list(atlas.families) or [GIVEN])]
    footer = f"Made by Oratory {__version__} from {atlas.id}."
    return Document(title, " ".join(atlas.sentences()), [*sections, _repeat(atlas)], footer)


def picture_of(entries: Iterable[AtlasRow], metric: Metric, family: str) -> EffectsAndCosts:
    """Effects with their intervals beside costs, as the rows come."""
    plot, rows = metric.plotted_difference, {}
    marked = []
    for row in entries:
        effect = row.effects.get(family)
        mark = None
        if effect is not None:
            interval = (plot(effect.interval[0]), plot(effect.interval[1])) if effect.interval else None
            mark = Mark(plot(effect.difference), interval)
            if effect.holm is not None and effect.holm < LEVEL:
                marked.append(row.name)
        rows[row.name] = (mark, row.cost)
    label = f"difference of {metric.difference_label} from the base settings"
    return EffectsAndCosts(rows, label, "cost of an update", metric.better, tuple(marked))


def _family(atlas: Atlas, family: str) -> Section:
    picture = picture_of((*atlas.rows, *atlas.controls), atlas.metric, family)
    drawn = Drawn(f"atlas-{family}-{atlas.id}", picture, CAPTION)
    lead = "Each mechanism takes the place of that of the base settings, alone; all else stays."
    return section_of(Topic(f"Every mechanism, {family}", lead, figures=(drawn,), tables=(atlas.table(family),)))


def _repeat(atlas: Atlas) -> Section:
    versions = Table("Versions", ("what", "version"), tuple(atlas.versions.items()), words=2)
    lead = f"Made on {atlas.made}. Corpus {atlas.corpus}, fingerprint {atlas.fingerprint}."
    return Section("How to repeat it", lead, code=command_of(atlas), tables=(versions,))


@document_of.register
def stacks_document(found: Stacks) -> Document:
    """Pairs and the stack beside the sums of their parts, and the comparison that they are from."""
    together, *compared, on_dev = found.tables()
    lead = "Each pair, and the stack as it grew, beside the sum of what its parts do alone."
    chosen = "Chosen by runs of their own, on dev; what is judged above was not looked at."
    sections = [
        Section("Together and apart", lead, tables=(together,)),
        Section("Against the base settings", "On test.", tables=tuple(compared)),
        Section("What was chosen", chosen, code=command_of(found), tables=(on_dev,)),
    ]
    title = f"Mechanisms together: {found.comparison.task} on {found.comparison.corpus}"
    footer = f"Made by Oratory {__version__} from {found.atlas}."
    return Document(title, " ".join(found.sentences()), sections, footer)


@command_of.register
def _(found: Stacks) -> str:
    more = [word for path in found.comparison.plugins for word in ("--plugin", path)]
    return shlex.join(["oratory", "atlas", "--stack", found.atlas, "--best", str(len(found.best)), *more])


@command_of.register
def _(atlas: Atlas) -> str:
    words = ["oratory", "atlas", "--task", atlas.task.name, "--seeds", write_seeds(atlas.seeds)]
    words += [word for kind in atlas.only for word in ("--only", kind)]
    words += ["--limit", f"{atlas.limit:g}", *set_words(atlas.settings)]
    words += [word for space in atlas.tune for word in ("--tune", space)]
    return joined(words, atlas.source, atlas.plugins)
