"""The plot of a study of scale: a crossing is drawn, and its words stay inside the picture."""

import pytest

from oratory.pictures import Mark, SizeCurves
from oratory.reports.canvas import style
from oratory.reports.drawers import draw, figure_of

SIZES = [100.0, 400.0, 1600.0]


def curves(at: float) -> SizeCurves:
    return SizeCurves(
        variants={"base": (SIZES, [Mark(2.4, (2.2, 2.6)), Mark(0.8, (0.6, 1.0)), Mark(0.5, (0.4, 0.6))])},
        baselines={"(kneser-ney)": (SIZES, [1.05, 0.81, 0.72])},
        lines={},
        xlabel="words to learn from",
        ylabel="bits per byte",
        log=True,
        crossings={f"{at:.0f}: base overtakes kneser-ney": (at, (0.9 * at, 1.1 * at))},
    )


@pytest.mark.parametrize("at", [110.0, 390.0, 1500.0])
def test_a_crossing_has_a_line_a_band_and_words_inside(at: float) -> None:
    assert "overtakes" in draw(curves(at))
    with style():
        figure = figure_of(curves(at))
        figure.draw_without_rendering()
        [axes] = figure.axes
        [words] = [text for text in axes.texts if "overtakes" in text.get_text()]
        inside, box = axes.get_window_extent(), words.get_window_extent()
    assert inside.x0 <= box.x0
    assert box.x1 <= inside.x1
    assert any(list(line.get_xdata()) == [at, at] for line in axes.lines)
