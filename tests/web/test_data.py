"""The data view in the API: what the command line says of a corpus, and twins."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from oratory import api
from oratory.text import audit, describe, load_corpus
from oratory.training.baselines import measure_baselines
from oratory.web.app import build
from oratory.web.laboratory import Laboratory
from tests.execution.training import CLASSIFIER
from tests.execution.workers import here
from tests.web.conftest import EVIL, HOME, Kept


@pytest.fixture
def data(client: TestClient, kept: Kept) -> str:
    """The hostile corpus, as the list has it."""
    known = [each["data"] for each in client.get("/api/data").json()]
    [found] = [each for each in known if EVIL.replace("/", "") in each]
    return str(found)


def test_the_facts_are_those_of_the_command_line(client: TestClient, data: str) -> None:
    corpus = load_corpus(data)
    shown = client.get("/api/data/show", params={"data": data}).json()
    assert shown["fingerprint"] == describe(corpus).fingerprint
    assert shown["tables"][0]["rows"] == [list(row) for row in describe(corpus).tables()[0].rows]
    found = client.get("/api/data/audit", params={"data": data}).json()
    assert found["sentences"] == audit(corpus).sentences()
    assert found["test_in_train"] == audit(corpus).test_in_train == 2
    measured = client.get("/api/data/baselines", params={"data": data}).json()
    expected = measure_baselines(corpus).to_dict()
    assert measured["classifier"]["lookup"]["accuracy"] == expected["classifier"]["lookup"]["accuracy"]
    assert EVIL.replace("/", "") in shown["commands"]["audit"]


def test_every_leaked_text_has_its_twin(client: TestClient, data: str) -> None:
    found = client.get("/api/data/twins", params={"data": data}).json()
    assert (found["items"], found["exact"], found["matching"]) == (2, 2, 2)
    assert [each["twin"] for each in found["twins"]] == [each["text"] for each in found["twins"]]
    assert found["twins"][1]["label"] == EVIL
    fewer = client.get("/api/data/twins", params={"data": data, "find": "<B>1"}).json()
    assert [each["item"] for each in fewer["twins"]] == [1]
    assert client.get("/api/data/twins", params={"data": data, "first": 1}).json()["twins"] == found["twins"][1:]
    assert client.get("/api/data/twins", params={"data": data, "near": True}).json()["matching"] == 0
    lines = client.get("/api/data/twins", params={"data": data, "held": "text a"}).json()
    assert lines["items"] == 2


def test_only_what_is_in_the_list_is_read(client: TestClient, kept: Kept, data: str) -> None:
    for path in ("/etc", str(kept.folder), "../..", "hub:imdb", f"folder(path={kept.folder})", ""):
        for part in ("show", "audit", "twins", "baselines"):
            answer = client.get(f"/api/data/{part}", params={"data": path})
            assert (answer.status_code, "corpus" in answer.json()["error"]) == (400, True), path
    refused = client.get("/api/data/twins", params={"data": data, "held": "train"})
    assert (refused.status_code, "held-out split" in refused.json()["error"]) == (400, True)
    assert client.get("/api/data/twins", params={"data": data, "first": -1}).status_code == 422


def test_studies_of_scale_have_their_plot(data: str, kept: Kept, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("oratory.execution.place.executor_of", lambda on, workers=None: here)
        made = api.scale(corpus=data, sizes=[0.5, 1], seeds=3, settings=CLASSIFIER, runs=tmp_path)
    with TestClient(build(Laboratory(tmp_path)), HOME, raise_server_exceptions=False) as client:
        found = client.get("/api/data/scales", params={"data": data}).json()
        [study] = found["scales"]
        assert study["id"] == made.id
        assert study["sentences"] == made.sentences()
        assert study["tables"][0]["rows"] == [list(row) for row in made.tables()[0].rows]
        light, dark = (client.get(f"/api/data/scales/{made.id}.svg?dark={dark}") for dark in (False, True))
        assert light.headers["content-type"] == "image/svg+xml"
        assert light.content != dark.content
        refused = client.get("/api/data/scales/scale-0000000000.svg")
        assert (refused.status_code, "study of scale" in refused.json()["error"]) == (400, True)
        # Of another corpus there are none: then the command that makes one is shown.
        other = client.get("/api/data/scales", params={"data": "sotu"}).json()
        assert other["scales"] == []
        assert "scale base --data sotu" in other["command"]


def test_the_page_escapes_what_corpora_are_called(client: TestClient) -> None:
    page = client.get("/data").text
    assert EVIL.replace("/", "") not in page
    assert "&lt;img src=x" in page
