"""The loading code of the hub, on a local folder in its place."""

import json
from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.text import load_corpus

pytest.importorskip("datasets", reason="the extra 'hub' is not installed")


def on_the_hub(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of everything that the hub has."""
    import datasets

    load = datasets.load_dataset
    monkeypatch.setattr(datasets, "load_dataset", lambda path, configuration: load(str(folder), configuration))
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path_factory.mktemp("hub"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the hub has under the name me/data."""
    return on_the_hub(tmp_path, monkeypatch)


def write(folder: Path, split: str, rows: list[dict[str, object]]) -> None:
    (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def rows(count: int, hidden: bool = False) -> list[dict[str, object]]:
    return [{"sentence": f"text number {i}", "label": -1 if hidden else i % 2} for i in range(count)]


def test_splits_and_columns(folder: Path) -> None:
    write(folder, "train", rows(8))
    write(folder, "validation", rows(4))
    write(folder, "test", rows(2))
    data = load_corpus("hub:me/data").need_classifier()
    assert [len(split) for _, split in data.splits()] == [8, 4, 2]
    assert data.label_names == ("0", "1")


def test_hidden_test_labels_leave_the_split_out(folder: Path) -> None:
    write(folder, "train", rows(8))
    write(folder, "test", rows(3, hidden=True))
    corpus = load_corpus("hub:me/data")
    assert corpus.need_classifier().test is None
    assert corpus.notes == ("The labels of test are hidden; that split is left out.",)


def test_names_of_labels(folder: Path) -> None:
    import datasets

    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["negative", "positive"])}
    )
    made = datasets.Dataset.from_dict({"text": ["bad day", "good day"], "label": [0, 1]}, features=features)
    made.to_parquet(str(folder / "train.parquet"))
    data = load_corpus("hub:me/data").need_classifier()
    assert data.label_names == ("negative", "positive")


def test_running_text_without_labels(folder: Path) -> None:
    write(folder, "train", [{"text": " = Title = "}, {"text": ""}, {"text": "A line.\n"}])
    write(folder, "test", [{"text": "Another."}])
    corpus = load_corpus("hub:me/data")
    assert corpus.classifier is None
    assert corpus.need_lm().train == ("= Title =", "A line.")
    assert corpus.need_lm().tests == {"test": ("Another.",)}


def test_a_label_without_a_name(folder: Path) -> None:
    import datasets

    features = datasets.Features({"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["no", "yes"])})
    made = datasets.Dataset.from_dict({"text": ["a", "b", "c"], "label": [0, 1, -1]}, features=features)
    made.to_parquet(str(folder / "train.parquet"))
    with pytest.raises(InputError, match="line 3: the label -1 has no name"):
        load_corpus("hub:me/data")


def test_files_that_the_library_cannot_read(folder: Path) -> None:
    (folder / "train.jsonl").write_text("{oops")
    with pytest.raises(InputError, match="cannot be loaded"):
        load_corpus("hub:me/data")
    with pytest.raises(InputError, match="hub needs its parameter 'name'"):
        load_corpus("hub:")


def test_no_train_split(folder: Path) -> None:
    write(folder, "test", rows(2))
    with pytest.raises(InputError, match="has no train split, only test"):
        load_corpus("hub:me/data")


@pytest.mark.parametrize("name", ["..", ".", "../..", "../../folder", "/etc", "~", "a/b/c", "./a", "a/..", "-a", "a b"])
def test_a_folder_is_no_name_of_the_hub(name: str) -> None:
    with pytest.raises(InputError, match="is not a name on the hub"):
        load_corpus(f"hub:{name}")


def test_a_folder_that_would_be_read_in_place_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "imdb").mkdir()
    with pytest.raises(InputError, match=r"is a folder here.*\./imdb"):
        load_corpus("hub:imdb")


def test_a_data_set_that_is_too_large(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "train", rows(8))
    monkeypatch.setattr("oratory.text.formats.MOST_ROWS", 7)
    with pytest.raises(InputError, match=r"hub:me/data \(train\) has 8 rows; at most 7 are read"):
        load_corpus("hub:me/data")


def test_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    # An address that no name server knows (RFC 6761), whatever network this machine has.
    monkeypatch.setattr(constants, "ENDPOINT", "https://hub.invalid")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.delenv("https_proxy", raising=False)
    monkeypatch.delenv("HTTPS_PROXY", raising=False)
    with pytest.raises(InputError, match="hub:nobody/nothing-at-all cannot be reached: no network"):
        load_corpus("hub:nobody/nothing-at-all")
