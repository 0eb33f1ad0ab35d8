"""The report on a corpus: what it is, what it leaks, and what a model must beat on it."""

from pathlib import Path

from oratory import __version__
from oratory.baselines import Baselines
from oratory.report import figures, html
from oratory.text import Audit, Description

TEXTS = 6
"""Test texts in the picture of perplexities."""


def write_overview(path: Path, corpus: Description, audit: Audit, baselines: Baselines, command: str) -> Path:
    """Write the page and return its path."""
    sections = [
        html.Section(
            "The corpus",
            f"Content fingerprint {corpus.fingerprint}: the same texts, labels and splits give it again.",
            sentences=corpus.notes,
            tables=corpus.tables(),
        ),
        html.Section(
            "The audit",
            "What is held out must not stand in what is learned from; else a score measures memory.",
            sentences=audit.sentences(),
            tables=audit.tables(),
        ),
        html.Section(
            "What a model must beat",
            "Baselines on the same splits. Seen items stand in train, unseen ones do not; nothing is chosen on test.",
            figures=_figures(baselines),
            tables=baselines.tables(),
        ),
    ]
    lead = "Corpus, audit and baselines: what to know before the first transformer is trained."
    footer = f"Made by Oratory {__version__}. To repeat it: {command}"
    return html.write(path, f"Oratory on {corpus.name}", lead, sections, footer)


def _figures(baselines: Baselines) -> list[tuple[str, str]]:
    drawn = []
    if baselines.classifier:
        drawn.append((figures.accuracy(baselines), "Accuracy of the baselines on test, with 95% intervals."))
    if baselines.lm:
        texts = list(next(iter(baselines.lm.values())).texts)[:TEXTS]
        caption = "Perplexity of the test texts against the order of the n-gram model; lower is better."
        drawn.append((figures.perplexity(baselines, texts), caption))
    return drawn
