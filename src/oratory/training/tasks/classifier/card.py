"""What the card of a published classifier says."""

from oratory.tables import in_markdown, percent
from oratory.training.tasks.card import TaskCard
from oratory.training.tasks.results import Recorded

FIGURES = ("accuracy", "accuracy_seen", "accuracy_unseen")


def card_of(run: Recorded) -> TaskCard:
    """The card of a trained classifier."""
    return TaskCard(
        pipeline="text-classification",
        made_for=f"A text classifier for the labels {in_markdown(', '.join(run.labels))}",
        use='classify = PIPELINE\nclassify("A text.", truncation=True, top_k=None)',
        sizes=", ".join(f"{split['items']:,} {in_markdown(name)}" for name, split in run.result.items()) + " texts",
        figures=_figures(run),
        limits=_limits(run),
    )


def _figures(run: Recorded) -> str:
    lead = "Accuracy in percent; *seen* are texts that stand in train too, *unseen* those that do not."
    rows = ["| split | texts | all | seen | unseen | loss |", "|---|---|---|---|---|---|"]
    for name, split in run.result.items():
        figures = " | ".join(percent(split.get(figure)) or "–" for figure in FIGURES)
        rows.append(f"| {in_markdown(name)} | {split['items']:,} | {figures} | {split['loss']:.3f} |")
    return "\n".join([lead, "", *rows])


def _limits(run: Recorded) -> tuple[str, ...]:
    said = [
        f"Every text gets one of {len(run.labels)} labels, even if none fits.",
        f"Only the first {run.settings['context']} tokens of a text are used.",
    ]
    test = run.result.get("test")
    if test and test.get("items_seen"):
        share = percent(test["items_seen"] / test["items"])
        said.insert(0, f"{share}% of the test texts stand in train: for new texts, expect the figure on the unseen.")
    return tuple(said)
