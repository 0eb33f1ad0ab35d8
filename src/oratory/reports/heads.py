"""What heads do, as pictures: every measure as a small grid of layers and heads, and the loss without each head."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oratory.files import write_bytes
from oratory.reports import canvas
from oratory.reports.canvas import INK, PALETTE
from oratory.reports.document import Document, Figure, Section, slug
from oratory.reports.output import write
from oratory.reports.ramp import colormap, shade

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oratory.inspect import Ablation, HeadFacts, Heads

PICTURES = (".svg", ".png")
REPORTS = (".html", ".pdf", ".md", ".tex", ".csv")
WRITTEN = 64
"""Up to this number of heads, each cell has its value written in it."""
UNITS = ("entropy", "distance")
"""Measures with a colour scale of their own; all others are shares and have one scale in common."""


def write_heads(found: "Sequence[Heads | Ablation]", path: Path) -> tuple[Path, ...]:
    """Write what was measured as one picture (`.svg`, `.png`), or as a report of any kind with one picture for each."""
    kind = path.suffix.lower()
    if kind in PICTURES:
        write_bytes(path, picture(found[0], kind))
        return (path,)
    sections = []
    for each in found:
        title = each.tables()[0].title
        figure = Figure(slug(title), picture(each, "").decode(), f"{each.texts:,} {each.what}.")
        sections.append(Section(title, figures=[figure], tables=each.tables()))
    lead = "Where the heads of a model look, and what the model loses without them."
    return write(Document(f"The heads of {found[0].name}", lead, sections), path)


def picture(found: "Heads | Ablation", kind: str = ".svg") -> bytes:
    """What was measured as a file of this kind or, without a kind, as an SVG element for a page."""
    from oratory.inspect import Heads

    with canvas.style():
        figure = _measures(found) if isinstance(found, Heads) else _losses(found)
        figure.suptitle(f"{found.name}: {found.texts:,} {found.what}", fontsize=9)
        return canvas.save(figure, kind)


def _measures(heads: "Heads") -> Any:
    """A column for each measure; a row for before training, where that is known, and one for after."""
    names = list(heads.after[0].measures)
    stages = [("after", heads.after)] if heads.before is None else [("before", heads.before), ("after", heads.after)]
    layers = 1 + max(facts.layer for facts in heads.after)
    count = len(heads.after) // layers
    shares = max(max(v for name, v in each.measures.items() if name not in UNITS) for _, f in stages for each in f)
    side = float(np.clip(0.42 * count, 1.0, 3.0))
    height = float(np.clip(0.28 * layers, 0.8, 3.0)) + 0.5
    figure = canvas.sheet((side + 0.35) * len(names) + 0.6, height * len(stages) + 0.9)
    grid = figure.subplots(len(stages), len(names), squeeze=False)
    for column, name in enumerate(names):
        tables = [_table(facts, name, layers, count) for _, facts in stages]
        top = shares if name not in UNITS else max(float(table.max()) for table in tables)
        for row, ((stage, _), table) in enumerate(zip(stages, tables, strict=True)):
            _draw(grid[row, column], table, top or 1.0)
            if column == 0:
                grid[row, 0].set_ylabel(f"{stage}\nlayer")
            else:
                grid[row, column].set_yticklabels([])
        even = heads.even.get(name)
        grid[0, column].set_title(f"{name}\n(even {even:.2f})" if even is not None else f"{name}\n", fontsize=9)
        grid[-1, column].set_xlabel("head", fontsize=8)
    return figure


def _losses(ablation: "Ablation") -> Any:
    """How much the loss rises without each head, with its interval, and the line of no difference."""
    figure, axes = canvas.drawing(height=1.2 + 0.28 * len(ablation.heads))
    for at, head in enumerate(ablation.heads):
        if head.interval is not None:
            axes.plot(head.interval, [at, at], color=INK, linewidth=1.4, marker="|", markersize=5)
        fill = PALETTE[0] if head.shown else "none"
        axes.plot(head.difference, at, "o", color=PALETTE[0], markerfacecolor=fill, markersize=6, zorder=3)
    canvas.rows(axes, [f"layer {head.layer} head {head.head}" for head in ablation.heads], 0.6)
    axes.set_xlabel("nats more without the head (filled: a difference is shown)")
    return figure


def _table(facts: "Sequence[HeadFacts]", name: str, layers: int, heads: int) -> NDArray[np.float64]:
    """One measure as a matrix of layers and heads."""
    values = [each.measures.get(name, np.nan) for each in facts]
    return np.array(values, dtype=np.float64).reshape(layers, heads)


def _draw(axes: Any, table: NDArray[np.float64], top: float) -> None:
    layers, heads = table.shape
    if np.isnan(table).all():
        axes.set_axis_off()
        return
    axes.imshow(table, cmap=colormap(), vmin=0, vmax=top, interpolation="none", aspect="auto")
    if table.size <= WRITTEN:
        for (layer, head), value in np.ndenumerate(table):
            ink = shade(value / top)[1]
            axes.text(head, layer, f"{value:.2f}", ha="center", va="center", fontsize=7, color=ink)
    axes.set_xticks(range(heads) if heads <= 8 else range(0, heads, 4))
    axes.set_yticks(range(layers) if layers <= 12 else range(0, layers, 4))
    axes.tick_params(length=0, labelsize=7)
