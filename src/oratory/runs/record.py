"""The record of one run: typed facts, kept as `run.json`."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from oratory.errors import InputError
from oratory.files import read_bytes
from oratory.ids import key_of
from oratory.text import source_text

FORMAT = 1
"""Raised when older code could no longer read the record."""

RECORD, METRICS, TIMES, ITEMS = "run.json", "metrics.jsonl", "times.jsonl", "items.parquet"
MODEL, TOKENIZER, CHECKPOINTS = "model.safetensors", "tokenizer.json", "checkpoints"
STATUSES = ("running", "interrupted", "finished", "diverged")
NOT_IDENTITY = ("train.save_every", "train.threads")
"""Settings that do not change the result."""


@dataclass(frozen=True)
class RecordedCorpus:
    """The corpus of a run."""

    name: str
    fingerprint: str
    source: str | None = None
    """The text that loads it again; None for a corpus that was made by hand."""


@dataclass(frozen=True)
class Machine:
    """The machine that a run was trained on."""

    threads: int
    processes: int
    platform: str = ""
    device: str = "cpu"


@dataclass(frozen=True)
class PluginFile:
    """A file with mechanisms that are not Oratory's own."""

    name: str
    sha256: str
    path: str | None = None
    """Where it was; a plugin is the same wherever its file is."""

    def identity(self) -> dict[str, str]:
        """What makes it this plugin and no other."""
        return {"name": self.name, "sha256": self.sha256}


@dataclass(frozen=True)
class ParameterCount:
    """How many parameters a model has, in all and by component."""

    total: int
    components: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Record:
    """All facts about a run but its files."""

    id: str
    key: str
    group: str
    """The key without the seed: the runs of one variant share it."""
    task: str
    seed: int
    status: str
    corpus: RecordedCorpus
    settings: Mapping[str, Any]
    """Every setting by its name."""
    given: Mapping[str, str]
    """The settings that the user gave."""
    parameters: ParameterCount
    versions: Mapping[str, str]
    machine: Machine
    created: str
    labels: tuple[str, ...] = ()
    plugins: tuple[PluginFile, ...] = ()
    finished: str | None = None
    seconds: float | None = 0.0
    step: int = 0
    steps: int | None = None
    result: Mapping[str, Any] | None = None
    """The figures of the finished run, by split or text."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The checksum of each file."""
    message: str | None = None
    """Why training diverged."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the task keeps besides, such as the stride of a language model."""

    @classmethod
    def read(cls, folder: Path) -> "Record":
        """The record in the folder of a run, or an InputError that says what is wrong with it."""
        path = folder / RECORD
        try:
            values = json.loads(read_bytes(path))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path} is damaged: {error}.") from None
        if not isinstance(values, dict) or not isinstance(values.get("format"), int):
            raise InputError(f"{path} is not the record of a run.")
        if values["format"] > FORMAT:
            raise InputError(
                f"The run {folder.name} was written by a newer Oratory (format {values['format']}; this one reads up "
                f"to {FORMAT}): update Oratory to use it."
            )
        return cls.of_values(values, path)

    @classmethod
    def of_values(cls, values: Mapping[str, Any], path: Path) -> "Record":
        """A record from plain values, or an InputError."""
        try:
            return cls._of_values(values)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise InputError(f"{path} is damaged: {reason}.") from None

    @classmethod
    def _of_values(cls, values: Mapping[str, Any]) -> "Record":
        known = {item.name for item in fields(cls)} | {"format"}
        corpus, parameters, machine = values["corpus"], values["parameters"], values["machine"]
        settings = dict(values["settings"])
        json.dumps(settings, allow_nan=False)
        if values["status"] not in STATUSES:
            raise ValueError(f"status {values['status']!r}")
        plain: dict[str, Any] = {
            name: str(values[name]) for name in ("id", "key", "group", "task", "status", "created")
        }
        optional = ("finished", "seconds", "step", "steps", "result", "message")
        return cls(
            **plain,
            seed=int(values["seed"]),
            corpus=RecordedCorpus(corpus["name"], corpus["fingerprint"], source_text(corpus["source"])),
            settings=settings,
            given=dict(values["given"]),
            parameters=ParameterCount(int(parameters["total"]), parameters.get("components", {})),
            versions=dict(values["versions"]),
            machine=Machine(**machine),
            labels=tuple(values.get("labels", ())),
            plugins=tuple(PluginFile(**plugin) for plugin in values.get("plugins", ())),
            files=values.get("files", {}),
            facts={name: value for name, value in values.items() if name not in known},
            **{name: values[name] for name in optional if name in values},
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for `run.json`; what is not known yet is left out."""
        values = {"format": FORMAT, **{item.name: getattr(self, item.name) for item in fields(self)}}
        values |= {name: asdict(values[name]) for name in ("corpus", "machine", "parameters")}
        values |= {"labels": list(self.labels), "plugins": [asdict(plugin) for plugin in self.plugins]}
        values |= values.pop("facts")
        unknown = ("steps", "result", "message", "files")
        return {name: value for name, value in values.items() if value or name not in unknown}

    def changed(self, **changes: Any) -> "Record":
        """The record with other values."""
        return replace(self, **changes)


def identity_of(
    task: str, settings: Mapping[str, Any], fingerprint: str, seed: int | None, processes: int, version: str
) -> str:
    """The key of a run: what makes it this run and no other. Without a seed, the key of the runs of one variant."""
    deciding = {name: value for name, value in settings.items() if name not in NOT_IDENTITY}
    return key_of([task, deciding, fingerprint, seed, processes, version])
