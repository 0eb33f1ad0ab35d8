"""Results that a store keeps besides runs, damaged or made by a stranger: listed, loaded and reported."""

import json
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from oratory import api
from oratory.records import write_record
from tests.execution.training import quick, write_corpus
from tests.execution.workers import here
from tests.fuzz.tried import a_folder, changed, damaged, refused_at_most, tried

_FOLDER = tempfile.TemporaryDirectory(prefix="oratory-fuzz-")
TINY = {"layers": "1", "width": "8", "context": "8", "tokenizer": "char", "train.threads": "1", "train.epochs": "1"}
KINDS = ("atlases", "comparisons", "ensembles", "scales", "searches")


@cache
def store() -> Path:
    """A store with a comparison, an ensemble, a study of scale, a search and an atlas of small classifiers."""
    place = quick(Path(_FOLDER.name))
    corpus, runs = write_corpus(place / "corpus"), place / "runs"
    given: dict[str, Any] = {"corpus": corpus, "settings": TINY, "runs": runs}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("oratory.execution.place.executor_of", lambda on, workers=None: here)
        compared = api.compare("base", "position=alibi", seeds=4, **given)
        api.ensemble(compared.id, runs=runs, size=2)
        api.scale("base", sizes=[0.5, 1.0], seeds=3, **given)
        api.atlas(only=["pool"], seeds=3, limit=1e9, **given)
        api.search("train.lr=1e-3,1e-2", method="grid", seeds=2, **given)
    return runs


def files() -> dict[str, Path]:
    """A file of each kind of result."""
    return {path.parent.name: path for path in sorted(store().glob("*/*-*.*")) if path.parent.name in KINDS}


def use(folder: Path, kind: str, content: bytes) -> None:
    """Everything that reads a result."""
    path = files()[kind]
    shutil.copytree(store(), folder / "runs")
    (folder / "runs" / kind / path.name).write_bytes(content)
    with refused_at_most():
        api.list_results(folder / "runs").to_dict()
    with refused_at_most():
        api.report(path.stem, folder / "report.html", folder / "runs")


@tried(st.sampled_from(KINDS), st.data())
def test_damaged_results(kind: str, data: st.DataObject) -> None:
    with a_folder() as folder:
        use(folder, kind, data.draw(damaged(files()[kind].read_bytes())))


@tried(st.sampled_from(sorted({*KINDS} - {"searches"})), st.data())
def test_results_of_strangers(kind: str, data: st.DataObject) -> None:
    values = json.loads(files()[kind].read_bytes())
    del values["digest"]
    with a_folder() as folder:
        made = data.draw(changed(values))
        path = folder / "made.json"
        path.write_text(json.dumps(made))
        with suppress(ValueError, TypeError):  # No record, or one that has numbers without end.
            write_record(path, made)  # With the right checksum.
        use(folder, kind, path.read_bytes())


@tried(st.data())
def test_kept_baselines(data: st.DataObject) -> None:
    """Those that are not whole are measured again."""
    with a_folder() as folder:
        shutil.copytree(store(), folder / "runs")
        for path in (folder / "runs" / "baselines").iterdir():
            path.write_bytes(data.draw(damaged(path.read_bytes())))
        with refused_at_most():
            api.report(files()["comparisons"].stem, folder / "report.html", folder / "runs")
        assert (folder / "report.html").exists()
