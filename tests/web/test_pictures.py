"""Pictures without a style attribute."""

import re

from oratory.pictures import Curves
from oratory.reports.document import Figure
from oratory.reports.drawers import draw
from oratory.web.pictures import on_page


def test_styles_become_attributes_and_texts_stay() -> None:
    said = 'a <b> style="fill: red" "quoted"'
    drawn = draw(Curves({said: ([0.0, 1.0], [[1.0, 2.0]])}, "x", "y"))
    page = on_page(Figure("name", drawn, 'a "caption"'))
    # Within tags there is no style; the text about one is still a text.
    assert not [tag for tag in re.findall(r"<[^<>]*>", page) if " style=" in tag]
    assert "a &lt;b&gt; style=" in page
    assert 'fill="none"' in page
    assert re.search(r'font-size="1?\dpx"', page)
    assert re.search(r"font-family=", page)
    width = re.search(r'<svg[^>]* width="([\d.]+)rem"', page)
    assert width
    assert 30 < float(width[1]) < 50
