"""The report on a corpus: what it is, what it leaks, and what a model must beat on it."""

from oratory import __version__
from oratory.baselines import Baselines
from oratory.reports.baselines import accuracy, perplexity
from oratory.reports.document import Document, Figure, Section
from oratory.reports.drawers import draw
from oratory.text import Audit, Description

TEXTS = 6
"""Test texts in the picture of perplexities."""


def overview(corpus: Description, audit: Audit, baselines: Baselines, command: str) -> Document:
    """The report as a document."""
    sections = [
        Section(
            "The corpus",
            f"Content fingerprint {corpus.fingerprint}: the same texts, labels and splits give it again.",
            sentences=corpus.notes,
            tables=corpus.tables(),
        ),
        Section(
            "The audit",
            "Held-out texts must not be in train; else a score measures memory.",
            sentences=audit.sentences(),
            tables=audit.tables(),
        ),
        Section(
            "What a model must beat",
            "Baselines on the same splits. Seen items are in train, unseen ones are not; nothing is chosen on test.",
            figures=_figures(baselines),
            tables=baselines.tables(),
        ),
    ]
    lead = "Corpus, audit and baselines: what to know before the first transformer is trained."
    footer = f"Made by Oratory {__version__}. To repeat it: {command}"
    return Document(f"Oratory on {corpus.name}", lead, sections, footer)


def _figures(baselines: Baselines) -> list[Figure]:
    drawn = []
    if baselines.classifier:
        caption = "Accuracy of the baselines on test, with 95% intervals."
        drawn.append(Figure("baseline-accuracy", draw(accuracy(baselines)), caption))
    if baselines.lm:
        texts = list(next(iter(baselines.lm.values())).texts)[:TEXTS]
        caption = "Perplexity of the test texts against the order of the n-gram model; lower is better."
        drawn.append(Figure("baseline-perplexity", draw(perplexity(baselines, texts)), caption))
    return drawn
