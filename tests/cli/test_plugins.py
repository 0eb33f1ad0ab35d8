"""Mechanisms of one's own on the command line: a file that changed, and one that does not work."""

import json
from pathlib import Path

from tests.cli.conftest import Run, result
from tests.cli.test_bad_input import refused

DECAY = (Path(__file__).parents[2] / "docs" / "examples" / "decay.py").read_text()
TINY = ("layers=1", "width=8", "context=8", "tokenizer=char", "train.iterations=2")


def test_a_plugin_that_changed_is_noticed(oratory: Run, folder: Path, tmp_path: Path) -> None:
    plugin, runs = tmp_path / "decay.py", tmp_path / "runs"
    plugin.write_text(DECAY)
    words = ["train", "lm", "position=decay", *TINY, "--data", folder, "--runs", runs, "--plugin", plugin]
    run = result(oratory(*words, "--json"))["run"]
    (recorded,) = json.loads((runs / run / "run.json").read_text())["plugins"]
    copy = runs / run / "plugins" / recorded["sha256"][:12] / "decay.py"
    assert copy.read_text() == DECAY

    uses = {
        "score": ["score", run, "We will go on."],
        "generate": ["generate", run, "We", "--tokens", "2"],
        "attend": ["attend", run, "We will"],
        "export": ["export", run, "--to", "onnx", "--out", tmp_path / "model.onnx"],
        "report": ["report", run, "--out", tmp_path / "report.md"],
    }
    before = oratory(*uses["score"], "--runs", runs, "--plugin", plugin, "--json")
    plugin.write_text(DECAY.replace(".sqrt()", ""))
    for name, use in uses.items():
        sentence = " ".join(refused(oratory, *use, "--runs", runs, "--plugin", plugin, cwd=tmp_path).split())
        assert f"was trained with decay.py as it was then (sha256 {recorded['sha256'][:12]})" in sentence, name
        assert f"{plugin} has another content now" in sentence
        assert f"if you trust it, say --plugin {copy}" in sentence
    # The copy is not loaded by itself, and is as good as the file was.
    assert "It was trained with --plugin decay.py." in refused(oratory, *uses["score"], "--runs", runs, cwd=tmp_path)
    again = oratory(*uses["score"], "--runs", runs, "--plugin", copy, "--json")
    assert result(again) == result(before)
    # A copy that is damaged is not offered.
    copy.write_text("")
    sentence = refused(oratory, *uses["score"], "--runs", runs, "--plugin", plugin, cwd=tmp_path)
    assert "Bring that content back" in sentence
