import json
import resource
import shlex
import shutil
import subprocess
import sys
from html import escape, unescape
from pathlib import Path

import pytest

from oratory.tokens import load_tokenizer
from tests.cli.conftest import Run, result


def test_help_names_every_command_and_is_quick() -> None:
    seconds = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        shown = subprocess.run([sys.executable, "-m", "oratory", "--help"], capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert shown.returncode == 0
    for command in ("audit", "compare", "data", "demo", "mechanisms", "runs", "score", "solve", "train"):
        assert command in shown.stdout
    assert min(seconds) < 0.5


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from oratory.cli import build; from typer.main import get_command; get_command(build()); "
        "print(sorted({'torch', 'numpy', 'sklearn', 'pandas', 'matplotlib', 'nltk'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_version_and_usage(oratory: Run) -> None:
    assert oratory("--version").stdout.startswith("oratory 0.")
    assert oratory("nonsense").returncode == 2
    assert oratory("audit", "--nonsense").returncode == 2


def test_audit_of_the_speeches(oratory: Run, speeches_folder: Path) -> None:
    facts = result(oratory("audit", speeches_folder, "--json"))
    assert [facts[key] for key in ("train", "test", "test_in_train", "unseen")] == [2092, 750, 551, 199]


def test_audit_of_sotu(oratory: Run) -> None:
    facts = result(oratory("audit", "sotu", "--json"))
    assert facts["test_in_train"] + facts["unseen"] == facts["test"]
    assert facts["test_in_train"] < 0.02 * facts["test"]


def test_audit_as_a_check(oratory: Run, folder: Path) -> None:
    assert oratory("audit", folder, "--fail-above", "0.5").returncode == 0
    failed = oratory("audit", folder, "--fail-above", "0.4")
    assert failed.returncode == 1
    assert "50.0% of a held-out split is in train; 40.0% is allowed." in failed.stderr
    assert "1 of 2 test items (50.0%) are also in train" in failed.stdout


def test_baselines_of_the_speeches(oratory: Run, speeches_folder: Path) -> None:
    facts = result(oratory("baselines", speeches_folder, "--json"))
    svm = facts["classifier"]["tfidf-svm"]
    assert svm["accuracy"] == pytest.approx(0.904, abs=0.002)
    assert svm["accuracy_seen"] == pytest.approx(1.0, abs=0.002)
    assert svm["accuracy_unseen"] == pytest.approx(0.638, abs=0.006)
    assert sorted(facts["lm"]["kneser-ney"]["perplexity"]) == ["hbush", "obama", "wbush"]


def test_baselines_of_sotu_with_another_tokenizer(oratory: Run) -> None:
    facts = result(oratory("baselines", "sotu", "tokenizer=bpe(size=1000)", "--json"))
    assert facts["vocabulary"] == 1000
    assert facts["lm"]["kneser-ney-5"]["perplexity"]["obama"] < 200


def test_baselines_for_people(oratory: Run, folder: Path) -> None:
    (folder / "train_LM.txt").write_text("Only one line here.\n")
    shown = oratory("baselines", folder)
    assert shown.returncode == 0, shown.stderr
    assert "usual, for want of a dev split" in " ".join(shown.stdout.split())
    shutil.copy(folder / "test_LM_a.txt", folder / "dev_LM.txt")
    shown = oratory("baselines", folder)
    assert shown.returncode == 0, shown.stderr
    assert "tfidf-svm" in shown.stdout
    assert "kneser-ney-5" in shown.stdout


def test_data_list_show_and_export(oratory: Run, folder: Path) -> None:
    listed = result(oratory("data", "list", "--json", cwd=folder.parent))
    assert [entry["data"] for entry in listed["corpora"]] == ["sotu", "corpus"]
    named = {name: [entry["name"] for entry in found["parameters"]] for name, found in listed["sources"].items()}
    assert named["folder"] == ["path", "text", "label", "group", "without", "keep", "carve"]
    assert sorted(named) == ["file", "folder", "hub", "sotu"]
    assert "surnames or full names" in oratory("data", "list").stdout
    shown = result(oratory("data", "show", folder, "--json"))
    assert shown["labels"] == {"0": {"train": 2, "test": 1}, "1": {"train": 2, "test": 1}}
    written = result(oratory("data", "export", folder, folder.parent / "copy", "--json"))
    assert written["fingerprint"] == shown["fingerprint"]
    again = result(oratory("data", "show", folder.parent / "copy", "--json"))
    assert again["fingerprint"] == shown["fingerprint"]
    for command in (("data", "list"), ("data", "show", folder)):
        assert oratory(*command).returncode == 0


def test_presidents_by_parameter(oratory: Run) -> None:
    shown = result(oratory("data", "show", "sotu(presidents=Lincoln + Theodore Roosevelt)", "--json"))
    assert list(shown["labels"]) == ["lincoln", "theodore-roosevelt"]


def test_older_options_are_gone(oratory: Run) -> None:
    for option in ("--presidents", "--text-column", "--label-column"):
        refused = oratory("audit", "sotu", option, "x")
        assert refused.returncode == 2
        assert option in refused.stderr


def test_columns_by_parameter(oratory: Run, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("mood,headline\ngood,a fine day\nbad,a dull day\n")
    shown = oratory("data", "show", f"folder(path={tmp_path},text=headline,label=mood)")
    assert shown.returncode == 0, shown.stderr
    assert "a fine day" in shown.stdout


def test_tokenize(oratory: Run, folder: Path) -> None:
    saved = folder.parent / "tokenizer.json"
    facts = result(oratory("tokenize", folder, "tokenizer=char", "--text", "We", "--save", saved, "--json"))
    assert [token["token"] for token in facts["texts"][0]] == ["W", "e"]
    assert [token["bytes"] for token in facts["texts"][0]] == [1, 1]
    assert len(load_tokenizer(saved)) == facts["vocabulary"]
    shown = oratory("tokenize", folder, "--text", "We will stay.")
    assert shown.returncode == 0, shown.stderr
    assert "<unk:stay>" in shown.stdout


TINY = ("--seeds", "2", "--set", "layers=1", "--set", "width=8", "--set", "train.save_every=60")


def test_demo_on_a_folder(oratory: Run, folder: Path) -> None:
    shutil.copy(folder / "test_LM_a.txt", folder / "dev_LM.txt")
    out = folder.parent / "out"
    shown = oratory("demo", folder, "--out", out, *TINY)
    assert shown.returncode == 0, shown.stderr
    report, browser, heading, *following, own = shown.stdout.rstrip().splitlines()[-7:]
    assert report == f"The report is at {out / 'report.html'}. To see all of it in a browser:"
    assert browser == f"  oratory serve --runs {out / 'runs'}"
    assert heading == "What to try next:"
    assert [line.split()[1] for line in following] == ["generate", "score", "attend"]
    assert own.endswith("oratory demo reviews.csv")
    page = (out / "report.html").read_text()
    assert "<!doctype html>" in page
    for heading in (
        "In short",
        "Does ALiBi beat learned positions in a language model?",
        "Does RoPE beat learned positions in a classifier?",
        "The best small language model",
        "What the language model looks at",
        "What a model must beat",
        "How to repeat it",
    ):
        assert heading in page
    for line in (browser, *following):
        assert line.strip() in unescape(page)
    command = shlex.join(["oratory", "demo", str(folder), "--seeds", "2", "--out", str(out), *TINY[2:]])
    assert escape(command) in page
    again = oratory(*shlex.split(command)[1:])
    assert again.stderr.count(": had (") == 8


@pytest.mark.long
def test_demo_on_the_default_corpus(oratory: Run, tmp_path: Path) -> None:
    small = ("--set", "train.batch=32", "--set", "context=16")
    facts = result(oratory("demo", "--out", tmp_path, *TINY, *small, "--json"))
    assert facts["corpus"]["fingerprint"] == facts["audit"]["fingerprint"] == facts["baselines"]["fingerprint"]
    assert facts["comparisons"]["classifier"]["variants"][0]["verdict"] == "baseline"
    assert set(facts["best"]["lm"]["perplexity"]) >= {"train", "obama"}
    assert Path(facts["report"]).is_file()


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    command = f"{sys.executable} -m oratory data show {folder} | true"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert ran.stderr == ""


def test_a_full_disk_and_a_poor_terminal(folder: Path) -> None:
    (folder / "train_LM.txt").write_text("caf\u00e9 \u6f22\n")
    show = f"{sys.executable} -m oratory data show {folder}"
    poor = subprocess.run(show.split(), capture_output=True, env={"PYTHONIOENCODING": "ascii"}, check=False)
    assert (poor.returncode, poor.stderr) == (0, b"")
    full = subprocess.run(f"{show} --json > /dev/full", shell=True, capture_output=True, text=True, check=False)
    assert full.returncode != 0
    assert "Traceback" not in full.stderr


def test_a_narrow_terminal_cuts_no_figure(folder: Path, monkeypatch: pytest.MonkeyPatch, oratory: Run) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shown = oratory("audit", folder).stdout
    assert "\u2026" not in shown


def test_mechanisms_lists_every_one_with_its_paper(oratory: Run) -> None:
    found = result(oratory("mechanisms", "--json"))
    assert {kind: len(entries) for kind, entries in found.items()} == {
        "embedding": 3,
        "position": 18,
        "pattern": 6,
        "merge": 5,
        "pool": 5,
        "norm": 4,
        "feedforward": 7,
        "attention": 13,
        "residual": 11,
        "mixer": 6,
        "head": 8,
        "objective": 4,
    }
    (rope,) = (entry for entry in found["position"] if entry["name"] == "rope")
    assert "2104.09864" in rope["paper"]
    assert [parameter["name"] for parameter in rope["parameters"]] == ["base", "share", "layout"]
    shown = oratory("mechanisms", "pattern")
    assert shown.returncode == 0
    assert "longformer" in shown.stdout


@pytest.mark.parametrize(("task", "total"), [("classifier", 576_467), ("lm", 863_243)])
def test_dry_run_on_the_speeches(oratory: Run, speeches_folder: Path, task: str, total: int) -> None:
    found = result(oratory("train", task, "--data", speeches_folder, "--dry-run", "--json"))
    assert found["parameters"]["total"] == total
    assert sum(found["parameters"]["components"].values()) == total
    assert found["config"]["position"] == "learned"


def test_dry_run_with_settings(oratory: Run, folder: Path) -> None:
    words = ["position=rope(share=0.5)", "pattern=window(size=3)", "layers=2", "pool=cls", "tokenizer=char"]
    found = result(oratory("train", "classifier", *words, "--data", folder, "--dry-run", "--json"))
    assert found["config"]["position"] == "rope(share=0.5)"
    assert found["config"]["pattern"] == "window(size=3)"
    assert found["config"]["tokenizer"] == "char(specials=<CLS>)"
    assert oratory("train", "lm", "--data", folder, "--dry-run").returncode == 0


def test_a_mechanism_of_ones_own(oratory: Run, folder: Path) -> None:
    examples = Path(__file__).parents[2] / "docs" / "examples"
    good = oratory("check", examples / "decay.py")
    assert good.returncode == 0, good.stdout
    bad = oratory("check", examples / "broken.py", "--json")
    assert bad.returncode == 1
    (peek,) = json.loads(bad.stdout)["mechanisms"]
    failed = {check["name"] for check in peek["checks"] if check["verdict"] == "failed"}
    assert "the future does not leak" in failed
    plugin = ("--plugin", examples / "decay.py", "--data", folder, "--dry-run", "--json")
    found = result(oratory("train", "lm", "position=decay(start=1.0)", *plugin))
    assert found["config"]["position"] == "decay(start=1.0)"
