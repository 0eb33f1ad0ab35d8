"""`oratory compare` as its users would try it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, result

TINY = ("layers=1", "width=8", "context=8", "tokenizer=char")


def options(*settings: str) -> list[str]:
    return [word for setting in (*TINY, *settings) for word in ("--set", setting)]


def test_a_comparison_from_end_to_end(oratory: Run, folder: Path, tmp_path: Path) -> None:
    words = ["compare", "position=learned", "position=none", "--task", "lm", "--seeds", "2", "--data", folder]
    words += ["--runs", tmp_path / "runs", "--report", tmp_path / "report", *options("train.iterations=4")]
    facts = result(oratory(*words, "--json"))
    assert facts["metric"] == "perplexity"
    assert facts["seeds"] == [0, 1]
    assert {"name", "mean", "interval", "difference", "difference_interval", "wins", "p", "verdict"} <= set(
        facts["variants"][1]
    )
    assert facts["variants"][0]["verdict"] == "baseline"
    assert facts["baselines"]
    for name in ("report.html", "report.pdf", "report.md", "report.tex"):
        assert (tmp_path / "report" / name).stat().st_size > 1000
    page = (tmp_path / "report" / "report.html").read_text()
    assert "oratory compare position=learned position=none --task lm" in page
    again = oratory(*words[:-8], *words[-8:])
    assert again.returncode == 0
    assert again.stderr.count("had") == 4
    assert again.stderr.startswith("All 4 runs are in the store.")
    assert "4/4 " in again.stderr
    assert facts["variants"][1]["verdict_text"] == "no verdict: two seeds; at least three are needed"
    assert "no verdict" in again.stdout
    assert facts["warnings"] == ["2 seeds give no verdict: at least 3 are needed, 5 to explore, 10 to claim."]
    assert facts["warnings"][0] in " ".join(again.stdout.split())
    assert facts["warnings"][0] in page


def test_a_mechanism_of_ones_own(oratory: Run, folder: Path, tmp_path: Path) -> None:
    plugin = Path(__file__).parents[2] / "docs" / "examples" / "decay.py"
    words = ["compare", "position=learned", "position=decay", "--plugin", plugin, "--seeds", "2", "--data", folder]
    facts = result(oratory(*words, "--runs", tmp_path, *options("train.epochs=1"), "--json"))
    assert [variant["name"] for variant in facts["variants"]] == ["position=learned", "position=decay"]
    record = json.loads((tmp_path / facts["variants"][1]["runs"][0] / "run.json").read_text())
    assert record["plugins"][0]["name"] == "decay.py"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["position=learned"], "at least two variants"),
        (["base", "positon=rope"], "Did you mean 'position'?"),
        (["base", "position=rope", "--seeds", "x"], "neither a number of seeds"),
        (["base", "position=rope", "--on", "moon"], "There is no place 'moon'"),
        (["base", "position=rope", "--task", "lmm"], "There is no task 'lmm'"),
        (["base", "position=rope", "--report", "a.docx"], "a.docx does not say what to write"),
        (["base", "position=rope", "--workers", "0"], "at least one"),
    ],
)
def test_bad_input_is_one_sentence(oratory: Run, folder: Path, words: list[str], sentence: str) -> None:
    done = oratory("compare", *words, "--data", folder)
    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not (folder.parent / "runs").exists()
