"""Reports on results: one function for a run, a comparison or a search; recipes add themselves."""

import os
from pathlib import Path

from oratory.reports.atlas import atlas_document
from oratory.reports.comparison import comparison_document
from oratory.reports.document import document_of
from oratory.reports.ensemble import ensemble_document
from oratory.reports.output import write_document
from oratory.reports.plots import of_maps, of_report
from oratory.reports.run import run_document
from oratory.reports.scale import scale_document
from oratory.reports.search import search_document

__all__ = [
    "atlas_document",
    "comparison_document",
    "ensemble_document",
    "of_maps",
    "of_report",
    "run_document",
    "scale_document",
    "search_document",
    "write_report",
]


def write_report(result: object, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write the report on a result: one file if the name has a suffix, else a folder with every kind."""
    return write_document(document_of(result), path)
