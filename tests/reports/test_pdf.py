import re
import shutil
import subprocess
from pathlib import Path

import pytest

from oratory.reports import Document, Figure, Section, pdf
from oratory.tables import Table
from tests.reports.samples import HOSTILE, hostile


def reads(document: Document, tmp_path: Path, *options: str) -> str:
    """The text of the pages, as poppler reads it."""
    if shutil.which("pdftotext") is None:
        pytest.skip("there is no pdftotext to read pages with")
    (tmp_path / "read.pdf").write_bytes(pdf.render(document))
    done = subprocess.run(["pdftotext", *options, str(tmp_path / "read.pdf"), "-"], capture_output=True, check=True)
    return done.stdout.decode()


def fonts(path: Path) -> str:
    if shutil.which("pdffonts") is None:
        pytest.skip("there is no pdffonts to read the fonts with")
    return subprocess.run(["pdffonts", path], capture_output=True, check=True).stdout.decode()


def squeezed(text: str) -> str:
    """Without white space, which line breaks change, and without the marks where words may break."""
    return re.sub(r"[\s\u200b]", "", text)


def ink(tmp_path: Path, document: Document) -> list[bytes]:
    """Each page as grey pixels, 595 x 842."""
    if shutil.which("pdftoppm") is None:
        pytest.skip("there is no pdftoppm to look at pages with")
    (tmp_path / "look.pdf").write_bytes(pdf.render(document))
    command = ["pdftoppm", "-gray", "-r", "72", str(tmp_path / "look.pdf"), str(tmp_path / "page")]
    subprocess.run(command, check=True, capture_output=True)
    pages = []
    for path in sorted(tmp_path.glob("page-*.pgm")):
        _, size, _, pixels = path.read_bytes().split(b"\n", 3)
        assert [int(side) for side in size.split()] in ([595, 842], [596, 842])
        pages.append(pixels)
        path.unlink()
    return pages


def test_texts_are_data_and_never_markup(tmp_path: Path) -> None:
    shown = squeezed(reads(hostile(), tmp_path))
    # Title, lead, heading, lead, sentence, caption, footer; of each of two tables title, column, cell and note.
    assert shown.count(squeezed(HOSTILE)) >= 15
    assert squeezed("    --seeds 10 \\end{verbatim} ``` <b>") in shown


def test_letters_of_europe_and_its_neighbours_are_there(tmp_path: Path) -> None:
    text = "Ελληνικά Кириллица žluťoučký – — − × ≤ → “quotes” ½ Հայերեն ქართული"
    section = Section(text, sentences=[text], tables=[Table(text, (text,), ((text,),))], code=text)
    document = Document(text, text, [section], text)
    assert squeezed(reads(document, tmp_path)).count(squeezed(text)) >= 7
    assert "LastResort" not in fonts(tmp_path / "read.pdf")


def test_pictures_have_the_font_that_they_were_measured_with(tmp_path: Path) -> None:
    (tmp_path / "picture.pdf").write_bytes(pdf.picture(hostile().figures[0]))
    assert re.findall(r"\+(\S+)", fonts(tmp_path / "picture.pdf")) == ["DejaVuSans"]


def test_the_same_document_makes_the_same_bytes() -> None:
    document = hostile()
    made = pdf.render(document)
    assert made == pdf.render(document)
    assert b"CreationDate" not in made
    assert pdf.picture(document.figures[0]) == pdf.picture(document.figures[0])


def test_a_long_table_repeats_its_head_and_pages_are_numbered(tmp_path: Path) -> None:
    rows = tuple((f"row {at}", str(at)) for at in range(150))
    shown = reads(Document("T", "", [Section("s", tables=[Table("t", ("Heading", "n"), rows)])]), tmp_path)
    pages = shown.split("\f")[:-1]
    assert len(pages) >= 2
    for number, page in enumerate(pages, 1):
        assert page.count("Heading") == 1
        assert f"{number}/{len(pages)}" in squeezed(page)


