import pytest

from oratory.reports.terminal import parts_of, point, print_tables
from oratory.tables import Table


def test_markup_in_a_text_is_printed_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    print_tables([Table("[b]title", ("[i]a", "n"), (("[red]x[/red] :smile:", "1"),), note="[/]")], "[u]heading")
    shown = capsys.readouterr().out
    for text in ("[b]title", "[i]a", "[red]x[/red] :smile:", "[/]", "[u]heading"):
        assert text in shown


WIDE = Table(
    "Verdicts",
    ("variant", "verdict", "accuracy, %", "95% interval", "difference", "95% interval", "wins", "p"),
    (
        ("position=learned layers=3", "baseline", "71.7", "44.5 to 98.8", "", "", "", ""),
        ("position=rope", "no difference shown (2.6 points)", "162", "55.1 to 88", "+1,234", "-11 to +11", "1/3", ".5"),
    ),
    words=2,
)


@pytest.mark.parametrize("width", [10, 30, 60, 80, 99, 120, 140, 400])
def test_no_cell_is_cut_and_no_line_is_too_long(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    print_tables([WIDE])
    printed = capsys.readouterr().out
    for cell in (cell for row in WIDE.rows for cell in row[2:]):
        assert cell in printed
    assert {"position=rope", "difference", "points)"} <= set(printed.split())
    assert "…" not in printed
    if width >= 60:
        assert max(map(len, printed.splitlines())) <= width


def test_parts_begin_with_the_first_column_and_the_verdict_comes_first() -> None:
    first, second, *_ = parts_of(WIDE, 80)
    assert first.columns[:3] == ("variant", "verdict", "accuracy, %")
    assert second.columns[0] == "variant"
    assert (first.words, second.words) == (2, 1)
    assert parts_of(WIDE, 400) == [WIDE]


def test_a_title_is_wider_than_its_table_and_stands_above_the_first_part_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    title = "A text that is longer than the table of its two words"
    print_tables([Table(title, ("a", "b"), (("1", "2"),)), WIDE])
    lines = capsys.readouterr().out.splitlines()
    assert title in lines
    assert [line.strip() for line in lines].count("Verdicts") == 1


def test_colours_only_on_a_terminal_that_wants_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rich.console import Console

    from oratory.reports import terminal

    table = Table("Checks", ("check", "result"), (("a", "passed"), ("b", "failed")), words=2, shades=(0.1, 0.9))
    print_tables([table])
    assert "\x1b[" not in capsys.readouterr().out
    monkeypatch.setattr(terminal, "Console", lambda **options: Console(force_terminal=True, width=80, **options))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    print_tables([table])
    coloured = capsys.readouterr().out
    assert "\x1b[32mpassed" in coloured
    assert "48;" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    print_tables([table])
    assert "[32m" not in capsys.readouterr().out


def test_a_sentence_wraps_between_words_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "Of the lines of the test texts, 13 of 397 are in the training text; the most are in madison."
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert point(sentence) == f"- {sentence}"
    monkeypatch.setenv("FORCE_COLOR", "1")  # As if it were a terminal.
    monkeypatch.setenv("COLUMNS", "40")
    lines = point(sentence).splitlines()
    assert " ".join(line[2:] for line in lines) == sentence
    assert max(map(len, lines)) <= 40
