"""What heads do as pictures: every measure as a small grid of layers and heads, and the loss without each head."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oratory.files import write_bytes
from oratory.report.document import Document, Figure, Section, slug
from oratory.report.figures import _INK, PALETTE, _drawing
from oratory.report.maps import saved
from oratory.report.output import write
from oratory.report.ramp import ramp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oratory.inspect import Ablation, HeadFacts, Heads

PICTURES = (".svg", ".png")
REPORTS = (".html", ".pdf", ".md", ".tex", ".csv")
WRITTEN = 64
"""Heads up to which each cell has its figure in it."""
UNITS = ("entropy", "distance")
"""Measures with a scale of colours of their own; all others are shares, and have one in common."""
_DARK = 0.45
"""From this share of the scale on, letters are white."""


def write_heads(found: "Sequence[Heads | Ablation]", path: Path) -> tuple[Path, ...]:
    """Write what was measured as one picture (`.svg`, `.png`), or as a report of any kind with a picture for each."""
    kind = path.suffix.lower()
    if kind in PICTURES:
        write_bytes(path, _picture(found[0], kind))
        return (path,)
    sections = []
    for each in found:
        title = each.tables()[0].title
        figure = Figure(slug(title), _picture(each, "").decode(), f"{each.texts:,} {each.what}.")
        sections.append(Section(title, figures=[figure], tables=each.tables()))
    lead = "Where the heads of a model look, and what the model loses without them."
    return write(Document(f"The heads of {found[0].name}", lead, sections), path)


def _picture(found: "Heads | Ablation", kind: str) -> bytes:
    from oratory.inspect import Heads

    return heads_picture(found, kind) if isinstance(found, Heads) else ablation_picture(found, kind)


def heads_picture(heads: "Heads", kind: str = ".svg") -> bytes:
    """A column for each measure; a row for before training, where it is known, and one for after."""
    names = list(heads.after[0].measures)
    stages = [("after", heads.after)] if heads.before is None else [("before", heads.before), ("after", heads.after)]
    layers = 1 + max(facts.layer for facts in heads.after)
    count = len(heads.after) // layers
    shares = max(max(v for name, v in each.measures.items() if name not in UNITS) for _, f in stages for each in f)
    side = float(np.clip(0.42 * count, 1.0, 3.0))
    with _drawing() as (figure, axes):
        axes.remove()
        height = float(np.clip(0.28 * layers, 0.8, 3.0)) + 0.5
        figure.set_size_inches((side + 0.35) * len(names) + 0.6, height * len(stages) + 0.9)
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
        figure.suptitle(f"{heads.name}: {heads.texts:,} {heads.what}", fontsize=9)
        return saved(figure, kind)


def ablation_picture(ablation: "Ablation", kind: str = ".svg") -> bytes:
    """How much the loss rises without each head, with its interval, and the line of no difference."""
    with _drawing(height=1.2 + 0.28 * len(ablation.heads)) as (figure, axes):
        for at, head in enumerate(ablation.heads):
            shown = head.verdict != "no difference shown"
            if head.interval is not None:
                axes.plot(head.interval, [at, at], color=_INK, linewidth=1.4, marker="|", markersize=5)
            fill = PALETTE[0] if shown else "none"
            axes.plot(head.difference, at, "o", color=PALETTE[0], markerfacecolor=fill, markersize=6, zorder=3)
        axes.axvline(0, color=_INK, linewidth=1, linestyle=(0, (4, 3)))
        names = [f"layer {head.layer} head {head.head}" for head in ablation.heads]
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlabel("nats more without the head (filled: a difference is shown)")
        figure.suptitle(f"{ablation.name}: {ablation.texts:,} {ablation.what}", fontsize=9)
        return saved(figure, kind)


def _table(facts: "Sequence[HeadFacts]", name: str, layers: int, heads: int) -> NDArray[np.float64]:
    values = [each.measures.get(name, np.nan) for each in facts]
    return np.array(values, dtype=np.float64).reshape(layers, heads)


def _draw(axes: Any, table: NDArray[np.float64], top: float) -> None:
    from matplotlib.colors import ListedColormap

    layers, heads = table.shape
    if np.isnan(table).all():
        axes.set_axis_off()
        return
    axes.imshow(table, cmap=ListedColormap(ramp()), vmin=0, vmax=top, interpolation="none", aspect="auto")
    if table.size <= WRITTEN:
        for (layer, head), value in np.ndenumerate(table):
            ink = "#ffffff" if value / top > _DARK else "#10131a"
            axes.text(head, layer, f"{value:.2f}", ha="center", va="center", fontsize=7, color=ink)
    axes.set_xticks(range(heads) if heads <= 8 else range(0, heads, 4))
    axes.set_yticks(range(layers) if layers <= 12 else range(0, layers, 4))
    axes.tick_params(length=0, labelsize=7)
