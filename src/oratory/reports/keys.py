"""Attention by hand as a picture: keys and query, the weights, and the weight against the length of the query."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.files import write_bytes
from oratory.inspect import Solution
from oratory.reports import canvas
from oratory.reports.canvas import INK, PALETTE
from oratory.reports.ramp import colormap

Array = NDArray[np.float64]

WANTED, OTHER, NEW = PALETTE[0], PALETTE[1], PALETTE[2]
KINDS = (".svg", ".png", ".pdf")
NAMED = 30
"""Up to this number of keys, each has its number in the picture."""


def picture(solution: Solution, kind: str = ".svg") -> bytes:
    """The picture of a solution as a file of this kind: .svg, .png or .pdf."""
    with canvas.style():
        figure = canvas.sheet(9.6, 3.4)
        left, middle, right = figure.subplots(1, 3, width_ratios=(1.2, 1.0, 1.0))
        _draw_keys(left, solution)
        if solution.identity:
            _draw_matrix(figure, middle, solution)
        else:
            _draw_weights(middle, solution)
        _draw_curve(right, solution)
        return canvas.save(figure, kind, dpi=200)


def kind_of(path: Path) -> str:
    """The kind of picture that the name of a file asks for."""
    return canvas.kind_of(path, KINDS)


def write_picture(solution: Solution, path: Path) -> None:
    """Write the picture; the ending of the name decides its kind."""
    write_bytes(path, picture(solution, kind_of(path)))


def _draw_keys(axes: Any, solution: Solution) -> None:
    """The keys, seen in two directions: along the query, and across it where they differ most."""
    keys = np.array(solution.keys)
    names = ("along the query", "across it") if not solution.identity else ("first main direction", "second")
    plane = _plane(keys, None if solution.identity else np.array(solution.query))
    if not solution.identity and not np.any(solution.query):
        names = ("first main direction", "second")
    spots = keys @ plane
    wanted = np.ones(len(keys), bool) if solution.identity else np.array(solution.answers[0].wanted) > 0
    reach = float(np.abs(spots).max()) or 1.0
    for query in solution.queries:
        tip = np.array(query) @ plane
        size = float(np.linalg.norm(query))
        if size:
            # Only the direction of a query matters here; its length is in the other panels.
            end = tip / size * reach * 1.15
            axes.plot(*end, alpha=0)
            axes.annotate("", end, (0, 0), arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.2})
    if solution.old_key is not None:
        old = np.array(solution.old_key) @ plane
        axes.plot(*old, "o", color=NEW, fillstyle="none")
        axes.annotate("", spots[solution.replaced], old, arrowprops={"arrowstyle": "->", "color": NEW})
    for index, (x, y) in enumerate(spots):
        color = NEW if index == solution.replaced else WANTED if wanted[index] else OTHER
        axes.plot(x, y, "o" if wanted[index] else "s", color=color, markersize=7)
        if len(spots) <= NAMED:
            axes.annotate(str(index), (x, y), (5, 5), textcoords="offset points")
    axes.plot(0, 0, "+", color=INK)
    axes.margins(0.12)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    axes.set_title("keys and query" if not solution.identity else "keys and queries")


def _plane(keys: Array, query: Array | None) -> Array:
    """Two unit vectors as columns: along the query, and at a right angle to it where the keys differ most."""
    size = keys.shape[1]
    if size == 1:
        return np.array([[1.0, 0.0]])
    spread = keys - keys.mean(0)
    if query is None or not query.any():
        return np.asarray(np.linalg.svd(spread)[2][:2].T)
    along = query / np.linalg.norm(query)
    rest = np.linalg.svd(spread - np.outer(spread @ along, along))[2]
    # Where the keys differ only along the query, the first direction may be the query itself.
    across = next(row for row in rest if abs(row @ along) < 0.7)
    across = across - (across @ along) * along
    return np.stack([along, across / np.linalg.norm(across)], axis=1)


def _draw_weights(axes: Any, solution: Solution) -> None:
    """A bar for each weight, and a line at the weight that was wanted."""
    answer = solution.answers[0]
    for index, (weight, wanted) in enumerate(zip(answer.weights, answer.wanted, strict=True)):
        color = NEW if index == solution.replaced else WANTED if wanted else OTHER
        axes.bar(index, weight, 0.7, color=color)
        axes.plot([index - 0.45, index + 0.45], [wanted, wanted], color=INK, linewidth=1.2)
        if len(answer.weights) <= 8:
            above = max(weight, wanted) + 0.02
            axes.text(index, above, f"{weight:.3f}", ha="center", va="bottom", fontsize=9)
    if len(answer.weights) <= NAMED:
        axes.set_xticks(range(len(answer.weights)))
    axes.set_ylim(0, 1.1)
    axes.set_xlabel("key")
    axes.set_title("weights (line: wanted)")


def _draw_matrix(figure: Any, axes: Any, solution: Solution) -> None:
    """The weights of all queries, one row for each."""
    image = axes.imshow(np.array(solution.weights), cmap=colormap(), vmin=0, vmax=1)
    figure.colorbar(image, ax=axes, shrink=0.8)
    if len(solution.keys) <= NAMED:
        axes.set_xticks(range(len(solution.keys)))
        axes.set_yticks(range(len(solution.keys)))
    axes.set_xlabel("key")
    axes.set_ylabel("query")
    axes.set_title("weights")


def _draw_curve(axes: Any, solution: Solution) -> None:
    """The weight of the wanted keys, for the query where it is smallest, against the length of the query."""
    points = list(zip(*(answer.curve for answer in solution.answers), strict=True))
    times = [row[0].times for row in points]
    axes.plot(times, [min(point.wanted for point in row) for row in points], "o-", color=WANTED, markersize=4)
    axes.axvline(1, color=INK, linewidth=0.8, linestyle=":")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}" if value >= 1 else f"1/{1 / value:.0f}")
    axes.set_ylim(0, 1.1)
    axes.set_xlabel("times this query")
    axes.set_title("weight in the worst row" if solution.identity else "weight of the wanted keys")
