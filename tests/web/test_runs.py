"""The list of runs, one run, a variant over its seeds, and comparisons: against what the command line finds."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from fastapi.testclient import TestClient

from oratory import api
from oratory.runs import Store
from oratory.runs.listing import listed
from tests.web.conftest import EVIL, Kept


def test_the_list_is_that_of_the_command_line(client: TestClient, kept: Kept) -> None:
    entries = Store(kept.runs).entries()
    assert client.get("/api/runs").json()["total"] == len(entries) == 7
    found = client.get("/api/runs", params={"where": "task=classifier seed!=0 layers=2", "sort": "seed"}).json()
    assert [entry["seed"] for entry in found["runs"]] == [1, 2]
    grouped = client.get("/api/runs", params={"group": "seed"}).json()
    assert grouped == listed(entries, by=[]).to_dict() | {"groups": grouped["groups"]}
    assert sorted(len(group["runs"]) for group in grouped["groups"]) == [1, 3, 3]


def test_the_page_groups_over_seeds_and_says_its_command(client: TestClient, kept: Kept) -> None:
    text = client.get("/runs", params={"where": "layers=2", "sort": "runs"}).text
    assert f"oratory runs list layers=2 --group --sort runs --runs {kept.runs}" in text
    links = re.findall(r'href="(/runs/of/[0-9a-f]+)"', text)
    assert len(links) == 1
    variant = client.get(links[0]).text
    assert variant.count('href="/runs/classifier-') == 3
    assert "the band goes from the lowest seed to the highest" in variant
    assert "<svg" in variant


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"where": "layer=2"}, "There is no key &#39;layer&#39;."),
        ({"where": "'"}, "The conditions cannot be read"),
        ({"where": EVIL}, "is not a condition"),
        ({"sort": "nothing"}, "There is no key"),
        ({"group": "seed,nothing"}, "There is no key"),
    ],
)
def test_a_wrong_condition_is_a_sentence(client: TestClient, asked: dict[str, str], sentence: str) -> None:
    page = client.get("/runs", params=asked)
    assert page.status_code == 400
    assert sentence in page.text
    assert EVIL not in page.text
    answer = client.get("/api/runs", params=asked)
    assert answer.status_code == 400
    assert "Traceback" not in answer.json()["error"]


def test_a_run_has_its_results_its_curves_and_its_baselines(client: TestClient, kept: Kept) -> None:
    for name in (kept.classifier, kept.lm):
        text = client.get(f"/runs/{name}").text
        assert "Learning curves" in text
        assert "style=" not in text
        assert client.get(f"/api/runs/{name}").json()["run"] == name
        tables = client.get(f"/api/runs/{name}/baselines").json()["tables"]
        standing = api.beside_baselines(api.load_run(name, kept.runs)).tables()
        assert [table["rows"] for table in tables] == [[list(row) for row in table.rows] for table in standing]
        history = client.get(f"/api/runs/{name}/history").json()["history"]
        assert [entry["step"] for entry in history] == [e["step"] for e in api.load_run(name, kept.runs).history()]


def test_curves_are_a_picture_by_itself(client: TestClient, kept: Kept) -> None:
    light, dark = (
        client.get(f"/api/runs/{kept.lm}/curves.svg", params={"dark": dark}).text for dark in ("false", "true")
    )
    assert light != dark
    assert ElementTree.fromstring(light).tag.endswith("svg")
    assert client.get(f"/api/runs/{kept.lm}/curves.svg", params={"at": 9}).status_code == 400


def test_reports_are_those_of_the_command_line(client: TestClient, kept: Kept) -> None:
    for path in (f"/runs/{kept.lm}/report", f"/comparisons/{kept.comparison}/report"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "sandbox" in answer.headers["content-security-policy"]
        assert "<script" not in answer.text
        pdf = client.get(path, params={"kind": "pdf"})
        assert pdf.content.startswith(b"%PDF")
        assert client.get(path, params={"kind": "exe"}).status_code == 422


def test_a_comparison_has_its_verdicts_and_their_picture(client: TestClient, kept: Kept) -> None:
    found = client.get("/api/comparisons").json()["results"]
    assert [entry["id"] for entry in found] == [kept.comparison]
    facts = client.get(f"/api/comparisons/{kept.comparison}").json()
    assert facts["command"].startswith("oratory compare")
    text = client.get(f"/comparisons/{kept.comparison}").text
    assert "Verdicts" in text
    assert "each dot is one seed" in text
    assert text.count("<svg") >= 3


@pytest.mark.parametrize("name", ["nothing", "..%2f..", "%2e%2e%2fetc", "a" * 300, "<b>", "compare-0000000000"])
@pytest.mark.parametrize("path", ["/runs/{}", "/api/runs/{}", "/comparisons/{}", "/api/comparisons/{}", "/runs/of/{}"])
def test_what_is_not_there_is_a_sentence(client: TestClient, path: str, name: str) -> None:
    answer = client.get(path.format(name), follow_redirects=False)
    assert answer.status_code in (307, 400, 404, 422)
    assert "<b>" not in answer.text
    assert "Traceback" not in answer.text


def test_markup_in_names_stays_text(client: TestClient, kept: Kept) -> None:
    for path in ("/runs", f"/runs/{kept.classifier}", f"/runs/{kept.lm}", "/comparisons", "/train"):
        text = client.get(path).text
        assert "<img src=x" not in text
        assert "<img src onerror" not in text
        assert "<script>" not in text
    for path in ("/api/runs", f"/api/runs/{kept.classifier}", f"/api/comparisons/{kept.comparison}"):
        answer = client.get(path)
        assert "<" not in answer.text
        assert answer.headers["content-type"] == "application/json"
    assert "&lt;img src" in client.get(f"/comparisons/{kept.comparison}").text


def test_an_empty_folder_says_how_to_begin(client: TestClient, tmp_path_factory: pytest.TempPathFactory) -> None:
    from oratory.web.app import build
    from oratory.web.laboratory import Laboratory
    from tests.web.conftest import HOME

    with TestClient(build(Laboratory(tmp_path_factory.mktemp("empty"))), HOME) as empty:
        assert "No runs yet" in empty.get("/runs").text
        assert "oratory train classifier" in empty.get("/runs").text
        assert "No comparisons yet" in empty.get("/comparisons").text
        assert empty.get("/api/runs", params={"where": "anything"}).json() == {"runs": [], "total": 0}
