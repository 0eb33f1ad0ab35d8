"""Attention maps as pictures: all heads in a grid, one head large, the mean over heads, and rollout.

T tokens; a row of a map is a query, a column is a key.
"""

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.files import write_bytes
from oratory.report.figures import _drawing, _lines, _svg
from oratory.report.keys import _UNDATED
from oratory.report.ramp import ramp
from oratory.report.surprisal import _shown
from oratory.tables import shortened

if TYPE_CHECKING:
    from oratory.inspect import Maps, Stage

Array = NDArray[np.float32]

KINDS = (".png", ".svg", ".pdf", ".html", ".npz")
LABELLED = 64
"""Tokens up to which each has its label."""
LETTERS = 18
"""Letters of a label at the most."""
LARGE, WIDEST, SMALLEST = 6.2, 22.0, 0.9
"""Inches: a map alone, all maps beside each other, and the least for one of many."""
CELLS = {1: 1024, 4: 512, 16: 256}
"""Cells of a map along one side, by how many maps there are; a longer text is drawn in squares of several tokens."""
PADDED = "#8c8c8c"


@dataclass(frozen=True)
class Panel:
    """One map in a picture."""

    title: str
    weights: Array  # T, T


def kind_of(path: Path) -> str:
    """The kind of file that a name asks for."""
    if path.suffix.lower() not in KINDS:
        raise InputError(f"{path} must end in {', '.join(KINDS[:-1])} or {KINDS[-1]}.")
    return path.suffix.lower()


def write_maps(maps: "Maps", path: Path) -> None:
    """Write maps as a picture, as an interactive page, or as arrays of numpy; the name says which."""
    kind = kind_of(path)
    if kind == ".html":
        from oratory.report.maps_html import page

        write_bytes(path, page(maps).encode("utf-8", "replace"))
    else:
        write_bytes(path, maps.npz() if kind == ".npz" else picture(maps, kind))


def picture(maps: "Maps", kind: str = ".svg") -> bytes:
    """The maps as a file of this kind: mean and rollout where they were asked for, else a map for each head.

    Before and after training stand side by side. All maps of a picture share one scale of colours.
    """
    rows = panels(maps)
    columns = max(map(len, rows))
    side = max(SMALLEST, min(LARGE if len(rows) * columns <= 2 else _side(len(maps.tokens)), WIDEST / columns))
    peak, most = scale(maps, [panel.weights for row in rows for panel in row])
    with _drawing() as (figure, axes):
        axes.remove()
        figure.set_size_inches(side * columns + 2.2, (side + 0.3) * len(rows) + 1.6)
        grid = figure.subplots(len(rows), columns, squeeze=False)
        image = None
        for at, row in enumerate(rows):
            for column, panel in enumerate(row):
                image = _draw(grid[at, column], panel, maps, peak, _most(len(rows) * columns))
        _label(grid, maps.tokens, len(maps.tokens) - maps.padding, side)
        figure.colorbar(
            image,
            ax=grid,
            shrink=min(1.0, 3.0 / len(rows)),
            label="weight",
            pad=0.01,
            aspect=30,
            extend="max" if most > peak else "neither",
        )
        said = [f"{maps.name}: {maps.text}", *maps.sentences()]
        said += _reduced(len(maps.tokens), _most(len(rows) * columns))
        wide = int(13 * figure.get_figwidth())
        figure.suptitle("\n".join(_lines(each, wide) for each in said), fontsize=9)
        figure.supxlabel("key", fontsize=9)
        figure.supylabel("query", fontsize=9)
        return saved(figure, kind)


def panels(maps: "Maps") -> list[list[Panel]]:
    """The maps of a picture, row by row."""
    chosen = []
    for stage in maps.stages:
        means = [] if stage.mean is None else zip(maps.layers, stage.mean, strict=True)
        row = [_titled(maps, stage, f"layer {layer}, mean", weights) for layer, weights in means]
        row += [] if stage.rollout is None else [_titled(maps, stage, "rollout", stage.rollout)]
        chosen += [row] if row else []
    return chosen or [
        [
            _titled(maps, stage, f"layer {layer}, head {head}", stage.weights[at, place])
            for stage in maps.stages
            for place, head in enumerate(maps.heads)
        ]
        for at, layer in enumerate(maps.layers)
    ]


