"""The classifier view in the API: the numbers of the run itself."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from oratory import api
from oratory.baselines.nearest import NearestTexts
from oratory.inspect import attribute
from tests.web.conftest import EVIL, Kept

TEXT = "We will go on, öäü 🙂 العربية <b>1</b> times."


def test_the_finished_classifiers_are_listed(client: TestClient, kept: Kept) -> None:
    found = client.get("/api/classifier").json()
    assert len(found) == 6
    assert kept.classifier in {each["run"] for each in found}
    assert kept.lm not in {each["run"] for each in found}
    about = client.get(f"/api/classifier/{kept.classifier}").json()
    assert EVIL in about["labels"]
    assert "test" in about["splits"]


def test_probabilities_are_those_of_score(client: TestClient, kept: Kept) -> None:
    found = client.post(f"/api/classifier/{kept.classifier}/score", json={"text": TEXT}).json()
    [expected] = api.load_run(kept.classifier, kept.runs).score(TEXT)
    assert found["probabilities"] == pytest.approx(expected.probabilities, abs=1e-6)
    assert found["text"] == TEXT


def test_the_nearest_texts_and_whether_it_is_seen(client: TestClient, kept: Kept) -> None:
    run = api.load_run(kept.classifier, kept.runs)
    index = NearestTexts(run.load_corpus().need_classifier())
    for text, seen in ((TEXT, False), ("we will go on <b>3</b> TIMES", True)):
        found = client.post(f"/api/classifier/{kept.classifier}/nearest", json={"text": text}).json()
        assert found["seen"] == seen
        assert found["neighbours"] == [pytest.approx(vars(each)) for each in index.of(text).neighbours]


def test_which_tokens_mattered(client: TestClient, kept: Kept) -> None:
    pytest.importorskip("captum")
    found = client.post(f"/api/classifier/{kept.classifier}/why", json={"text": TEXT, "label": EVIL}).json()
    expected = attribute(api.load_run(kept.classifier, kept.runs), TEXT, EVIL)
    assert found["label"] == EVIL
    assert [each["gradients"] for each in found["tokens"]] == pytest.approx(
        [each.gradients for each in expected.tokens], abs=1e-6
    )
    total = sum(each["gradients"] for each in found["tokens"])
    assert total == pytest.approx(found["log_odds"] - found["reference"] + found["gap"])


def test_a_cell_lists_its_texts(client: TestClient, kept: Kept) -> None:
    found = client.get(f"/api/classifier/{kept.classifier}/confusion").json()
    run = api.load_run(kept.classifier, kept.runs)
    assert found["confusion"] == [list(row) for row in run.result["test"]["confusion"]]
    assert found["calibration"] == [pytest.approx(dict(entry)) for entry in run.result["test"]["calibration"]]
    listed = []
    for row, label in enumerate(found["labels"]):
        for column, predicted in enumerate(found["labels"]):
            cell = client.get(
                f"/api/classifier/{kept.classifier}/items", params={"label": label, "predicted": predicted}
            ).json()
            assert cell["matching"] == found["confusion"][row][column]
            listed += [(item["item"], item["label"], item["text"]) for item in cell["items"]]
    data = run.load_corpus().need_classifier()
    assert data.test is not None
    names = [data.label_names[label] for label in data.test.labels]
    assert sorted(listed) == list(zip(range(2), names, data.test.texts, strict=True))


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("{run}/score", {"text": " "}, 400),
        ("{run}/score", {"text": "x" * 4001}, 422),
        ("{run}/score", {}, 422),
        ("{run}/why", {"text": "We will", "label": "none"}, 400),
        ("{lm}/score", {"text": "We will"}, 400),
        ("{lm}/why", {"text": "We will"}, 400),
        ("classifier-nothing/score", {"text": "We will"}, 400),
        ("..%2f..%2fetc/score", {"text": "We will"}, 404),
    ],
)
def test_bad_input_is_a_sentence(client: TestClient, kept: Kept, path: str, body: dict[str, Any], status: int) -> None:
    answer = client.post(f"/api/classifier/{path.format(run=kept.classifier, lm=kept.lm)}", json=body)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]


def test_bad_questions_on_items(client: TestClient, kept: Kept) -> None:
    home = f"/api/classifier/{kept.classifier}"
    assert client.get(f"{home}/confusion?split=train").status_code == 400
    assert client.get(f"{home}/items?label=x&predicted=x").status_code == 400
    assert client.get(f"{home}/items").status_code == 422
