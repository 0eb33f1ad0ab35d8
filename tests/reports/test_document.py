import pytest

from oratory.pictures import Differences, Drawn, Mark, Topic
from oratory.reports import Document, Figure, Section, draw, section_of, slug
from oratory.tables import Table


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Accuracy on test in % (95% interval)", "accuracy-on-test-in-95-interval"),
        ("../../etc/passwd", "etc-passwd"),
        ("Überraschung é", "uberraschung-e"),
        ("Кириллица", "table"),
        ("", "table"),
        ("a" * 200, "a" * 60),
        ("CON: a\\b\0c", "con-a-b-c"),
    ],
)
def test_a_slug_is_safe_anywhere(text: str, name: str) -> None:
    assert slug(text, "table") == name


def test_no_two_figures_have_one_name() -> None:
    first = Section(
        "one", figures=[Figure("a b", "<svg/>", ""), Figure("a-b", "<svg/>", ""), Figure("A b 2", "<svg/>", "")]
    )
    document = Document(
        "", "", [first, Section("two", figures=[Figure("a b", "<svg/>", ""), Figure("??", "<svg/>", "")])]
    )
    assert [figure.name for figure in document.figures] == ["a-b", "a-b-2", "a-b-2-2", "a-b-3", "figure"]
    assert Document("", "", document.sections) == document


def test_no_two_tables_have_one_name() -> None:
    tables = [Table(title, ("a",), ()) for title in ("T 1", "t-1", "語")]
    assert list(Document("", "", [Section("", tables=tables)]).tables) == ["t-1", "t-1-2", "table"]


def test_a_topic_becomes_a_section_when_its_pictures_are_drawn() -> None:
    picture, table = Differences({"a": Mark(1.0)}, "points"), Table("t", ("a",), ())
    topic = Topic("Title", "Lead.", ["One.", "Two."], [Drawn("name", picture, "Caption.")], [table], "code")
    figures = [Figure("name", draw(picture), "Caption.")]
    assert section_of(topic) == Section("Title", "Lead.", ["One.", "Two."], figures, [table], "code")
    assert section_of(Topic("Title")) == Section("Title", figures=[])
