import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest

from oratory.errors import InputError
from oratory.reports import Document, Section, write, write_all
from oratory.tables import Table
from tests.reports.samples import HOSTILE, hostile


def relative(paths: tuple[Path, ...], folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in paths]


def test_a_name_says_what_to_write(tmp_path: Path) -> None:
    document = hostile()
    assert relative(write(document, tmp_path / "a.html"), tmp_path) == ["a.html"]
    assert relative(write(document, tmp_path / "a.PDF"), tmp_path) == ["a.PDF"]
    drawn = ["a-figures/same-name.svg", "a-figures/same-name-2.svg"]
    assert relative(write(document, tmp_path / "a.md"), tmp_path) == ["a.md", *drawn]
    drawn = [name.replace(".svg", ".pdf") for name in drawn]
    assert relative(write(document, tmp_path / "a.tex"), tmp_path) == ["a.tex", *drawn]
    for path in tmp_path.rglob("*.*"):
        assert path.read_bytes().startswith(b"%PDF-") == (path.suffix.lower() == ".pdf")


@pytest.mark.parametrize("ending", [".md", ".tex"])
def test_a_second_report_leaves_the_pictures_of_the_first_alone(ending: str, tmp_path: Path) -> None:
    names = ["a", "b", "my report", "my-report", "MY REPORT"]
    files = [write(hostile(), tmp_path / f"{name}{ending}") for name in names]
    assert len({path for written in files for path in written}) == sum(map(len, files))
    for main, *pictures in files:
        for picture in pictures:
            assert picture.relative_to(tmp_path).as_posix() in main.read_text()


@pytest.mark.parametrize("name", ["report.docx", "report", "report.htm"])
def test_another_name_is_refused_with_those_that_are_known(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"should end in \.html, \.pdf, \.md, \.tex or \.csv\.$"):
        write(hostile(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_everything_in_one_folder_and_again_the_same(tmp_path: Path) -> None:
    one, two = (write_all(hostile(), tmp_path / name) for name in ("one", "two"))
    names = relative(one, tmp_path / "one")
    assert names[0] == "report.html"
    assert {"report.pdf", "report.md", "report.tex"} <= set(names)
    assert {"report-figures/same-name.svg", "report-figures/same-name.pdf"} <= set(names)
    assert sum(name.startswith("tables/") for name in names) == 2
    assert names == relative(two, tmp_path / "two")
    for first, second in zip(one, two, strict=True):
        assert first.read_bytes() == second.read_bytes(), first.name
    assert {path for path in (tmp_path / "one").rglob("*.*") if path.is_file()} == set(one)


def test_pictures_in_files_stand_on_white_paper(tmp_path: Path) -> None:
    _, first, _ = write(hostile(), tmp_path / "a.md")
    root = ElementTree.parse(first).getroot()
    assert root.get("role") == "img"
    assert root.get("aria-label") == HOSTILE
    assert root[0].attrib == {"width": "100%", "height": "100%", "fill": "#ffffff"}
    assert root.get("color")
    assert HOSTILE in {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}


def test_one_table_is_one_csv_and_figures_are_for_programs(tmp_path: Path) -> None:
    rows = (("1,234", "1,234.5", "84.1 (80.2–87.9)"), ('a "b", c\n', "−3", "–"), ("=1+1", "1,2", "+12,345,678.9"))
    document = Document("", "", [Section("", tables=[Table("t", ("name", "x", "y"), rows)])])
    assert write(document, tmp_path / "t.csv") == (tmp_path / "t.csv",)
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [
            ["name", "x", "y"],
            ["1,234", "1234.5", "84.1 (80.2–87.9)"],
            ['a "b", c\n', "-3", ""],
            ["'=1+1", "1,2", "+12345678.9"],
        ]


def test_a_carriage_return_begins_no_row(tmp_path: Path) -> None:
    table = Table("t", ("name", "n"), (("a\r=1+1", "1"), ("\r-->", "2"), ("b\r\n+x", "3")))
    write(Document("", "", [Section("", tables=[table])]), tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        assert [row[0] for row in csv.reader(file)] == ["name", "a\n=1+1", "'\n-->", "b\n\n+x"]


def test_the_first_table_has_the_name_and_the_others_stand_beside_it(tmp_path: Path) -> None:
    tables = [Table(title, ("a",), (("1",),)) for title in ("Verdicts", "Seen, unseen")]
    written = write(Document("", "", [Section("", tables=tables)]), tmp_path / "report.csv")
    assert relative(written, tmp_path) == ["report.csv", "report-seen-unseen.csv"]


def test_no_table_makes_no_csv(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no table"):
        write(Document("", "", []), tmp_path / "report.csv")


def test_a_name_that_is_no_text_is_still_written(tmp_path: Path) -> None:
    broken = Document("folder \udcff", "", [Section("s", sentences=["\udcff"], code="\udcff")])
    for path in write_all(broken, tmp_path):
        assert path.stat().st_size


def test_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_all(hostile(), tmp_path / "file" / "out")
