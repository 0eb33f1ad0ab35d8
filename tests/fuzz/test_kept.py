"""What is kept of runs and comparisons, damaged or made by a stranger whose checksums are right."""

import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import torch
from hypothesis import strategies as st

from oratory.comparisons.record import ComparisonRecord
from oratory.execution.train import train
from oratory.files import digest
from oratory.records import write_record
from oratory.reports.run import run_document
from oratory.runs import Run, Store
from oratory.runs.checkpoint import FACTS, MANIFEST, TENSORS, latest_checkpoint, read_checkpoint, write_checkpoint
from oratory.runs.lines import read_lines, written_line
from oratory.runs.record import ITEMS, METRICS, MODEL, RECORD, TIMES, TOKENIZER
from oratory.text import load_corpus
from oratory.text.recorded import RecordedCorpus
from oratory.tokens import load_tokenizer, train_tokenizer
from oratory.tokens.corpus import SETTINGS
from tests.execution.training import CLASSIFIER, write_corpus
from tests.fuzz.tried import a_folder, changed, damaged, refused_at_most, tried
from tests.runs.records import record

_FOLDER = tempfile.TemporaryDirectory(prefix="oratory-fuzz-")


@cache
def corpus() -> Path:
    return write_corpus(Path(_FOLDER.name) / "corpus")


@cache
def trained() -> Run:
    """A small classifier."""
    return train("classifier", corpus(), CLASSIFIER | {"train.epochs": "1"}, runs=Path(_FOLDER.name) / "runs")


@cache
def tokenizer(kind: str) -> bytes:
    """The file of a trained tokenizer."""
    path = Path(_FOLDER.name) / f"{kind}.json"
    train_tokenizer(load_corpus(corpus()), kind, spelling=kind == "word").save(path)
    return path.read_bytes()


def use(store: Store, name: str) -> None:
    """Everything that reads a run."""
    with refused_at_most():
        store.catalogue.rebuild()
        store.entries()
    store.verify(name)
    for read in (Run.to_dict, Run.tables, Run.history, Run.items, run_document, lambda run: run.score("Yes.")):
        with refused_at_most():
            read(store.open(name))


@tried(damaged(json.dumps(record(), indent=1).encode()))
def test_damaged_records(content: bytes) -> None:
    with a_folder() as folder:
        (folder / "run-1").mkdir()
        (folder / "run-1" / RECORD).write_bytes(content)
        use(Store(folder), "run-1")


@tried(changed(record()))
def test_records_of_strangers(values: Any) -> None:
    with a_folder() as folder:
        (folder / "run-1").mkdir()
        (folder / "run-1" / RECORD).write_text(json.dumps(values))
        use(Store(folder), "run-1")


def _a_stranger(run: Run, folder: Path, name: str, content: bytes) -> None:
    """A run with another content of a file, whose checksum is right."""
    shutil.copytree(run.folder, folder / run.id)
    (folder / run.id / name).write_bytes(content)
    files = dict(run.record.files) | {name: digest(content)}
    write_record(folder / run.id / RECORD, run.record.changed(files=files).to_dict())


@tried(st.sampled_from((METRICS, TIMES, ITEMS, MODEL, TOKENIZER)), st.booleans(), st.data())
def test_files_of_strangers(name: str, is_told: bool, data: st.DataObject) -> None:
    run = trained()
    content = data.draw(damaged((run.folder / name).read_bytes()))
    with a_folder() as folder:
        _a_stranger(run, folder, name, content)
        if not is_told:
            write_record(folder / run.id / RECORD, run.record.to_dict())
        use(Store(folder), run.id)


@tried(st.data())
def test_trained_runs_with_other_records(data: st.DataObject) -> None:
    run = trained()
    with a_folder() as folder:
        shutil.copytree(run.folder, folder / run.id)
        values = data.draw(changed(json.loads(json.dumps(run.record.to_dict()))))
        (folder / run.id / RECORD).write_text(json.dumps(values))
        use(Store(folder), run.id)


@tried(st.data())
def test_lines_of_metrics(data: st.DataObject) -> None:
    lines = b"".join(written_line({"step": step, "loss": 1 / (step + 1)}) for step in range(4))
    with a_folder() as folder:
        path = folder / METRICS
        path.write_bytes(data.draw(damaged(lines)))
        with refused_at_most():
            whole = read_lines(path)
            assert whole.size <= len(path.read_bytes())


@cache
def compared() -> dict[str, Any]:
    """What a comparison keeps, as plain values."""
    with a_folder() as folder:
        store = Store(folder)
        empty: dict[str, Any] = {"settings": {}, "runs": ["run-1", None], "search": None}
        variants = [{"name": name, **empty} for name in ("a", "b")]
        corpus = RecordedCorpus("speeches", "f00d", "sotu")
        kept = ComparisonRecord(
            id="compare-1", task="lm", corpus=corpus, variants=(), seeds=(0, 1), settings={"layers": "1"}
        )
        kept.write(store)
        values: dict[str, Any] = json.loads((folder / ComparisonRecord.FOLDER / "compare-1.json").read_text())
        del values["digest"]
        return values | {"variants": variants, "plugins": [["a.py", "x"]]}


@tried(st.data())
def test_comparisons(data: st.DataObject) -> None:
    is_bytes = data.draw(st.booleans())
    content = (
        data.draw(damaged(json.dumps(compared()).encode()))
        if is_bytes
        else json.dumps(data.draw(changed(compared()))).encode()
    )
    with a_folder() as folder:
        (folder / ComparisonRecord.FOLDER).mkdir()
        (folder / ComparisonRecord.FOLDER / "compare-1.json").write_bytes(content)
        with refused_at_most():
            ComparisonRecord.read("compare-1", Store(folder))


@tried(st.sampled_from(sorted({*SETTINGS} - {"pretrained"})), st.booleans(), st.data())
def test_tokenizers(kind: str, is_bytes: bool, data: st.DataObject) -> None:
    whole = tokenizer(kind)
    content = data.draw(damaged(whole)) if is_bytes else json.dumps(data.draw(changed(json.loads(whole)))).encode()
    with a_folder() as folder:
        (folder / TOKENIZER).write_bytes(content)
        with refused_at_most():
            found = load_tokenizer(folder / TOKENIZER)
            found.decode(found.encode("Yes, we can go on. zounds"))


@tried(st.sampled_from((TENSORS, FACTS, MANIFEST)), st.booleans(), st.data())
def test_checkpoints(name: str, is_told: bool, data: st.DataObject) -> None:
    with a_folder() as folder:
        path = write_checkpoint(folder, 3, {"w": torch.arange(6.0).view(2, 3)}, {"step": 3, "best": None})
        content = data.draw(damaged((path / name).read_bytes()))
        (path / name).write_bytes(content)
        if is_told and name != MANIFEST:
            files = {each: digest((path / each).read_bytes()) for each in (TENSORS, FACTS)}
            (path / MANIFEST).write_text(json.dumps(files))
        with refused_at_most():
            read_checkpoint(path)
        latest_checkpoint(folder, lambda _: None)
