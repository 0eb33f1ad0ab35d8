"""The loading code of the hub, on local folders that the library `datasets` reads."""

import json
from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.text import load_corpus

pytest.importorskip("datasets", reason="the extra 'hub' is not installed")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path_factory.mktemp("hub"))


def write(folder: Path, split: str, rows: list[dict[str, object]]) -> None:
    (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def rows(count: int, hidden: bool = False) -> list[dict[str, object]]:
    return [{"sentence": f"text number {i}", "label": -1 if hidden else i % 2} for i in range(count)]


def test_splits_and_columns(tmp_path: Path) -> None:
    write(tmp_path, "train", rows(8))
    write(tmp_path, "validation", rows(4))
    write(tmp_path, "test", rows(2))
    data = load_corpus(f"hub:{tmp_path}").need_classifier()
    assert [len(split) for _, split in data.splits()] == [8, 4, 2]
    assert data.label_names == ("0", "1")


def test_hidden_test_labels_leave_the_split_out(tmp_path: Path) -> None:
    write(tmp_path, "train", rows(8))
    write(tmp_path, "test", rows(3, hidden=True))
    corpus = load_corpus(f"hub:{tmp_path}")
    assert corpus.need_classifier().test is None
    assert corpus.notes == ("The labels of test are hidden; that split is left out.",)


def test_names_of_labels(tmp_path: Path) -> None:
    import datasets

    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["negative", "positive"])}
    )
    made = datasets.Dataset.from_dict({"text": ["bad day", "good day"], "label": [0, 1]}, features=features)
    made.to_parquet(str(tmp_path / "train.parquet"))
    data = load_corpus(f"hub:{tmp_path}").need_classifier()
    assert data.label_names == ("negative", "positive")


def test_running_text_without_labels(tmp_path: Path) -> None:
    write(tmp_path, "train", [{"text": " = Title = "}, {"text": ""}, {"text": "A line.\n"}])
    write(tmp_path, "test", [{"text": "Another."}])
    corpus = load_corpus(f"hub:{tmp_path}")
    assert corpus.classifier is None
    assert corpus.need_lm().train == ("= Title =", "A line.")
    assert corpus.need_lm().tests == {"test": ("Another.",)}


def test_a_label_without_a_name(tmp_path: Path) -> None:
    import datasets

    features = datasets.Features({"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["no", "yes"])})
    made = datasets.Dataset.from_dict({"text": ["a", "b", "c"], "label": [0, 1, -1]}, features=features)
    made.to_parquet(str(tmp_path / "train.parquet"))
    with pytest.raises(InputError, match="line 3: the label -1 has no name"):
        load_corpus(f"hub:{tmp_path}")


def test_files_that_the_library_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text("{oops")
    with pytest.raises(InputError, match="cannot be loaded"):
        load_corpus(f"hub:{tmp_path}")
    with pytest.raises(InputError, match="hub needs its parameter 'name'"):
        load_corpus("hub:")


def test_no_train_split_and_no_such_folder(tmp_path: Path) -> None:
    write(tmp_path, "test", rows(2))
    with pytest.raises(InputError, match="has no train split, only test"):
        load_corpus(f"hub:{tmp_path}")
    with pytest.raises(InputError, match="cannot be loaded"):
        load_corpus(f"hub:{tmp_path}/nowhere")


def test_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    # An address that no name server knows (RFC 6761), whatever network this machine has.
    monkeypatch.setattr(constants, "ENDPOINT", "https://hub.invalid")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.delenv("https_proxy", raising=False)
    monkeypatch.delenv("HTTPS_PROXY", raising=False)
    with pytest.raises(InputError, match="hub:nobody/nothing-at-all cannot be reached: no network"):
        load_corpus("hub:nobody/nothing-at-all")
