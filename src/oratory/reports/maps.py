"""Attention maps as pictures: all heads in a grid, one head large, the mean over heads, and rollout.

T tokens; a row of a map is a query, a column is a key.
"""

import csv
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
from oratory.reports import canvas
from oratory.reports.ramp import colormap
from oratory.tables import no_formula, shortened

if TYPE_CHECKING:
    from oratory.inspect import Maps, Stage

Array = NDArray[np.float32]

KINDS = (".png", ".svg", ".pdf", ".html", ".csv", ".npz")
ROWS = 5_000_000
"""The most rows of a table of weights."""
LABELLED = 64
"""Up to this number of tokens, each has its label."""
LETTERS = 18
"""The most letters of a label."""
LARGE, WIDEST, SMALLEST = 6.2, 22.0, 0.9
"""Inches: the side of a map alone, the width of all maps of a row, and the smallest side of one of many."""
CELLS = {1: 1024, 4: 512, 16: 256}
"""The most cells along one side, by the number of maps; a longer text is drawn in squares of several tokens."""
PADDED = "#8c8c8c"


@dataclass(frozen=True)
class Panel:
    """One map in a picture."""

    title: str
    weights: Array  # T, T


def kind_of(path: Path) -> str:
    """The kind of file that a name asks for."""
    return canvas.kind_of(path, KINDS)


def write_maps(maps: "Maps", path: Path) -> None:
    """Write maps as a picture, as an interactive page or as numpy arrays; the ending of the name decides."""
    kind = kind_of(path)
    if kind == ".html":
        from oratory.reports.maps_html import page

        write_bytes(path, page(maps).encode("utf-8", "replace"))
    elif kind == ".csv":
        write_bytes(path, table_of(maps).encode("utf-8", "replace"))
    else:
        write_bytes(path, maps.npz() if kind == ".npz" else picture(maps, kind))


def table_of(maps: "Maps") -> str:
    """Every weight as a row of a CSV file; zeros are left out."""
    if sum(stage.weights.size for stage in maps.stages) > ROWS:
        raise InputError(f"A table of these maps would have more than {ROWS:,} rows; choose a layer and a head.")
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(("stage", "layer", "head", "query", "query token", "key", "key token", "weight"))
    tokens = [no_formula(token) for token in maps.tokens]
    for stage in maps.stages:
        for at, place, query, key in np.argwhere(stage.weights).tolist():
            weight = f"{stage.weights[at, place, query, key]:.7g}"
            where = (stage.name, maps.layers[at], maps.heads[place])
            writer.writerow((*where, query, tokens[query], key, tokens[key], weight))
    return made.getvalue()


def picture(maps: "Maps", kind: str = ".svg") -> bytes:
    """The maps as a file of this kind or, without a kind, as an SVG element for a page.

    A picture shows the mean over heads and rollout where they were asked for, and otherwise one map for each head.
    Before and after training are side by side; below each other if there is one layer only. All maps of a picture share
    one colour scale.
    """
    with canvas.style():
        return canvas.save(_figure(maps), kind)


def _figure(maps: "Maps") -> Any:
    rows = panels(maps)
    columns = max(map(len, rows))
    side = max(SMALLEST, min(LARGE if len(rows) * columns <= 2 else _side(len(maps.tokens)), WIDEST / columns))
    cells = _cells(len(rows) * columns)
    peak, most = scale(maps, [panel.weights for row in rows for panel in row])
    figure = canvas.sheet(side * columns + 2.2, (side + 0.3) * len(rows) + 1.6)
    grid = figure.subplots(len(rows), columns, squeeze=False)
    image = None
    for at, row in enumerate(rows):
        for column, panel in enumerate(row):
            image = _draw(grid[at, column], panel, maps.padding, peak, cells)
    _label(grid, maps.tokens, len(maps.tokens) - maps.padding, side)
    longer = "max" if most > peak else "neither"
    shrink = min(1.0, 3.0 / len(rows))
    figure.colorbar(image, ax=grid, shrink=shrink, label="weight", pad=0.01, aspect=30, extend=longer)
    said = [f"{maps.name}: {maps.text}", *maps.sentences(), *_about_squares(len(maps.tokens), cells)]
    wide = int(13 * figure.get_figwidth())
    figure.suptitle("\n".join(canvas.wrapped(each, wide) for each in said), fontsize=9)
    figure.supxlabel("key", fontsize=9)
    figure.supylabel("query", fontsize=9)
    return figure


