import pytest

from oratory.tables import Table, no_formula, number, percent


def test_cells_are_escaped() -> None:
    html = Table("<b>", ("a&b", "n"), (("<script>alert(1)</script>", "1"),), note='"x" <y>').html()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "<caption>&lt;b&gt;</caption>" in html
    assert html.count("text-align:right") == 2


def test_figures() -> None:
    assert (number(1234567), number(3.14159, 2), number(None)) == ("1,234,567", "3.14", "–")
    assert (percent(0.5), percent(None)) == ("50.0", "–")


@pytest.mark.parametrize("text", ["=1+1", "@x", "+cmd|x", "-x", "\t=1", " =1", "-1+cmd|' /C calc'!A0", "+f(1)"])
def test_what_a_spreadsheet_would_compute_is_text(text: str) -> None:
    assert no_formula(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=b", "-1.5", "+0.3", "-0.3 to 0.5", "-12.5%", "1,234", "–", "-"])
def test_figures_stay_figures(text: str) -> None:
    assert no_formula(text) == text


def test_a_huge_number_has_no_hundred_digits() -> None:
    assert number(1234.56, 1) == "1,234.6"
    assert number(10.0**130, 1) == "1.0e+130"
    assert number(float("inf"), 1) == "inf"
    assert number(None) == "–"
