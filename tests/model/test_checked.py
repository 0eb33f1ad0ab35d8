"""Contracts that are kept: for this very code, and never broken ones."""

import json
from pathlib import Path

import pytest

from oratory.mechanisms import REGISTRY
from oratory.model import checked
from oratory.model.checked import known_contract
from oratory.model.config import ModelConfig
from oratory.model.contract import ModelContract, check_model
from oratory.training.tasks import base

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[ModelConfig]:
    """The models that were really checked, with an empty cache."""
    found: list[ModelConfig] = []

    def check(config: ModelConfig) -> ModelContract:
        found.append(config)
        return check_model(config)

    monkeypatch.setenv("ORATORY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(checked, "_KEPT", {})
    monkeypatch.setattr(checked, "check_model", check)
    return found


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a new process would begin."""
    monkeypatch.setattr(checked, "_KEPT", {})


def test_a_contract_is_checked_once(asked: list[ModelConfig], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = base("lm", 50, merge="reweight"), base("lm", 9999, merge="reweight", layers=6, width=128)
    first = known_contract(small)
    assert known_contract(large) == first  # Sizes that the small model does not have make no difference.
    forget(monkeypatch)
    assert known_contract(small) == first
    assert first.leaks
    assert len(asked) == 1
    known_contract(base("lm", 50))
    known_contract(base("classifier", 50, classes=2))
    known_contract(base("lm", 50, context=600))
    assert len(asked) == 4
    assert len(list((tmp_path / "cache" / "contracts").iterdir())) == 4


def test_other_code_is_checked_anew(asked: list[ModelConfig], monkeypatch: pytest.MonkeyPatch) -> None:
    known_contract(base("lm", 50))
    monkeypatch.setattr(checked, "_code", lambda: "edited")
    known_contract(base("lm", 50))
    assert len(asked) == 2


def test_a_plugin_is_known_by_its_content(asked: list[ModelConfig], tmp_path: Path) -> None:
    source = (EXAMPLES / "decay.py").read_text().replace("class Decay", "class Kept")
    path = tmp_path / "kept.py"
    try:
        for content, times in ((source, 1), (source, 1), (source.replace("0.5", "0.4"), 2)):
            path.write_text(content)
            REGISTRY.load_plugin(path)
            known_contract(base("lm", 50, position="kept"))
            assert len(asked) == times
    finally:
        del REGISTRY["position"]["kept"]


def test_a_broken_one_is_not_kept(asked: list[ModelConfig], tmp_path: Path) -> None:
    REGISTRY.load_plugin(EXAMPLES / "broken.py")
    for times in (1, 2):
        assert known_contract(base("lm", 50, position="peek")).broken
        assert len(asked) == times
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", json.dumps({"broken": 3, "declared": [], "leaks": True})])
def test_a_damaged_cache_costs_time_only(
    asked: list[ModelConfig], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    found = known_contract(base("lm", 50))
    (file,) = (tmp_path / "cache" / "contracts").iterdir()
    file.write_text(content)
    forget(monkeypatch)
    assert known_contract(base("lm", 50)) == found
    assert len(asked) == 2
    file.unlink()
    file.parent.rmdir()
    file.parent.write_text("in the way")
    forget(monkeypatch)
    assert known_contract(base("lm", 50)) == found
