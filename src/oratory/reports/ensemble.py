"""The report on an ensemble: what it scores beside its members and the baselines, and whether averaging helps."""

from oratory import __version__
from oratory.comparisons.ensembles import Ensemble
from oratory.pictures import Differences, Drawn, Mark, Topic
from oratory.reports.command import command_of
from oratory.reports.document import Document, document_of, section_of
from oratory.reports.standing import standing_topic
from oratory.tables import Table


@document_of.register
def ensemble_document(found: Ensemble) -> Document:
    """Everything that a reader needs to believe the figures, or not to."""
    lead = (
        "The runs of a variant over its seeds, as one model: the probability of everything is the mean of that of the "
        "runs. Nothing was chosen on test, and nothing was trained."
    )
    topics = [standing_topic(found.standing), *_rivals(found), _verdicts(found), _members(found)]
    title = f"{', '.join(found.members)}: ensembles, {found.task} on {found.corpus}"
    footer = f"Made by Oratory {__version__} from {found.id}."
    return Document(title, lead, [section_of(topic) for topic in topics], footer)


def _verdicts(found: Ensemble) -> Topic:
    metric = found.metric
    rows = {}
    for pairing in found.pairings:
        whole, plot = pairing.whole, metric.plotted_difference
        interval = (plot(whole.interval[0]), plot(whole.interval[1])) if whole.interval else None
        dots = tuple(map(plot, whole.seed_differences))
        rows[f"{pairing.variant} against {pairing.against}"] = Mark(plot(whole.mean), interval, dots)
    picture = Differences(rows, f"difference of {metric.difference_label}", metric.better)
    caption = "Differences with 95% intervals; each dot is a group of seeds."
    return Topic(
        "Whether averaging helps",
        f"Ensembles of {found.size} runs, of which no two share a run, so that each is one more independent try.",
        sentences=found.warnings,
        figures=(Drawn(f"differences-{found.id}", picture, caption),) if rows else (),
        tables=tuple(found.verdict_tables()),
    )


def _rivals(found: Ensemble) -> list[Topic]:
    tables = tuple(found.rival_tables())
    lead = "The same items, item by item, so that how hard they are does not count."
    return [Topic("Whether it beats the baselines", lead, tables=tables)] if tables else []


def _members(found: Ensemble) -> Topic:
    rows = [(name, run or "failed") for name, runs in found.members.items() for run in runs]
    lead = f"Corpus {found.corpus}, fingerprint {found.fingerprint}."
    table = Table("Members", ("variant", "run"), tuple(rows), words=2)
    return Topic("How to repeat it", lead, code=command_of(found), tables=(table,))
