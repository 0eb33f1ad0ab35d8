"""Models as ONNX files, run by another program than the one that trained them."""

import json
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from torch import Tensor

from oratory.errors import Failed, InputError
from oratory.execution.train import train
from oratory.exports import onnx as export
from oratory.exports.onnx import TOLERANCE, export_onnx
from oratory.mechanisms import REGISTRY, Merge
from oratory.mechanisms.kinds import KINDS
from oratory.model import ModelConfig, Transformer

REFUSED = {"position": "transformer-xl", "merge": "shuffle", "pool": "last", "head": "hybrid-ngrams"}
CLASSIFYING = {
    kind: [name for name, made in REGISTRY[kind].items() if made().serves("classes", False)] for kind in KINDS
}
UNTRIED = {
    "position": {"xpos", "rope-nope"},
    "norm": {"dynamic-tanh", "scale"},
    "feedforward": {"geglu", "reglu", "relu2", "experts"},
    **{kind: set(CLASSIFYING[kind]) for kind in ("attention", "residual", "mixer")},
}
"""Mechanisms whose export takes too long to be tried here; one that cannot be followed is refused by its name."""
LEFT = {
    kind: [name for name in names if REFUSED.get(kind) != name and name not in UNTRIED.get(kind, ())]
    for kind, names in CLASSIFYING.items()
    if set(names) - UNTRIED.get(kind, set())
}
MOST = max(map(len, LEFT.values()))


def covering() -> list[dict[str, str]]:
    """Settings that have every mechanism at least once: an export takes seconds."""
    return [
        dict(zip(LEFT, names, strict=True)) for _, *names in zip(range(MOST), *map(cycle, LEFT.values()), strict=False)
    ]


def small(**settings: object) -> Transformer:
    base = {"output": "classes", "vocabulary": 30, "classes": 3, "layers": 1, "heads": 2, "width": 8, "context": 12}
    return Transformer(ModelConfig.from_dict(base | settings), 1).eval()


def compare(path: Path, model: Transformer) -> None:
    """Lengths and paddings other than those that the export itself tries."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    chance = np.random.default_rng(0)
    for texts, tokens in ((1, 1), (1, 12), (5, 7), (2, 12)):
        given: dict[str, Any] = {"input_ids": chance.integers(0, 30, (texts, tokens))}
        if not model.config.causal:
            given["attention_mask"] = (np.arange(tokens) < chance.integers(1, tokens + 1, (texts, 1))).astype(np.int64)
        (found,) = session.run(None, given)
        mask = given.get("attention_mask")
        ids = torch.from_numpy(given["input_ids"])
        wanted = model(ids, None if mask is None else torch.from_numpy(mask > 0)).logits.detach().numpy()
        assert found.shape == wanted.shape
        assert np.abs(found - wanted).max() < TOLERANCE


def test_the_settings_cover_the_registry() -> None:
    for kind in KINDS:
        # Other tests may have added mechanisms of their own.
        ours = {name for name in CLASSIFYING[kind] if REGISTRY[kind][name].__module__.startswith("oratory.")}
        tried = {found[kind] for found in covering() if kind in found}
        assert tried | UNTRIED.get(kind, set()) | {REFUSED.get(kind)} - {None} == ours


@pytest.mark.parametrize("settings", covering(), ids=lambda found: "-".join(found.values()))
def test_the_file_gives_what_the_model_gives(tmp_path: Path, settings: dict[str, str]) -> None:
    model = small(**settings)
    made = export_onnx(model, tmp_path / "model.onnx")
    assert (made.inputs, made.output) == (("input_ids", "attention_mask"), "logits")
    compare(made.path, model)


def test_a_language_model_takes_ids_alone(tmp_path: Path) -> None:
    model = small(
        output="tokens", causal=True, classes=0, position="alibi", pattern="window(size=3)", kv_heads=1, tied=True
    )
    made = export_onnx(model, tmp_path / "model.onnx")
    assert made.inputs == ("input_ids",)
    compare(made.path, model)


@pytest.mark.parametrize(("kind", "name"), REFUSED.items())
def test_what_cannot_be_followed_is_named(tmp_path: Path, kind: str, name: str) -> None:
    with pytest.raises(InputError, match=f"^A model with {kind}={name} cannot be written as ONNX; torch says: "):
        export_onnx(small(**{"position": "rope", kind: name}), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


@dataclass(frozen=True, kw_only=True)
class Sums(Merge):
    """Decides by values, which no file can."""

    def merge(self, heads: Tensor, training: bool) -> Tensor:
        return heads if float(heads.sum()) > 0 else -heads


def test_a_mechanism_of_a_user_is_named_too(tmp_path: Path) -> None:
    odd = ModelConfig(output="classes", vocabulary=30, classes=3, layers=1, width=8, merge=Sums())
    with pytest.raises(InputError, match="A model with merge=sums cannot"):
        export_onnx(Transformer(odd), tmp_path / "model.onnx")


def test_a_run_brings_its_facts(folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    settings = {"layers": 1, "width": 8, "train.iterations": 4, "train.eval_every": 2}
    run = train("classifier", folder, settings, 0, runs=tmp_path / "runs")
    before = torch.get_rng_state()
    made = export_onnx(run, tmp_path / "new" / "model.onnx")
    assert torch.equal(before, torch.get_rng_state())
    assert capfd.readouterr() == ("", "")
    proto = onnx.load(made.path)
    facts = {prop.key: json.loads(prop.value) for prop in proto.metadata_props}
    assert (facts["oratory.run"], facts["oratory.labels"]) == (run.id, list(run.labels))
    assert facts["oratory.longest"] == run.config.context
    assert made.to_dict()["bytes"] == made.path.stat().st_size
    assert str(Path(__file__).parents[2]).encode() not in made.path.read_bytes()


def test_a_file_that_would_differ_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "TOLERANCE", -1.0)
    with pytest.raises(Failed, match="would differ from the model"):
        export_onnx(small(), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_missing_libraries_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "find_spec", lambda name: None if name == "onnxscript" else object())
    with pytest.raises(InputError, match=r"^ONNX needs onnxscript: pip install 'oratory\[onnx\]'$"):
        export_onnx(small(), tmp_path / "model.onnx")
