"""Results item by item, as Parquet: what paired comparisons are made of."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from oratory.errors import InputError
from oratory.files import read_bytes, write_bytes
from oratory.training.scores import ClassifierScores, LanguageScores, Scores


def write_items(path: Path, scores: Scores) -> None:
    """Everything but train: a row for each text of a classifier, or for each token of a language model."""
    table = _labelled(scores) if isinstance(scores, ClassifierScores) else _running(scores)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    write_bytes(path, sink.getvalue().to_pybytes())


def read_items(path: Path) -> pa.Table:
    """The table that `write_items` wrote."""
    try:
        return pq.read_table(pa.BufferReader(read_bytes(path)))
    except pa.ArrowException as error:
        raise InputError(f"{path} is not a whole Parquet file: {error}.") from None


def _labelled(scores: ClassifierScores) -> pa.Table:
    parts = []
    for name, split in scores.splits.items():
        if name == "train":
            continue
        size = len(split.labels)
        columns: dict[str, Any] = {
            "split": pa.array([name] * size, pa.string()),
            "item": np.arange(size),
            "label": split.labels,
            "predicted": split.predicted,
            "correct": split.correct,
            "nats": split.nats,
            "seen": pa.nulls(size, pa.bool_()) if split.seen is None else split.seen,
            "probabilities": pa.array(list(split.probabilities), pa.list_(pa.float32())),
        }
        parts.append(pa.table(columns))
    return pa.concat_tables(parts) if parts else pa.table({})


def _running(scores: LanguageScores) -> pa.Table:
    parts = []
    for name, text in scores.texts.items():
        if name == "train":
            continue
        size = len(text.nats)
        columns: dict[str, Any] = {
            "text": pa.array([name] * size, pa.string()).dictionary_encode(),
            "line": text.lines,
            "token": text.tokens,
            "nats": text.nats,
            "seen": pa.nulls(size, pa.bool_()) if text.seen is None else text.seen,
        }
        parts.append(pa.table(columns))
    return pa.concat_tables(parts, promote_options="permissive") if parts else pa.table({})