def panels(maps: "Maps") -> list[list[Panel]]:
    """The maps of a picture, row by row."""
    chosen = []
    for stage in maps.stages:
        means = [] if stage.mean is None else zip(maps.layers, stage.mean, strict=True)
        row = [_titled(maps, stage, f"layer {layer}, mean", weights) for layer, weights in means]
        row += [] if stage.rollout is None else [_titled(maps, stage, "rollout", stage.rollout)]
        chosen += [row] if row else []
    if chosen:
        return chosen
    rows = [
        [
            _titled(maps, stage, f"layer {layer}, head {head}", stage.weights[at, place])
            for place, head in enumerate(maps.heads)
        ]
        for at, layer in enumerate(maps.layers)
        for stage in maps.stages
    ]
    if len(maps.layers) == 1 and len(maps.heads) > 1:
        return rows  # Before above after: each map is larger than with all of them in one row.
    count = len(maps.stages)
    return [[panel for row in rows[at : at + count] for panel in row] for at in range(0, len(rows), count)]


def _titled(maps: "Maps", stage: "Stage", title: str, weights: Array) -> Panel:
    return Panel(title if maps.before is None else f"{stage.name}: {title}", weights)


def reduced(weights: NDArray[Any], size: int, largest: bool = True) -> NDArray[Any]:
    """A map, or a part of one, in squares of `size` tokens: the largest weight of each, or their mean."""
    if size == 1:
        return weights
    if largest:
        return _joined(_joined(weights, size, np.maximum).T, size, np.maximum).T
    counts = [np.diff(np.arange(0, length, size), append=length).astype(np.float32) for length in weights.shape]
    sums = _joined(_joined(weights, size, np.add).T, size, np.add).T
    return np.asarray(sums / np.outer(*counts), np.float32)


def _joined(values: NDArray[Any], size: int, join: np.ufunc) -> NDArray[Any]:
    """Each `size` rows as one. Whole groups are an axis of their own: many times faster than `reduceat`."""
    whole = len(values) // size * size
    found = join.reduce(values[:whole].reshape(-1, size, values.shape[1]), axis=1, dtype=values.dtype)
    rest = join.reduce(values[whole:], axis=0, dtype=values.dtype, keepdims=True) if whole < len(values) else found[:0]
    return np.concatenate([found, rest])


def scale(maps: "Maps", shown: Sequence[Array]) -> tuple[float, float]:
    """Where the colour scale ends, and the largest weight.

    Of the weights that the rules allow, all but the largest 0.5% are within the scale. The first token of a decoder
    sees only itself, and its weight of one would leave all others pale.
    """
    length = len(maps.tokens) - maps.padding
    most = max(float(weights[:length, :length].max()) for weights in shown)
    return scale_end(maps, [thinned(weights[:length, :length]) for weights in shown], most), most


def thinned(weights: NDArray[Any]) -> NDArray[Any]:
    """Some of the weights of a long text, and all of a short one: enough to choose the colours by."""
    step = math.ceil(len(weights) / 512)
    return weights[::step, ::step]


def scale_end(maps: "Maps", shown: Sequence[Array], most: float) -> float:
    """Where the colour scale of thinned maps ends, whose largest weight this is."""
    length = len(maps.tokens) - maps.padding
    seen = thinned(maps.rules.seen()[:length, :length])
    values = np.concatenate([weights[seen] for weights in shown])
    end = float(np.quantile(values, 0.995)) if len(values) >= 200 else most
    return end or 1.0


def label_of(token: str) -> str:
    """The label of a token beside a map."""
    return shortened(canvas.visible(token), LETTERS)


def _draw(axes: Any, panel: Panel, padding: int, peak: float, most: int) -> Any:
    from matplotlib.patches import Rectangle

    length = len(panel.weights)
    drawn = reduced(panel.weights, math.ceil(length / most))
    ends = (-0.5, length - 0.5, length - 0.5, -0.5)
    image = axes.imshow(drawn, cmap=colormap(), vmin=0, vmax=peak, extent=ends, interpolation="none", aspect="equal")
    if padding:
        real = length - padding
        look: Any = {"facecolor": PADDED, "alpha": 0.35, "hatch": "////", "edgecolor": "#ffffff", "linewidth": 0}
        axes.add_patch(Rectangle((real - 0.5, -0.5), padding, length, **look))
        axes.add_patch(Rectangle((-0.5, real - 0.5), real, padding, **look))
    axes.set_title(panel.title, fontsize=9, pad=3)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_linewidth(0.5)
    return image


def _label(grid: Any, tokens: Sequence[str], real: int, side: float) -> None:
    """Label the outer axes with the tokens, or with numbers where the tokens could not be read."""
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
    """The side of one map of several, in inches: as much as its labels need."""
    return float(np.clip(0.095 * length, 1.6, 4.2)) if length <= LABELLED else 3.0


def _cells(count: int) -> int:
    """The most cells along one side, where there are `count` maps."""
    return next((cells for most, cells in CELLS.items() if count <= most), 128)


def _about_squares(length: int, most: int) -> list[str]:
    size = math.ceil(length / most)
    return [] if size == 1 else [f"{length:,} tokens: each cell is the largest weight of {size} x {size} tokens."]
