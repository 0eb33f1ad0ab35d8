"""The report on a search: the best settings first, then all that was tried."""

import shlex

from oratory import __version__
from oratory.comparison import write_seeds
from oratory.comparison.search_facts import COMPLETE, FAILED, PRUNED, Search
from oratory.pictures import Bars, Curves, Mark
from oratory.report.document import Document, Figure, Section
from oratory.report.drawers import draw


def search_document(found: Search) -> Document:
    """Everything that a reader needs to use the settings, and to know what it took to find them."""
    sections = [_best(found), _trials(found), _budget(found)]
    if found.importance is not None:
        sections.append(_importance(found))
    title = f"{', '.join(found.space)}: a search, {found.task} on {found.corpus}"
    return Document(title, _lead(found), [*sections, _repeat(found)], f"Made by Oratory {__version__} from {found.id}.")


def _lead(found: Search) -> str:
    dev = "a dev split carved from train" if found.carved else "the dev split"
    return (
        f"{len(found.trials)} trials by {found.method}, up to {len(found.seeds)} seeds each: "
        f"{found.count(COMPLETE)} complete, {found.count(PRUNED)} pruned, {found.count(FAILED)} failed. Chosen by the "
        f"mean over seeds on {dev}; test was measured for the chosen settings alone, when they had been chosen."
    )


def _best(found: Search) -> Section:
    best = found.best
    words = ", ".join(f"{name}={value}" for name, value in best.settings.items())
    interval = f" ({' to '.join(map(found.show, best.interval))})" if best.interval else ""
    return Section(
        "The best settings",
        "What was chosen for its figure on dev is flattered by that figure; the one on test is not.",
        sentences=[
            f"Trial {best.number}: {words}.",
            f"{found.unit}: {found.show(best.mean)}{interval}, mean of {len(best.values)} seeds.",
        ],
        tables=[found.test.table()] if found.test else [],
        code=train_command(found),
    )


def _trials(found: Search) -> Section:
    return Section("All trials", tables=[found.trial_table()])


def _budget(found: Search) -> Section:
    factor = 100.0 if found.metric.name == "accuracy" else 1.0
    budget = found.budget
    x = [float(n) for n, _, _ in budget]
    series = {
        "expected best of so many trials": (x, [[factor * expected for _, expected, _ in budget]]),
        "best after so many trials": (x, [[factor * best for _, _, best in budget]]),
    }
    drawn = draw(Curves(series, "trials", found.unit))
    caption = "The best that so many trials drawn from these would give on average, and what there was on the way."
    note = "Compare two kinds of models at the same number of trials (Dodge et al., 2019, arXiv:1909.03004)."
    return Section(
        "The best against the budget",
        note,
        figures=[Figure(f"budget-{found.id}", drawn, caption)],
        tables=[found.budget_table()],
    )


def _importance(found: Search) -> Section:
    shares = found.importance or {}
    marks = {"share of variance": [Mark(100 * share) for share in shares.values()]}
    drawn = draw(Bars(list(shares), marks, "share of variance, %"))
    caption = "Which settings the figure of dev depends on, within the ranges that were searched (fANOVA)."
    return Section(
        "What mattered", figures=[Figure(f"importance-{found.id}", drawn, caption)], tables=[found.importance_table()]
    )


def _repeat(found: Search) -> Section:
    lead = f"Corpus {found.corpus}, fingerprint {found.fingerprint}."
    return Section("How to repeat it", lead, code=search_command(found))


def train_command(found: Search) -> str:
    """The command that trains with the best settings; on all of train, where dev was carved from it."""
    settings = {**found.settings, **found.best.settings}
    model = settings.pop("model", None)
    words = ["oratory", "train", found.task] if model is None else ["oratory", "finetune", model]
    return shlex.join([*words, *(f"{name}={value}" for name, value in settings.items()), *_data(found)])


def search_command(found: Search) -> str:
    """The command that makes this search again."""
    words = ["oratory", "search", *(f"{name}={value}" for name, value in found.space.items())]
    words += ["--task", found.task, "--method", found.method]
    words += [] if found.method == "grid" else ["--trials", str(len(found.trials))]
    words += ["--seeds", write_seeds(found.seeds)]
    words += ["--search-seed", str(found.search_seed), "--at-once", str(found.at_once)]
    words += [] if found.prune else ["--no-prune"]
    for name, value in found.settings.items():
        words += ["--model", value] if name == "model" else ["--set", f"{name}={value}"]
    return shlex.join([*words, *_data(found)])


def _data(found: Search) -> list[str]:
    return ["--data", found.source] if found.source else []
