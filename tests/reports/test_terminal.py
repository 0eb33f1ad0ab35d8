import pytest

from oratory.reports.terminal import print_tables
from oratory.tables import Table


def test_markup_in_a_text_is_printed_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    print_tables([Table("[b]title", ("[i]a", "n"), (("[red]x[/red] :smile:", "1"),), note="[/]")], "[u]heading")
    shown = capsys.readouterr().out
    for text in ("[b]title", "[i]a", "[red]x[/red] :smile:", "[/]", "[u]heading"):
        assert text in shown
