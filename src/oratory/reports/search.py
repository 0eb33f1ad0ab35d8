"""The report on a search: the best settings first, then all that was tried."""

from oratory import __version__
from oratory.pictures import Bars, Curves, Drawn, Mark, Scatter, Topic
from oratory.reports.command import best_command, command_of
from oratory.reports.document import Document, document_of, section_of
from oratory.searches.effects import against, as_number, interaction, tied_sentence
from oratory.searches.result import COMPLETE, FAILED, PRUNED, Search
from oratory.searches.space import DECADE
from oratory.tables import counted


@document_of.register
def search_document(found: Search) -> Document:
    """Everything that a reader needs to use the settings, and to know what it took to find them."""
    topics = [_best(found), Topic("All trials", tables=(found.trial_table(),)), _budget(found)]
    topics.append(_against(found))
    topics += [_importance(found)] if found.importance is not None else []
    lead = f"Corpus {found.corpus}, fingerprint {found.fingerprint}."
    topics.append(Topic("How to repeat it", lead, code=command_of(found)))
    title = f"{', '.join(found.space)}: a search, {found.task} on {found.corpus}"
    footer = f"Made by Oratory {__version__} from {found.id}."
    return Document(title, _lead(found), [section_of(topic) for topic in topics], footer)


def _lead(found: Search) -> str:
    dev = "a dev split carved from train" if found.carving else "the dev split"
    return (
        f"{counted(len(found.trials), 'trial')} by {found.method}, up to {counted(len(found.seeds), 'seed')} each: "
        f"{found.count(COMPLETE)} complete, {found.count(PRUNED)} pruned, {found.count(FAILED)} failed. Chosen by the "
        f"mean over seeds on {dev}; test was measured for the chosen settings alone, after they had been chosen."
    )


def _best(found: Search) -> Topic:
    best, metric = found.best, found.metric
    words = ", ".join(f"{name}={value}" for name, value in best.settings.items())
    interval = f" ({metric.show_interval(best.interval)})" if best.interval else ""
    return Topic(
        "The best settings",
        "Settings that were chosen by their figure on dev look better on dev than they are; on test they do not.",
        sentences=(
            f"Trial {best.number}: {words}.",
            f"{found.unit}: {metric.show(best.mean)}{interval}, mean of {counted(len(best.values), 'seed')}.",
            tied_sentence(found),
        ),
        tables=tuple(found.test_tables()),
        code=best_command(found),
    )


def _against(found: Search) -> Topic:
    """A picture for each setting, and the two that matter most together."""
    figures = []
    for name in found.space:
        points, plot = against(found, name), found.metric.plotted
        values = list(dict.fromkeys(value for pairs in points.values() for value, _ in pairs))
        numbers = {value: number for value in values if (number := as_number(value)) is not None}
        names = [] if len(numbers) == len(values) else sorted(values)
        places = {value: float(at) for at, value in enumerate(names)} or numbers
        dots = {
            state: ([places[value] for value, _ in pairs], [plot(mean) for _, mean in pairs])
            for state, pairs in points.items()
        }
        low, high = min(places.values()), max(places.values())
        picture = Scatter(dots, name, found.unit, names, log=not names and low > 0 and high / low >= DECADE)
        figures.append(Drawn(f"against-{name}-{found.id}", picture, f"Every trial by its {name}; a dot is a trial."))
    table = interaction(found)
    return Topic("Against each setting", figures=tuple(figures), tables=() if table is None else (table,))


def _budget(found: Search) -> Topic:
    budget, plot = found.budget, found.metric.plotted
    xs = [float(trials) for trials, _, _ in budget]
    series = {
        "expected best of n trials": (xs, [[plot(expected) for _, expected, _ in budget]]),
        "best after n trials": (xs, [[plot(best) for _, _, best in budget]]),
    }
    caption = "The best of a number of trials drawn from these, on average, and the best there was at each point."
    return Topic(
        "The best against the budget",
        "Compare two kinds of models at the same number of trials (Dodge et al., 2019, arXiv:1909.03004).",
        figures=(Drawn(f"budget-{found.id}", Curves(series, "trials", found.unit), caption),),
        tables=(found.budget_table(),),
    )


def _importance(found: Search) -> Topic:
    shares = found.importance or {}
    marks = {"share of variance": [Mark(100 * share) for share in shares.values()]}
    picture = Bars(tuple(shares), marks, "share of variance, %")
    caption = "How much of the variance on dev each setting explains, within the ranges that were searched (fANOVA)."
    return Topic(
        "What mattered",
        figures=(Drawn(f"importance-{found.id}", picture, caption),),
        tables=(found.importance_table(),),
    )
