"""Corpora: read, split, fingerprint, audit. The first room; it imports from no other."""

from oratory.text.audit import Audit, audit
from oratory.text.corpus import ClassifierData, Corpus, Labelled, LanguageData, normalise
from oratory.text.export import export
from oratory.text.load import load_corpus

__all__ = [
    "Audit",
    "ClassifierData",
    "Corpus",
    "Labelled",
    "LanguageData",
    "audit",
    "export",
    "load_corpus",
    "normalise",
]
