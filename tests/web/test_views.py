"""What holds for every view."""

from fastapi.testclient import TestClient

from oratory.web.app import STATIC
from oratory.web.views import views

TEMPLATES = STATIC.parent / "templates"


def test_every_view_is_found_with_its_page(client: TestClient) -> None:
    assert {view.name for view in views()} == {path.stem for path in (STATIC.parent / "views").glob("[!_]*.py")}
    for view in views():
        answer = client.get(f"/{view.name}")
        assert answer.status_code == 200, view.name
        assert f"<h1>{view.title}</h1>" in answer.text
        assert '<a href="/' + view.name + '" aria-current="page"' in answer.text
        assert 'id="command"' in answer.text, "every view says the command that gives the same"
        assert (TEMPLATES / f"{view.name}.html").exists()


def test_places_in_the_menu_differ() -> None:
    assert len({view.place for view in views()}) == len(views())


def test_an_address_that_is_none(client: TestClient) -> None:
    assert client.get("/nothing").status_code == 404
    assert "There is no such page." in client.get("/nothing").text
    assert client.get("/api/nothing").json() == {"error": "There is no such page."}


def test_nothing_comes_from_a_network() -> None:
    for path in (*STATIC.iterdir(), *TEMPLATES.iterdir()):
        assert "https:" not in path.read_text(), path
        assert "innerHTML" not in path.read_text(), path
