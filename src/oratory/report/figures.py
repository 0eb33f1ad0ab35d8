"""Pictures as vector graphics, drawn from facts.

Colours are those of Okabe and Ito, which colour-blind people can tell apart. Text stays text, and takes the colour of
the page around it, so that one picture serves on light and on dark paper.
"""

import io
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from oratory.baselines import Baselines

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
_INK = "#010203"
"""Stands for the colour of the page's text, until the picture is written."""

_BAR = 0.75
"""Bars let some of the paper through, so that lines upon them can be seen, be they light or dark."""

_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "oratory",
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": _INK,
    "text.parse_math": False,  # A dollar sign in a name is a dollar sign.
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}


def accuracy(facts: Baselines) -> str:
    """Accuracy of each classifier on all, seen and unseen test items, with intervals."""
    with _drawing() as (figure, axes):
        groups = [("all", facts.test), ("seen", facts.seen), ("unseen", facts.test - facts.seen)]
        groups = [(name, items) for name, items in groups if items]
        width = 0.8 / len(facts.classifier)
        bars: dict[str, Any] = {}
        for at, (name, scores) in enumerate(facts.classifier.items()):
            for place, (group, _) in enumerate(groups):
                share = getattr(scores, group)
                x, value, (low, high) = place + (at - 1) * width, share.value, share.interval
                bars[name] = axes.bar(x, 100 * value, 0.9 * width, color=PALETTE[at], alpha=_BAR)
                spread = [[100 * (value - low)], [100 * (high - value)]]
                axes.errorbar(x, 100 * value, yerr=spread, color=_INK, linewidth=1, capsize=2)
        axes.set_xticks(range(len(groups)), [f"{name} ({items:,})" for name, items in groups])
        axes.set_ylabel("accuracy on test, %")
        axes.set_ylim(0, 105)
        _legend(axes, list(bars.values()), list(bars))
        return _svg(figure)


def perplexity(facts: Baselines, texts: Sequence[str]) -> str:
    """Perplexity of test texts against the order of the n-gram model."""
    with _drawing() as (figure, axes):
        models = list(facts.lm.values())
        lines: list[Any] = []
        for at, text in enumerate(texts):
            values = [model.texts[text].perplexity for model in models]
            lines += axes.plot([model.order for model in models], values, "o-", color=PALETTE[at % len(PALETTE)])
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.yaxis.set_minor_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_xticks([model.order for model in models])
        axes.set_xlabel("words in an n-gram (Kneser-Ney)")
        axes.set_ylabel("perplexity")
        _legend(axes, lines, texts)
        return _svg(figure)


@contextmanager
def _drawing(width: float = 6.4, height: float = 3.4) -> Iterator[tuple[Any, Any]]:
    """A figure, in inches, and its axes in our style; nothing global is left changed."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # Text stays text: a letter that the font here has not will be drawn with one that the reader has.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, figure.add_subplot()


def _legend(axes: Any, handles: Sequence[Any], labels: Sequence[str]) -> None:
    # Handed over one by one, since labels with an underscore in front would be left out.
    wrapped = [_lines(label, 40) for label in labels]
    longest = max((len(line) for label in wrapped for line in label.split("\n")), default=1)
    columns = max(1, min(4, 80 // (longest + 7)))
    axes.legend(handles, wrapped, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns)


def _lines(name: str, width: int) -> str:
    """A name in at most three lines, lest a long one leave no room for the picture."""
    return "\n".join(textwrap.wrap(name, width, max_lines=3, placeholder=" …", break_on_hyphens=False))


def _svg(figure: Any) -> str:
    """The picture as an element for a page."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return element(buffer.getvalue())


def element(file: str) -> str:
    """A file that was drawn here, as an element for a page."""
    drawn = file[file.index("<svg") :]
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL)
    # A style element would hold for the whole page around the picture; what it says can be inherited as well.
    drawn = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", drawn, count=1, flags=re.DOTALL)
    drawn = drawn.replace("<svg ", '<svg style="stroke-linejoin: round; stroke-linecap: butt" ', 1)
    # Control characters can stand in a text, but not in XML.
    drawn = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", drawn)
    return drawn.replace(_INK, "currentColor").rstrip()
