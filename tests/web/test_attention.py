"""The explorer's API against `attend`, and what it refuses."""

import csv
import io
import struct
import threading
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.typing import NDArray

from oratory import api
from oratory.inspect import ablate, attend, heads_of, lens_of
from oratory.inspect.subject import subject_of
from oratory.web.codes import coded, decoded, pooled
from oratory.web.seen import Seen, Text
from oratory.web.work import Work
from tests.web.conftest import EVIL, Kept

TEXT = f"We will go on, 🙂 öäü العربية {EVIL}"


def unpacked(content: bytes) -> NDArray[np.float32]:
    magic, *shape = struct.unpack("<4sIII", content[:16])
    assert magic == b"OMAP"
    return decoded(np.frombuffer(content[16:], "<u2").reshape(shape))


def asked(client: TestClient, path: str, **body: Any) -> Any:
    return client.post(f"/api/attention/{path}", json=body)


@pytest.mark.parametrize("kind", ["lm", "classifier"])
@pytest.mark.parametrize("step", [None, 0])
def test_the_bytes_are_the_weights(client: TestClient, kept: Kept, kind: str, step: int | None) -> None:
    run = api.load_run(getattr(kept, kind), kept.runs)
    found = attend(run, TEXT, before=True)
    stage = found.after if step is None else found.before
    assert stage is not None
    facts = asked(client, "maps", run=run.id, text=TEXT, step=step).json()
    assert facts["tokens"] == list(found.tokens)
    assert facts["passed"]
    assert [row[1] for row in facts["checks"]["rows"]] == ["passed"] * 5
    assert facts["steps"] == [0, run.step]
    for layer in range(found.of_layers):
        for head in range(found.of_heads):
            content = asked(client, "tile", run=run.id, text=TEXT, step=step, layer=layer, head=head).content
            np.testing.assert_allclose(unpacked(content)[0], stage.weights[layer, head], atol=1.6e-5)
            both = asked(client, "token", run=run.id, text=TEXT, step=step, layer=layer, head=head, query=3, key=1)
            row, column = unpacked(both.content)[:, 0]
            np.testing.assert_allclose(row, stage.weights[layer, head, 3], atol=1.6e-5)
            np.testing.assert_allclose(column, stage.weights[layer, head, :, 1], atol=1.6e-5)


