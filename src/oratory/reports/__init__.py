"""Facts for readers: tables on the terminal, and reports as HTML, PDF, Markdown, LaTeX and CSV."""

from oratory.reports.document import Document, Figure, Section, section_of, slug
from oratory.reports.drawers import draw
from oratory.reports.output import write, write_all, write_document

__all__ = ["Document", "Figure", "Section", "draw", "section_of", "slug", "write", "write_all", "write_document"]
