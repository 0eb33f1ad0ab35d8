"""The plot: for each work, how long everyone took, with the base as one."""

from pathlib import Path

from oratory.bench.result import Bench
from oratory.bench.work import LIMIT
from oratory.files import write_bytes
from oratory.reports.canvas import BAR, INK, PALETTE, kind_of, save, sheet, style, wrapped

KINDS = (".svg", ".png", ".pdf")


def check_plot(path: Path) -> None:
    """Refuse the name of a file that cannot be drawn, before anything is timed."""
    kind_of(path, KINDS)


def write_plot(found: Bench, path: Path) -> None:
    """Draw the ratios of medians into a file."""
    kind = kind_of(path, KINDS)
    heights = [len(work.measured) + 1.6 for work in found.works]
    with style():
        figure = sheet(7.2, 0.27 * sum(heights) + 0.3)
        panels = figure.subplots(len(found.works), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, work in zip(panels, found.works, strict=True):
            for at, name in enumerate(work.measured):
                colour = PALETTE[0] if name == work.base else "#999999" if name == LIMIT else PALETTE[1]
                axes.barh(at, work.ratio(name), color=colour, alpha=BAR)
                # On white, so that the line of the base does not cross a figure.
                box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
                beside = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "fontsize": 8, "bbox": box}
                axes.annotate(f"{work.ratio(name):.2f}", (work.ratio(name), at), **beside)
            axes.axvline(1, color=INK, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
            axes.set_yticks(range(len(work.measured)), [wrapped(name, 34) for name in work.measured], fontsize=8)
            axes.invert_yaxis()
            axes.set_title(wrapped(work.title, 90), loc="left", fontsize=9)
        panels[-1].set_xlabel(f"median time, {found.works[0].base} = 1" if found.works else "")
        write_bytes(path, save(figure, kind))