def test_many_at_once_see_their_own_maps(client: TestClient, kept: Kept) -> None:
    """Threads share a model; none may get the weights of another text."""
    texts = [f"We will go on {'and on ' * number}" for number in range(1, 9)]
    run = api.load_run(kept.lm, kept.runs)
    expected = [attend(run, text) for text in texts]
    wrong: list[str] = []

    def ask(at: int) -> None:
        facts = asked(client, "maps", run=run.id, text=texts[at]).json()
        tile = unpacked(asked(client, "tile", run=run.id, text=texts[at]).content)[0]
        if facts["tokens"] != list(expected[at].tokens) or np.abs(tile - expected[at].weights[0, 0]).max() > 2e-5:
            wrong.append(texts[at])

    threads = [threading.Thread(target=ask, args=(at % 8,)) for at in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_layers_that_had_to_go_are_computed_again(kept: Kept) -> None:
    """With room for hardly anything, every look at a layer computes it anew, and the weights stay the same."""
    run = api.load_run(kept.lm, kept.runs)
    found = attend(run, TEXT)
    seen = Seen(Work(1), most=1)
    for step, stage in ((None, found.after), (0, attend(run, TEXT, before=True).before)):
        assert stage is not None
        text = Text(seen, ("text", step), subject_of(run), step, TEXT)
        for layer in range(found.of_layers):
            for head in range(found.of_heads):
                tile = unpacked(text.tile(layer, head, False, 1, 0, 0, False))[0]
                np.testing.assert_allclose(tile, stage.weights[layer, head], atol=2e-5)
        assert unpacked(text.grid(False)).shape[0] == found.of_layers * found.of_heads


def test_what_is_kept_is_bounded_by_bytes_and_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Seen(Work(1), most=1000)
    for at in range(10):
        seen.put((at,), np.zeros(100, np.uint16))
    assert len(seen._kept) == 5
    monkeypatch.setattr("oratory.web.seen.NUMBER", 3)
    seen.put((0,), np.zeros(1, np.uint16))
    assert list(seen._kept) == [(8,), (9,), (0,)]
    assert seen._size == 402


def test_squares_have_the_largest_weight_or_the_mean() -> None:
    codes = coded(np.random.default_rng(0).random((7, 5), dtype=np.float32))
    weights, largest, means = decoded(codes), decoded(pooled(codes, 3)), decoded(pooled(codes, 3, mean=True))
    for row in range(3):
        for column in range(2):
            part = weights[3 * row : 3 * row + 3, 3 * column : 3 * column + 3]
            assert largest[row, column] == part.max()
            assert means[row, column] == pytest.approx(part.mean(), abs=2e-5)


def test_lens_heads_and_ablation_are_those_of_python(client: TestClient, kept: Kept) -> None:
    run = api.load_run(kept.lm, kept.runs)
    corpus = run.load_corpus()
    lens = asked(client, "lens", run=run.id, text="We will go on.").json()
    expected = lens_of(run, "We will go on.").to_dict()
    assert lens["places"] == list(expected["places"])
    for mine, theirs in zip(lens["cells"][-1], expected["cells"][-1], strict=True):
        assert mine["guesses"][0]["probability"] == pytest.approx(theirs["guesses"][0]["probability"], abs=1e-6)
    [table, *_] = asked(client, "heads", run=run.id, text="").json()["tables"]
    assert table["rows"] == [list(row) for row in heads_of(run, corpus).tables()[0].rows]
    [table] = asked(client, "ablation", run=run.id, text="").json()["tables"]
    assert table["rows"] == [list(row) for row in ablate(run, corpus).tables()[0].rows]


def test_files(client: TestClient, kept: Kept) -> None:
    run = api.load_run(kept.lm, kept.runs)
    found = asked(client, "file", run=run.id, text="We will =go on.", layer=0, head=1, kind="csv")
    rows = list(csv.DictReader(io.StringIO(found.text)))
    weights = attend(run, "We will =go on.", layer=0, head=1).weights[0, 0]
    assert len(rows) == np.count_nonzero(weights)
    for row in rows:
        assert float(row["weight"]) == pytest.approx(weights[int(row["query"]), int(row["key"])], rel=1e-5)
    svg = asked(client, "file", run=run.id, text=TEXT, layer=0, head=1, kind="svg")
    assert svg.headers["content-type"] == "image/svg+xml"
    assert b"<img" not in svg.content
    page = asked(client, "file", run=run.id, text=TEXT, kind="html")
    assert "attachment" in page.headers["content-disposition"]
    assert "<img src=x" not in page.text


@pytest.mark.parametrize(
    ("path", "change", "status", "words"),
    [
        ("maps", {"text": ""}, 400, "empty"),
        ("maps", {"text": "x" * 40_001}, 422, "it has 40,001 characters, and 40,000 are the most"),
        ("maps", {"run": "gone-1"}, 400, "no run"),
        ("maps", {"run": "../x"}, 422, "run"),
        ("maps", {"step": 2}, 400, "no weights of step 2"),
        ("maps", {"text": "\ud800"}, 422, "unicode"),
        ("tile", {"layer": 7}, 400, "no layer 7"),
        ("tile", {"row": 3}, 400, "beyond"),
        ("token", {"query": 99}, 400, "no token 99"),
    ],
)
def test_bad_input_is_a_sentence(
    client: TestClient, kept: Kept, path: str, change: dict[str, Any], status: int, words: str
) -> None:
    import json

    body = json.dumps({"run": kept.lm, "text": "We will go on."} | change)
    answer = client.post(f"/api/attention/{path}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    assert words in answer.json()["error"]