def _titled(maps: "Maps", stage: "Stage", title: str, weights: Array) -> Panel:
    return Panel(title if maps.before is None else f"{stage.name}: {title}", weights)


def reduced(weights: Array, size: int, largest: bool = True) -> Array:
    """A map in squares of `size` tokens: the largest weight of each, or their mean."""
    if size == 1:
        return weights
    length = len(weights)
    starts = np.arange(0, length, size)
    if largest:
        tall: Array = np.maximum.reduceat(weights, starts, axis=0)
        return np.maximum.reduceat(tall, starts, axis=1)
    counts = np.diff(starts, append=length).astype(np.float32)
    sums: Array = np.add.reduceat(np.add.reduceat(weights, starts, axis=0), starts, axis=1)
    means: Array = sums / np.outer(counts, counts)
    return means


def scale(maps: "Maps", shown: Sequence[Array]) -> tuple[float, float]:
    """Where the scale of colours ends, and the largest weight.

    All but the largest 0.5% of what queries may see lie within the scale: the first token of a decoder sees itself
    alone, and its weight of one would leave all others pale.
    """
    length = len(maps.tokens) - maps.padding
    step = math.ceil(length / 512)
    seen = maps.rules.seen()[:length:step, :length:step]
    values = np.concatenate([weights[:length:step, :length:step][seen] for weights in shown])
    most = max(float(weights[:length, :length].max()) for weights in shown)
    end = float(np.quantile(values, 0.995)) if len(values) >= 200 else most
    return end or 1.0, most


def saved(figure: Any, kind: str) -> bytes:
    """A drawn figure as a file, always the same for the same figure; without a kind, as an element for a page."""
    if not kind:
        return _svg(figure).encode()
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind.removeprefix("."), dpi=150, metadata=_UNDATED[kind])
    return buffer.getvalue()


def label_of(token: str) -> str:
    """A token as it stands beside a map."""
    shown = _shown(token)
    return shortened(shown, LETTERS)


def _draw(axes: Any, panel: Panel, maps: "Maps", peak: float, most: int) -> Any:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Rectangle

    length = len(panel.weights)
    drawn = reduced(panel.weights, math.ceil(length / most))
    ends = (-0.5, length - 0.5, length - 0.5, -0.5)
    colours = ListedColormap(ramp())
    image = axes.imshow(drawn, cmap=colours, vmin=0, vmax=peak, extent=ends, interpolation="none", aspect="equal")
    if maps.padding:
        real = length - maps.padding
        look: Any = {"facecolor": PADDED, "alpha": 0.35, "hatch": "////", "edgecolor": "#ffffff", "linewidth": 0}
        axes.add_patch(Rectangle((real - 0.5, -0.5), maps.padding, length, **look))
        axes.add_patch(Rectangle((-0.5, real - 0.5), real, maps.padding, **look))
    axes.set_title(panel.title, fontsize=9, pad=3)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_linewidth(0.5)
    return image


def _label(grid: Any, tokens: Sequence[str], real: int, side: float) -> None:
    """Tokens at the left and below; numbers where there are too many, or where there is no room to read them."""
    size = min(9.0, 0.8 * 72 * side / len(tokens))
    named = len(tokens) <= LABELLED and size >= 4
    labels = [label_of(token) for token in tokens]
    for (row, column), axes in np.ndenumerate(grid):
        sides = {axes.xaxis: row == len(grid) - 1, axes.yaxis: column == 0}
        for axis, outside in sides.items():
            if not outside:
                axis.set_ticks([])
            elif named:
                axis.set_ticks(range(len(tokens)), labels, rotation=90 if axis is axes.xaxis else 0)
                axis.set_tick_params(length=0, labelsize=size, pad=2)
                for label in axis.get_ticklabels()[real:]:
                    label.set_color(PADDED)
            else:
                axis.set_tick_params(length=2, labelsize=7, pad=2)


def _side(length: int) -> float:
    """Inches of one map of several: as many as its labels need."""
    return float(np.clip(0.095 * length, 1.6, 4.2)) if length <= LABELLED else 3.0


def _most(count: int) -> int:
    return next((cells for most, cells in CELLS.items() if count <= most), 128)


def _reduced(length: int, most: int) -> list[str]:
    size = math.ceil(length / most)
    return [] if size == 1 else [f"{length:,} tokens: each cell is the largest weight of {size} x {size} tokens."]
