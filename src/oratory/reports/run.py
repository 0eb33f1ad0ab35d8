"""The report on one run: what it scored, how it got there, and how to train it again."""

from oratory import __version__
from oratory.comparisons.standing import standing_of_run, tested_corpus
from oratory.errors import InputError
from oratory.pictures import Curves, Drawn, Topic
from oratory.reports.command import command_of
from oratory.reports.document import Document, document_of, section_of
from oratory.reports.standing import standing_topic
from oratory.runs import Run
from oratory.tables import Table, number


@document_of.register
def run_document(run: Run) -> Document:
    """Everything that the record of a run holds, for a reader."""
    if run.status != "finished":
        return _so_far(run)
    with run.telling():
        scored, *others = run.task.results.topics(run)
    lead = (
        f"One run, after {run.step:,} updates and {number(run.record.seconds, 1)} seconds. One seed cannot tell a "
        "better model from a lucky one: compare variants over several seeds for that."
    )
    name = _name(run)
    topics = (scored, _beside(run), curves_topic(run), *others, _settings(run))
    sections = [section_of(topic) for topic in topics]
    return Document(name, lead, sections, f"Made by Oratory {__version__} from {run.id}.")


def _name(run: Run) -> str:
    return f"{run.task} on {run.record.corpus.name}, seed {run.seed}"


def _so_far(run: Run) -> Document:
    """What there is of a run that is not finished."""
    results, history = run.task.results, run.history()
    lead = f"{run.unfinished} Nothing here is a result: the figures are those of the evaluations so far."
    rows = []
    for curve in results.curves(history):
        values = curve.values(history)
        rows.append((curve.name, number(values[0], 1), number(values[-1], 1)))
    at = f"at {results.place_label} {number(history[-1][results.place], 2).removesuffix('.00')}" if history else "now"
    label = results.curves(history)[0].label if rows else "figure"
    table = Table(f"So far: {label}", ("of", "at first", at), tuple(rows))
    topics = (Topic("So far", tables=(table,) if rows else ()), curves_topic(run), _settings(run))
    return Document(
        f"{_name(run)}: not finished",
        lead,
        [section_of(topic) for topic in topics],
        f"Made by Oratory {__version__} from {run.id}.",
    )


def _beside(run: Run) -> Topic:
    """The run beside the baselines, on every part of test; or why they are not shown."""
    try:
        corpus = tested_corpus(run)
    except InputError as error:
        return Topic("Beside the baselines", sentences=(f"The baselines are not shown. {error}",))
    return standing_topic(standing_of_run(run, corpus))


def curves_topic(run: Run) -> Topic:
    """Every figure along training."""
    results, history = run.task.results, run.history()
    xs = [float(entry[results.place]) for entry in history]
    curves = results.curves(history)
    figures = []
    if curves:
        series = {curve.name: (xs, [curve.values(history)]) for curve in curves}
        picture = Curves(series, results.place_label, curves[0].label, log=curves[0].log)
        caption = f"{curves[0].label.partition(',')[0].capitalize()} along training."
        figures.append(Drawn("curves", picture, caption))
    losses = [(float(entry["step"]), float(entry["loss"])) for entry in run.metrics() if "loss" in entry]
    if losses:
        steps, values = zip(*losses, strict=True)
        picture = Curves({"loss": (steps, [values])}, "update", "loss of the batch, nats")
        figures.append(Drawn("loss", picture, "The loss of every update."))
    return Topic("Learning curves", figures=tuple(figures))


def _settings(run: Run) -> Topic:
    record = run.record
    parts = [(name, number(count)) for name, count in record.parameters.components.items()]
    parameters = Table("Parameters", ("part", "parameters"), (*parts, ("total", number(record.parameters.total))))
    versions = Table("Versions", ("what", "version"), tuple(record.versions.items()), words=2)
    lead = f"Corpus {record.corpus.name}, fingerprint {record.corpus.fingerprint}"
    lead += f"; on {record.machine.platform}, {record.machine.threads} threads."
    return Topic("How to repeat it", lead, code=command_of(run), tables=(parameters, run.all_settings(), versions))
