"""`oratory settings`."""

from pathlib import Path

from tests.cli.conftest import Run, result

DECAY = Path(__file__).parents[2] / "docs" / "examples" / "decay.py"


def test_all_settings(oratory: Run) -> None:
    found = result(oratory("settings", "--json"))["settings"]
    names = {setting["name"] for setting in found}
    assert {"position", "tokenizer", "train.lr", "layer_decay", "model"} <= names
    shown = oratory("settings").stdout
    for title in ("Settings of models from nothing", "Settings of published models"):
        assert title in shown
    assert "relu; lm:" in shown  # The cell may have a second line.
    assert "relu(hidden=100)" in shown


def test_one_setting(oratory: Run) -> None:
    (found,) = result(oratory("settings", "optimizer", "--json"))["settings"]
    assert found["name"] == "train.optimizer"
    assert found["bases"] == [{"origin": "published", "tasks": ["classifier"], "value": "adamw"}]
    shown = oratory("settings", "optimizer").stdout
    assert "Parameters of these values" in shown
    assert "nesterov" in shown


def test_mechanisms_of_ones_own_are_values(oratory: Run) -> None:
    (found,) = result(oratory("settings", "position", "--plugin", DECAY, "--json"))["settings"]
    assert "decay" in found["values"].split(", ")


def test_an_unknown_setting(oratory: Run) -> None:
    failed = oratory("settings", "optimzer")
    assert failed.returncode == 2
    assert "Did you mean 'train.optimizer'?" in failed.stderr
    assert not failed.stdout
