"""Corpora: read, split, fingerprint, audit. The first room; it imports from no other."""

from oratory.text.audit import audit
from oratory.text.corpus import ClassifierData, Corpus, Labelled, LanguageData
from oratory.text.describe import Description, describe
from oratory.text.export import export
from oratory.text.findings import Audit
from oratory.text.load import as_loaded, load_corpus, reload_corpus, source_text
from oratory.text.normal import normalise

__all__ = [
    "Audit",
    "ClassifierData",
    "Corpus",
    "Description",
    "Labelled",
    "LanguageData",
    "as_loaded",
    "audit",
    "describe",
    "export",
    "load_corpus",
    "normalise",
    "reload_corpus",
    "source_text",
]