def test_figures_are_to_the_right(tmp_path: Path) -> None:
    rows = (("a", "1.0"), ("a longer one", "1,234.0"))
    document = Document("T", "", [Section("s", tables=[Table("t", ("name", "n"), rows)])])
    boxes = reads(document, tmp_path, "-bbox")
    found = {
        word: (float(left), float(right))
        for left, right, word in re.findall(r'xMin="([\d.]+)" .*?xMax="([\d.]+)" .*?>([^<]+)</word>', boxes)
    }
    assert found["1.0"][1] == pytest.approx(found["1,234.0"][1], abs=0.2)
    assert found["1.0"][0] > found["1,234.0"][0] + 5
    assert found["name"][0] == pytest.approx(found["a"][0], abs=0.2)


@pytest.mark.parametrize("columns", [3, 12, 60])
def test_no_table_is_cut(columns: int, tmp_path: Path) -> None:
    heads = tuple(f"c{at}" for at in range(columns))
    rows = (("speaker " * 10, *(f"{at:03}.25 (80.2–87.9)" for at in range(columns))), ("w" * 200, *heads))
    document = Document("T", "", [Section("s", tables=[Table("t", ("name", *heads), rows, note="n")])])
    shown = squeezed(reads(document, tmp_path))
    for at in range(columns):
        assert f"{at:03}.25(80.2–87.9)" in shown
    for page in ink(tmp_path, document):
        width = len(page) // 842
        margin = [
            page[row * width + column] for row in range(842) for column in (*range(50), *range(width - 50, width))
        ]
        assert min(margin) > 200, "something stands in the margin"


def test_a_picture_is_in_black_and_as_large_as_it_was_drawn(tmp_path: Path) -> None:
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="80">'
    svg = f'{head}<rect width="100" height="80" fill="currentColor"/></svg>'
    [page] = ink(tmp_path, Document("", "", [Section("", figures=[Figure("f", svg, "")])]))
    assert 0.9 < sum(pixel < 20 for pixel in page) / (75 * 60) < 1.1


def test_a_picture_taller_than_a_page_is_made_to_fit(tmp_path: Path) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="9000"><rect width="900" height="9000"/></svg>'
    pages = ink(tmp_path, Document("", "", [Section("", figures=[Figure("f", svg, "below")])]))
    width = len(pages[-1]) // 842
    rows = [pages[-1][row * width : (row + 1) * width] for row in range(842)]
    dark = [sum(pixel < 20 for pixel in row) for row in rows]
    assert sum(count > 50 for count in dark) == pytest.approx(230 / 25.4 * 72, abs=3)
    assert max(dark) == pytest.approx(23 / 25.4 * 72, abs=3)


def test_an_empty_document_is_a_page() -> None:
    assert pdf.render(Document("", "", [Section("")])).startswith(b"%PDF-")


def test_pages_are_filled(tmp_path: Path) -> None:
    drawn = (
        '<svg width="460pt" height="260pt" xmlns="http://www.w3.org/2000/svg"><rect width="460" height="260"/></svg>'
    )
    table = Table("Figures", ("text", "value"), tuple((f"text {at}", str(at)) for at in range(7)))
    sections = [
        Section(
            f"Section {at}", "A lead. " * 20, ["One sentence."] * at, [Figure(f"f{at}", drawn, "Caption.")], [table]
        )
        for at in range(1, 9)
    ]
    pages = ink(tmp_path, Document("T", "", sections))
    assert len(pages) < len(sections)  # A picture and a table for each would take a page if it began one.
    for pixels in pages[:-1]:
        wide = len(pixels) // 842
        lowest = max(row for row in range(780) if min(pixels[row * wide : (row + 1) * wide]) < 128)
        assert lowest > 0.7 * 780


def test_a_long_and_narrow_table_stands_side_by_side(tmp_path: Path) -> None:
    rows = tuple((f"setting{at}", str(at)) for at in range(60))
    shown = reads(
        Document("T", "", [Section("s", tables=[Table("t", ("setting", "value"), rows)])]), tmp_path, "-layout"
    )
    assert shown.count("\f") == 1
    assert any("setting0 " in line and "setting20 " in line and "setting40 " in line for line in shown.splitlines())
