from oratory.tables import Table, number, percent


def test_cells_are_escaped() -> None:
    html = Table("<b>", ("a&b", "n"), (("<script>alert(1)</script>", "1"),), note='"x" <y>').html()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "<caption>&lt;b&gt;</caption>" in html
    assert html.count("text-align:right") == 2


def test_figures() -> None:
    assert (number(1234567), number(3.14159, 2), number(None)) == ("1,234,567", "3.14", "–")
    assert (percent(0.5), percent(None)) == ("50.0", "–")
