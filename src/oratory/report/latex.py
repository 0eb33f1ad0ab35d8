"""A report for LaTeX, with tables as booktabs sets them; each table can be taken out and used by itself."""

import re

from oratory.report.document import Document, Figure, Section
from oratory.tables import Table

PAGEFUL = 35
"""Rows from which on a table goes over pages, and so does not float."""

WIDE = 30
"""Letters from which on the words of a column are set in lines."""

_HEAD = r"""% pdfLaTeX does for Latin letters; XeLaTeX or LuaLaTeX, with a font that has them, for all others.
\documentclass[11pt,a4paper]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
  \usepackage{textcomp}
\else
  \usepackage{fontspec}
\fi
\usepackage[margin=22mm]{geometry}
\usepackage{array}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage{graphicx}
\setcounter{secnumdepth}{0}
\setlength{\emergencystretch}{3em}
"""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    # After the end of a row these would be its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # Two of a kind would become one sign.
    "-": "{-}",
    "'": "{'}",
    ",": "{,}",
    # Signs that pdfLaTeX has as formulas only.
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
}
_PAIRED = frozenset("-',")


def render(document: Document) -> str:
    """A whole document, with pictures under `figures/`."""
    parts = [
        _HEAD,
        rf"\title{{{escaped(document.title)}}}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
        escaped(document.lead),
        *(_section(section) for section in document.sections),
    ]
    if document.footer:
        parts.append(rf"\bigskip\noindent{{\small {escaped(document.footer)}}}")
    parts.append(r"\end{document}")
    return "\n\n".join(part for part in parts if part) + "\n"


def table(data: Table) -> str:
    """One table as an environment that needs booktabs, and longtable where it is longer than a page."""
    columns = _columns(data)
    head = rf"{_row(data.columns)} \\"
    rows = "\n".join(rf"{_row(row)} \\" for row in data.rows)
    caption = rf"\caption{{{escaped(data.title)}}}"
    note = rf"\par\smallskip{{\footnotesize {escaped(data.note)}\par}}" if data.note else ""
    if len(data.rows) < PAGEFUL:
        inner = [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            head,
            r"\midrule",
            rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
        lines = [r"\begin{table}[htbp]", r"\centering\small", caption, *inner, note, r"\end{table}"]
    else:
        inner = [caption + r" \\", r"\toprule", head, r"\midrule", r"\endhead", rows, r"\bottomrule"]
        lines = [r"{\small", rf"\begin{{longtable}}{{{columns}}}", *inner, r"\end{longtable}", note, "}"]
    return "\n".join(line for line in lines if line)


def escaped(text: str) -> str:
    """Text that means itself, on one line."""
    text = " ".join(re.sub(r"[\x00-\x08\x0e-\x1f\x7f]", "", text).split())
    return "".join(_letter(letter, text[at - 1 : at]) for at, letter in enumerate(text))


def _letter(letter: str, before: str) -> str:
    if letter in _PAIRED:
        return _SPECIAL[letter] if before == letter else letter
    return _SPECIAL.get(letter, letter)


def _section(section: Section) -> str:
    parts = [rf"\section{{{escaped(section.title)}}}", escaped(section.lead)]
    if section.sentences:
        # An empty group, lest a sentence that begins with a bracket be the item's own mark.
        items = "\n".join(rf"\item {{}}{escaped(sentence)}" for sentence in section.sentences)
        parts.append("\\begin{itemize}\n" + items + "\n\\end{itemize}")
    parts += [_figure(figure) for figure in section.figures]
    parts += [table(data) for data in section.tables]
    if section.code:
        parts.append(_code(section.code))
    return "\n\n".join(part for part in parts if part)


def _figure(figure: Figure) -> str:
    lines = [
        r"\begin{figure}[htbp]",
        r"\centering",
        rf"\includegraphics[width=\linewidth,height=.85\textheight,keepaspectratio]{{figures/{figure.name}.pdf}}",
        rf"\caption{{{escaped(figure.caption)}}}",
        r"\end{figure}",
    ]
    return "\n".join(lines)


def _columns(data: Table) -> str:
    """Words to the left, in lines where they are long; figures to the right."""
    longest = [max((len(row[at]) for row in data.rows), default=0) for at in range(data.words)]
    wide = sum(length > WIDE for length in longest)
    lined = rf">{{\raggedright\arraybackslash}}p{{{0.75 / max(wide, 2):.2f}\linewidth}}"
    words = "".join(lined if length > WIDE else "l" for length in longest)
    return f"@{{}}{words}{'r' * (len(data.columns) - data.words)}@{{}}"


def _row(cells: tuple[str, ...]) -> str:
    return " & ".join(map(escaped, cells))


def _code(code: str) -> str:
    """Lines as they are. Not verbatim, which a text could end."""
    lines = [re.sub(" ", r"\\ ", _kept(line)) or r"\mbox{}" for line in code.expandtabs(4).split("\n")]
    body = "\\\\\n".join(f"{{}}{line}" for line in lines)
    return "\\begin{flushleft}\\ttfamily\\small\n" + body + "\n\\end{flushleft}"


def _kept(line: str) -> str:
    """A line of code: escaped, with its spaces."""
    return " ".join(escaped(word) for word in line.split(" "))
