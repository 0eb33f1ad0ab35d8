"""The record of one run: a folder that holds all that a comparison or a report needs."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oratory.errors import InputError
from oratory.files import digest, read_bytes, write_text
from oratory.tables import Table, Tabled, number, percent

if TYPE_CHECKING:
    import pyarrow

    from oratory.model import ModelConfig, Transformer
    from oratory.runs.use import TextClass, TextSurprisal
    from oratory.text import Corpus
    from oratory.tokens import Tokenizer

FORMAT = 1
"""Raised when older code could no longer read the record."""

RECORD, METRICS, TIMES, ITEMS = "run.json", "metrics.jsonl", "times.jsonl", "items.parquet"
MODEL, TOKENIZER, CHECKPOINTS = "model.safetensors", "tokenizer.json", "checkpoints"
STATUSES = ("running", "interrupted", "finished", "diverged")
NOT_IDENTITY = ("train.save_every", "train.threads")
"""Settings that decide nothing about the result."""


def key_of(
    task: str, settings: dict[str, Any], fingerprint: str, seed: int | None, processes: int, version: str
) -> str:
    """What makes a run this run and no other; without a seed, what the runs of one variant have in common."""
    deciding = {name: value for name, value in settings.items() if name not in NOT_IDENTITY}
    described = json.dumps([task, deciding, fingerprint, seed, processes, version], sort_keys=True)
    return hashlib.sha256(described.encode()).hexdigest()


@dataclass(frozen=True, repr=False)
class Run(Tabled):
    """A run in the store. What it holds is read when it is asked for."""

    folder: Path
    record: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> "Run":
        """The run in a folder, or an InputError that says why there is none."""
        try:
            record = json.loads(read_bytes(folder / RECORD))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{folder / RECORD} is damaged: {error}.") from None
        if not isinstance(record, dict) or not isinstance(record.get("format"), int):
            raise InputError(f"{folder / RECORD} is not the record of a run.")
        if record["format"] > FORMAT:
            raise InputError(
                f"The run {folder.name} was written by a newer Oratory (format {record['format']}; this one reads up "
                f"to {FORMAT}): update Oratory to use it."
            )
        return cls(folder, record)

    def __repr__(self) -> str:
        return f"<Run {self.id}: {self.task} on {self.record['corpus']['name']}, seed {self.seed}, {self.status}>"

    @property
    def id(self) -> str:
        return str(self.record["id"])

    @property
    def task(self) -> str:
        return str(self.record["task"])

    @property
    def seed(self) -> int:
        return int(self.record["seed"])

    @property
    def status(self) -> str:
        return str(self.record["status"])

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting by its name."""
        return dict(self.record["settings"])

    @property
    def result(self) -> dict[str, Any]:
        """Every figure of the finished run, by split or text."""
        if self.status != "finished":
            raise InputError(f"The run {self.id} is not finished ({self.status}), so it has no result yet.")
        return dict(self.record["result"])

    def write(self, **changes: Any) -> "Run":
        """The run with a changed record, written."""
        record = self.record | changes
        write_text(self.folder / RECORD, json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False))
        return Run(self.folder, record)

    def metrics(self) -> list[dict[str, Any]]:
        """Every line of the metrics: one for each update, and one for each evaluation."""
        path = self.folder / METRICS
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        return [json.loads(line) for line in lines[:-1]]  # What follows the last line end was cut short.

    def history(self) -> list[dict[str, Any]]:
        """The evaluations."""
        times = {entry["step"]: entry["seconds"] for entry in self._times()}
        found = [entry for entry in self.metrics() if "epoch" in entry]
        return [{**entry, "seconds": times.get(entry["step"])} for entry in found]

    def _times(self) -> list[dict[str, Any]]:
        path = self.folder / TIMES
        return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] if path.exists() else []

    def items(self) -> "pyarrow.Table":
        """Predictions for every item of dev and test, or the nats of every token there."""
        from oratory.runs.items import read_items

        return read_items(self.folder / ITEMS)

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        from oratory.tokens import load_tokenizer

        return load_tokenizer(self.folder / TOKENIZER)

    @cached_property
    def config(self) -> "ModelConfig":
        """The configuration of the model."""
        from oratory.runs.model import config_of

        return config_of(self)

    @cached_property
    def model(self) -> "Transformer":
        """The trained model, ready to use."""
        from oratory.runs.model import load_model

        return load_model(self)

    @property
    def source(self) -> str | None:
        """The text that loads the corpus again; None where the corpus was made by hand."""
        from oratory.text import source_text

        return source_text(self.record["corpus"]["source"])

    def load_corpus(self) -> "Corpus":
        """The corpus, from where it was when the run began."""
        from oratory.text import load_corpus

        if self.source is None:
            raise InputError(f"The run {self.id} does not say how its corpus was loaded; name it with --data.")
        return load_corpus(self.source)

    def score(self, texts: str | Sequence[str]) -> "list[TextSurprisal | TextClass]":
        """Each text by itself: class probabilities, or the surprisal of every token."""
        from oratory.runs.use import score

        return score(self, texts)

    def generate(self, prompt: str = "", tokens: int = 50, **options: Any) -> str:
        """The prompt and what a language model makes of it; `options` are those of `oratory.generate`."""
        from oratory.runs.use import generate

        return generate(self, prompt, tokens, **options)

    def verify(self) -> list[str]:
        """A sentence for every file that is missing or changed; none where the run is as it was written."""
        wrong = []
        for name, expected in self.record.get("files", {}).items():
            try:
                found = digest(read_bytes(self.folder / name))
            except InputError as error:
                wrong.append(str(error))
                continue
            if found != expected:
                wrong.append(f"{self.folder / name} was changed or damaged: its checksum is not that of the record.")
        return wrong

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        facts: dict[str, Any] = {
            "run": self.id,
            "status": self.status,
            "task": self.task,
            "corpus": self.record["corpus"],
            "seed": self.seed,
            "settings": self.settings,
            "parameters": self.record["parameters"],
            "seconds": self.record["seconds"],
        }
        result = self.record.get("result") or {}
        if self.task == "classifier":
            facts |= {"train": result.get("train"), "dev": result.get("dev"), "test": result.get("test")}
            facts["before"], facts["epochs"] = self._epochs()
        else:
            for figure in ("perplexity", "perplexity_windows", "perplexity_lines", "bits_per_byte"):
                facts[figure] = {name: text[figure] for name, text in result.items()}
            facts["texts"] = result
            facts["history"] = [
                {
                    "iteration": entry["step"],
                    "loss": entry["train_loss"],
                    **entry["perplexity"],
                    "seconds": entry["seconds"],
                }
                for entry in self.history()
            ]
        return facts

    def _epochs(self) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
        """The evaluations of a classifier: before training, and on the way."""
        keys = ("epoch", "train_loss", "train_accuracy", "dev_accuracy", "test_accuracy", "seconds")
        more = ("test_accuracy_seen", "test_accuracy_unseen", "dev_nats", "test_nats")
        rows = []
        for entry in self.history():
            row: dict[str, Any] = {key: entry.get(key) for key in keys}
            row |= {key: entry[key] for key in more if key in entry}
            row["epoch"] = int(row["epoch"]) if float(row["epoch"]).is_integer() else row["epoch"]
            rows.append(row)
        before = next((row for row in rows if row["epoch"] == 0), None)
        return before, [row for row in rows if row["epoch"]]

    def tables(self) -> list[Table]:
        """The result, and what was asked for."""
        return [*self.results(), self._about(self.record["given"])]

    def results(self) -> list[Table]:
        """The result, where there is one."""
        if self.status != "finished":
            return []
        return [self._classifier_table() if self.task == "classifier" else self._language_table()]

    def all_settings(self) -> Table:
        """Every setting, given or not."""
        return self._about(self.settings)

    def _about(self, settings: Mapping[str, Any]) -> Table:
        rows = [(name, str(value)) for name, value in settings.items()]
        corpus = f"{self.record['corpus']['name']} ({self.record['corpus']['fingerprint']})"
        about = [("run", self.id), ("status", self.status), ("corpus", corpus), ("seed", str(self.seed))]
        about += [("parameters", number(self.record["parameters"]["total"]))]
        about += [("seconds", number(self.record["seconds"], 1))]
        return Table("The run", ("setting", "value"), tuple(about + rows), words=2)

    def _classifier_table(self) -> Table:
        columns = ("split", "items", "all %", "seen %", "unseen %", "loss", "calibration error")
        rows = tuple(
            (
                name,
                number(split["items"]),
                percent(split["accuracy"]),
                percent(split.get("accuracy_seen")),
                percent(split.get("accuracy_unseen")),
                number(split["loss"], 3),
                number(split["calibration_error"], 3),
            )
            for name, split in self.result.items()
        )
        return Table(f"Accuracy after {self.record['step']:,} updates", columns, rows)

    def _language_table(self) -> Table:
        columns = ("text", "tokens", "perplexity", "windows", "bits per byte")
        rows = tuple(
            (
                name,
                number(text["tokens"]),
                number(text["perplexity"], 1),
                number(text["perplexity_windows"], 1),
                number(text["bits_per_byte"], 3),
            )
            for name, text in self.result.items()
        )
        stride = self.record["stride"]
        note = f"perplexity: every token once, windows of {self.settings['context']} tokens moved on by {stride}; "
        note += "windows: the reference way, windows that do not overlap."
        return Table(f"Perplexity after {self.record['step']:,} updates", columns, rows, note=note)
