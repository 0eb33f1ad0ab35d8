"""Reports for visitors: as a page of their own, or as a file."""

from typing import Literal

from fastapi.responses import HTMLResponse, Response

from oratory.reports import html, pdf
from oratory.reports.document import Document

Kind = Literal["html", "pdf"]
POLICY = f"{html.POLICY}; sandbox; frame-ancestors 'self'"
"""A report has its styles and its pictures inside, and no script; it may do nothing else."""


def report_answer(document: Document, name: str, kind: Kind) -> Response:
    """A report as `oratory report` writes it."""
    headers = {"content-security-policy": POLICY}
    if kind == "pdf":
        headers["content-disposition"] = f'attachment; filename="{name}.pdf"'
        return Response(pdf.render(document), media_type="application/pdf", headers=headers)
    return HTMLResponse(html.render(document).encode("utf-8", "replace"), headers=headers)
