"""Facts for readers: tables on the terminal, and reports as HTML, PDF, Markdown, LaTeX and CSV."""

from oratory.report.document import Document, Figure, Section, section_of, slug
from oratory.report.drawers import draw
from oratory.report.output import write, write_all, write_report

__all__ = ["Document", "Figure", "Section", "draw", "section_of", "slug", "write", "write_all", "write_report"]
