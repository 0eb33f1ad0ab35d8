"""Corpora: read, split, fingerprint, audit. The first room; it imports from no other."""

from oratory.text.audit import audit
from oratory.text.corpus import ClassifierData, Corpus, Labelled, LanguageData, normalise
from oratory.text.describe import Description, describe
from oratory.text.export import export
from oratory.text.findings import Audit
from oratory.text.load import corpus_and_source, load_corpus, reload_corpus

__all__ = [
    "Audit",
    "ClassifierData",
    "Corpus",
    "Description",
    "Labelled",
    "LanguageData",
    "audit",
    "corpus_and_source",
    "describe",
    "export",
    "load_corpus",
    "normalise",
    "reload_corpus",
]
