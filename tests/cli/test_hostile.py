"""Folders of strangers: code that they name or hold is never run, whatever is done with the model."""

import json
from pathlib import Path
from typing import Any

import pytest

from oratory.exports import hf
from tests.cli.conftest import Run, result
from tests.execution.training import write_corpus
from tests.training.finetuning import write_model

SMALL = ("context=12", "train.batch=5", "train.epochs=1", "train.threads=1", "--data", "corpus", "--json")
WAYS = {
    "bert, hf": ("bert", ()),
    "bert, own": ("bert", ("engine=own",)),
    "bert, mean": ("bert", ("pool=mean",)),
    "distilbert": ("distilbert", ()),
    "distilbert, mean": ("distilbert", ("pool=mean",)),
}
LOADERS = ("AutoConfig", "AutoModel", "AutoModelForSequenceClassification")


def change(path: Path, changes: dict[str, Any]) -> None:
    """Other entries in a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def make_hostile(folder: Path, marker: Path) -> None:
    """Let a model's folder name code in every way there is; the code leaves a file."""
    (folder / "evil.py").write_text(f"from pathlib import Path\nPath({str(marker)!r}).write_text('it ran')\n")
    code = {"auto_map": dict.fromkeys(LOADERS, "evil.Evil"), "_name_or_path": str(folder)}
    pipeline = {"text-classification": {"impl": "evil.Evil", "pt": ["AutoModel"], "type": "text"}}
    code |= {"custom_pipelines": pipeline, "_attn_implementation": "evil/kernel"}
    change(folder / "config.json", code)
    change(folder / "tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["evil.Evil", "evil.Evil"]}})
    adapter = {"base_model_name_or_path": "evil", "auto_mapping": {"base_model_class": "E", "parent_library": "evil"}}
    (folder / "adapter_config.json").write_text(json.dumps(adapter))


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("here")
    write_corpus(folder / "corpus")
    for family in ("bert", "distilbert"):
        make_hostile(write_model(folder / family, family), folder / "marker")
    return folder


@pytest.mark.parametrize("way", WAYS)
def test_no_code_of_a_model_folder_is_run(oratory: Run, here: Path, way: str) -> None:
    model, words = WAYS[way]
    trained = oratory("finetune", model, *words, *SMALL, cwd=here)
    run = result(trained)["run"]
    kept = here / "runs" / run / "pretrained"
    assert "evil" not in "".join(path.read_text() for path in kept.iterdir())
    result(oratory("score", run, "Yes, we can.", "--json", cwd=here))
    # A run that was kept before such entries were left out has them in its own folder too.
    make_hostile(kept, here / "marker")
    forget_checksums(kept.parent / "run.json")
    result(oratory("score", run, "Yes, we can.", "--json", cwd=here))
    out = here / f"{way}, exported"
    folder = result(oratory("export", run, "--to", "hf", "--out", out, "--json", cwd=here))
    assert folder["needs_code"] == ("mean" in way)
    assert "evil" not in "".join(path.read_text() for path in out.glob("*.json"))
    assert [path.name for path in out.glob("*.py")] == (["modeling_mean.py"] if "mean" in way else [])
    change(kept.parent / "run.json", {"status": "interrupted"})
    result(oratory("train", "--resume", run, "--json", cwd=here))
    assert not (here / "marker").exists()
    assert "y/N" not in trained.stdout + trained.stderr


def forget_checksums(path: Path) -> None:
    """Make a record as it was before it knew the files of the published model."""
    record = json.loads(path.read_text())
    record["files"] = {name: sum for name, sum in record["files"].items() if "/" not in name}
    record.pop("digest", None)
    path.write_text(json.dumps(record))


def test_no_code_of_a_tokenizer_folder_is_run(oratory: Run, here: Path) -> None:
    words = ("tokenizer=pretrained:bert", "layers=1", "width=16", "heads=2", "train.epochs=1", "--data", "corpus")
    run = result(oratory("train", "classifier", *words, "--json", cwd=here))["run"]
    result(oratory("score", run, "Yes, we can.", "--json", cwd=here))
    assert not (here / "marker").exists()


def test_a_model_type_that_only_its_folder_knows_is_refused(oratory: Run, here: Path) -> None:
    make_hostile(write_model(here / "odd"), here / "marker")
    change(here / "odd" / "config.json", {"model_type": "evil"})
    for words in ((), ("engine=own",), ("pool=mean",)):
        ran = oratory("finetune", "odd", *words, *SMALL, cwd=here)
        assert ran.returncode == 2, ran.stderr
        assert "model type 'evil'" in ran.stderr
        assert "y/N" not in ran.stdout + ran.stderr
    assert not (here / "marker").exists()


def test_only_our_own_code_is_trusted(tmp_path: Path) -> None:
    assert not hf._is_ours(tmp_path)
    (tmp_path / hf.MEAN_CODE).write_text(hf.MEAN_CLASS)
    assert hf._is_ours(tmp_path)
    (tmp_path / "more.py").write_text("print()")
    assert not hf._is_ours(tmp_path)
    (tmp_path / "more.py").unlink()
    (tmp_path / hf.MEAN_CODE).write_text(hf.MEAN_CLASS + "\n")
    assert not hf._is_ours(tmp_path)
