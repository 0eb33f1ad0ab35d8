"""A clear sentence on stderr, exit code 2, nothing on stdout and nothing written."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.text.test_bad_input import BROKEN


def refused(run: Run, *arguments: str | Path, cwd: Path | None = None) -> str:
    """The sentence of a command that is refused."""
    done = run(*arguments, **({"cwd": cwd} if cwd else {}))
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.startswith("oratory: ")
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("case", BROKEN)
def test_broken_folders(oratory: Run, folder: Path, tmp_path: Path, case: str) -> None:
    change, _ = BROKEN[case]
    change(folder)
    before = sorted(tmp_path.rglob("*"))
    sentence = refused(oratory, "data", "export", folder, tmp_path / "out", cwd=tmp_path)
    assert str(folder) in sentence.replace("\n", "")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["audit", "nowhere"],
            "nowhere does not exist; give sotu, a folder, a table such as",
        ),
        (["audit", "sotu(presidents=bush)"], "Which bush? There are george-h-w-bush and george-w-bush."),
        (["audit", "sotu(presidents=+)"], "No president is named"),
        (["audit", "sotu", "--near", "2"], "Near duplicates need a Jaccard index above 0 and up to 1, not 2.0."),
        (["baselines", "tokenizer=bpe"], "the data comes first, then settings"),
        (["baselines", "sotu", "tokeniser=bpe"], "There is no setting 'tokeniser'. Did you mean 'tokenizer'?"),
        (["baselines", "sotu", "tokenizer=wrod"], "There is no tokenizer 'wrod'. Did you mean 'word'?"),
        (["baselines", "sotu", "--discount", "0"], "The discount must lie between 0 and 1"),
        (["tokenize", "sotu", "tokenizer=pretrained:nowhere/at-all"], "is neither a folder with tokenizer.json here"),
        (["train", "translator", "--dry-run"], "There is no task 'translator'."),
        (["train", "lm", "--dry-run", "positon=rope"], "There is no setting 'positon'. Did you mean 'position'?"),
        (["train", "lm", "--dry-run", "position=ropo"], "There is no position 'ropo'. Did you mean 'rope'?"),
        (["train", "lm", "--dry-run", "heads=3"], "width=64 cannot be shared out among heads=3"),
        (["train", "lm", "--dry-run", "position=rope", "width=6"], "rope turns pairs of columns"),
        (["train", "lm", "--dry-run", "pattern=window(size=0)"], "a window must hold at least the token itself"),
        (["train", "lm", "--dry-run", "layers=many"], "'many' is not a whole number"),
        (["check", "nowhere.py"], "nowhere.py does not exist"),
        (["mechanisms", "positions"], "There is no kind of mechanism 'positions'. Did you mean 'position'?"),
        (["data", "export", "sotu", "."], "exists and is not an empty folder"),
        (["data", "show", "[red]x[/red]"], "[red]x[/red] does not exist"),
    ],
)
def test_words_that_do_not_fit(oratory: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "something").write_text("here already")
    sentence = refused(oratory, *arguments, cwd=tmp_path)
    assert message in " ".join(sentence.split())
    assert [path.name for path in tmp_path.iterdir()] == ["something"]


def test_hub_without_a_network(oratory: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("datasets", reason="the extra 'hub' is not installed")
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.invalid")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    assert "no network" in refused(oratory, "audit", "hub:nobody/nothing-at-all")


def test_a_report_that_cannot_be_written(oratory: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = oratory("demo", "--out", tmp_path / "file" / "out", "--json")
    assert done.returncode == 2
    assert "cannot be used: Not a directory." in " ".join(done.stderr.split())
