"""A report for LaTeX, with tables in the style of booktabs; each table can also be used by itself."""

import re

from oratory.reports.document import Document
from oratory.reports.template import environment
from oratory.tables import Table

PAGEFUL = 35
"""With this number of rows, a table may go over several pages, and so it does not float."""

WIDE = 30
"""A column of words with a longer cell than this wraps its lines."""

# LaTeX itself is full of braces, so its template has other delimiters.
_DELIMITERS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}

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
    # After the end of a row, these would be read as its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # Two of the same kind would become one sign.
    "-": "{-}",
    "'": "{'}",
    ",": "{,}",
    # pdfLaTeX has these signs only in formulas.
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


def render(document: Document, figures: str = "figures") -> str:
    """A whole document; its pictures are the files in the folder `figures`."""
    templates = environment(keep_trailing_newline=True, **_DELIMITERS)
    templates.filters |= {"escaped": escaped, "table": table, "code": _code}
    return templates.get_template("page.tex").render(document=document, figures=figures)


def table(data: Table) -> str:
    """One table as an environment of booktabs; a table longer than a page also needs longtable."""
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
    """Text on one line, in which nothing is a command or a ligature."""
    text = " ".join(re.sub(r"[\x00-\x08\x0e-\x1f\x7f]", "", text).split())
    return "".join(_letter(letter, text[at - 1 : at]) for at, letter in enumerate(text))


def _letter(letter: str, before: str) -> str:
    if letter in _PAIRED:
        return _SPECIAL[letter] if before == letter else letter
    return _SPECIAL.get(letter, letter)


def _columns(data: Table) -> str:
    """The columns: words are aligned to the left, and wrap where they are long; numbers are aligned to the right."""
    longest = [max((len(row[at]) for row in data.rows), default=0) for at in range(data.words)]
    wide = sum(length > WIDE for length in longest)
    lined = rf">{{\raggedright\arraybackslash}}p{{{0.75 / max(wide, 2):.2f}\linewidth}}"
    words = "".join(lined if length > WIDE else "l" for length in longest)
    return f"@{{}}{words}{'r' * (len(data.columns) - data.words)}@{{}}"


def _row(cells: tuple[str, ...]) -> str:
    return " & ".join(map(escaped, cells))


def _code(code: str) -> str:
    """Lines of code, unchanged. A verbatim environment would not do: the code could end it."""
    lines = [re.sub(" ", r"\\ ", _kept(line)) or r"\mbox{}" for line in code.expandtabs(4).split("\n")]
    body = "\\\\\n".join(f"{{}}{line}" for line in lines)
    return "\\begin{flushleft}\\ttfamily\\small\n" + body + "\n\\end{flushleft}"


def _kept(line: str) -> str:
    """A line of code, escaped, with all of its spaces."""
    return " ".join(escaped(word) for word in line.split(" "))
