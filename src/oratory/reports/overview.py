"""The report on a corpus: what it is, what it leaks, and what a model must beat on it."""

from oratory import __version__
from oratory.pictures import Topic
from oratory.reports.document import Document, Section, section_of
from oratory.text import Audit, Description
from oratory.training.baselines import Baselines


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
        section_of(
            Topic(
                "What a model must beat",
                "Baselines on the same splits. Seen items are in train, unseen ones not; nothing is chosen on test.",
                figures=baselines.pictures(),
                tables=baselines.tables(),
            )
        ),
    ]
    lead = "Corpus, audit and baselines: what to know before the first transformer is trained."
    footer = f"Made by Oratory {__version__}. To repeat it: {command}"
    return Document(f"Oratory on {corpus.name}", lead, sections, footer)
