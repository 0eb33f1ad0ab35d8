"""The record of one run: typed facts, kept as `run.json`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path, PurePosixPath
from typing import Any

from oratory import records
from oratory.errors import InputError
from oratory.ids import is_id, key_of
from oratory.mechanisms.recorded import PluginFile
from oratory.records import WrongValue, checked, read_record, typed
from oratory.text.recorded import RecordedCorpus, with_source
from oratory.training.origins.own.provenance import Ancestor
from oratory.training.tasks import tasks

FORMAT, RECORD, MODEL, TOKENIZER = records.FORMAT, records.RECORD, records.MODEL, records.TOKENIZER
METRICS, TIMES, ITEMS = "metrics.jsonl", "times.jsonl", "items.parquet"
CHECKPOINTS, SNAPSHOTS = "checkpoints", "snapshots"
STATUSES = ("running", "interrupted", "finished", "diverged")
NOT_IDENTITY = ("train.save_every", "train.snapshots", "train.threads")
"""Settings that do not change the result."""
ADDED: Mapping[str, Any] = {
    "embedding_dropout": None,
    "attention_dropout": None,
    "residual_dropout": None,
    "embedding": "tokens",
    "attention": "softmax",
    "residual": "add",
    "mixer": "none",
    "objective": "none",
    "head": "linear",
    "train.average": "none",
    "train.noise": "none",
    "train.rdrop": 0.0,
    "train.teachers": None,
}
"""Settings that earlier records do not have. With these values they change nothing, and so are no part of an id."""
LARGEST = 2**20
"""No size of a model is above this, unless it has as many parameters."""
NEEDED = {"tokenizer": str, "vocabulary": int, "context": int}
"""Settings that every run has, whatever its task."""


@dataclass(frozen=True)
class Machine:
    """The machine that a run was trained on."""

    threads: int
    processes: int
    platform: str = ""
    device: str = "cpu"
    products: str = ""
    """The library that multiplies large matrices; the last bits of a result depend on it."""


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
    provenance: tuple[Ancestor, ...] = ()
    """The earlier runs that the model comes from, the nearest first."""
    contract: Mapping[str, Any] | None = None
    """What the contract found of the model's mechanisms; None where it was not asked."""
    finished: str | None = None
    seconds: float | None = 0.0
    step: int = 0
    steps: int | None = None
    result: Mapping[str, Mapping[str, Any]] | None = None
    """The figures of the finished run, by split or text."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The checksum of each file."""
    message: str | None = None
    """Why training diverged."""
    name: str = ""
    """What the user calls the run. This, its tags and its note can change; nothing of the run depends on them."""
    tags: tuple[str, ...] = ()
    note: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the task keeps besides, such as the stride of a language model."""

    @classmethod
    def read(cls, folder: Path) -> "Record":
        """The record in the folder of a run, or an InputError that says what is wrong with it."""
        path = folder / RECORD
        remedy = f"The run {folder.name} cannot be used; oratory runs rm removes it, and it can be trained again."
        try:
            values = read_record(path)
        except InputError as error:
            if isinstance(error.__context__, PermissionError):
                raise  # The run may be as good as new.
            raise InputError(f"{error} {remedy}") from None
        if not isinstance(values.get("format"), int):
            raise InputError(f"{path} is not the record of a run.")
        if values["format"] > FORMAT:
            raise InputError(
                f"The run {folder.name} was written by a newer Oratory (format {values['format']}; this one reads up "
                f"to {FORMAT}): update Oratory to use it."
            )
        try:
            return cls.of_values(values, path)
        except InputError as error:
            raise InputError(f"{error} {remedy}") from None

    @classmethod
    def of_values(cls, values: Mapping[str, Any], path: Path) -> "Record":
        """A record from plain values, or an InputError that names the field that is wrong."""
        names = {item.name for item in fields(cls)} - {"facts"}
        shaped = {name: value for name, value in values.items() if name in names}
        shaped["facts"] = {name: value for name, value in values.items() if name not in {*names, "format"}}
        record = typed(cls, with_source(shaped, path), path)
        try:
            wrong = record._wrong() or record._wrong_of_task()
        except WrongValue as error:
            wrong = str(error)
        if wrong:
            raise InputError(f"{path} is damaged: {wrong}.")
        return record

    def _wrong(self) -> str | None:
        """What is impossible although it is of the right type; None where nothing is."""
        if not is_id(self.id):
            return f"id must be letters, digits and dashes, not {self.id!r}"
        if self.status not in STATUSES:
            return f"status must be one of {', '.join(STATUSES)}, not {self.status!r}"
        if self.task not in tasks():
            return f"task must be one of {', '.join(tasks())}, not {self.task!r}"
        if "oratory" not in self.versions:
            return "it lacks versions.oratory"
        if self.machine.threads < 1 or self.machine.processes < 1:
            return "machine.threads and machine.processes must be at least 1"
        for name, kind in NEEDED.items():
            if name not in self.settings:
                return f"it lacks settings.{name}"
            checked(kind, self.settings[name], f"settings.{name}")
        most = max(LARGEST, self.parameters.total)
        for name, value in self.settings.items():
            if isinstance(value, int) and "." not in name and not 0 <= value <= most:
                return f"settings.{name} is {value:,}, and the model has {self.parameters.total:,} parameters"
        if self.contract is not None and set(self.contract) != {"broken", "declared", "leaks"}:
            return "contract must have broken, declared and leaks"
        outside = next((name for name in self.files if ".." in PurePosixPath(name).parts or name.startswith("/")), None)
        return None if outside is None else f"files names {outside!r}, which is not in the folder of the run"

    def _wrong_of_task(self) -> str | None:
        """What the task of the run cannot have written; None where it can have written everything."""
        task = tasks()[self.task]
        for name, number in task.kept_numbers.items():
            if name not in self.facts:
                if self.status == "finished":
                    return f"it lacks {name}"
                continue
            found, most = checked(int, self.facts[name], name), number.most(self.settings)
            if not number.least <= found <= most:
                return f"{name} must be from {number.least} to {most:,}, not {found:,}"
        for split, entries in (self.result or {}).items():
            for name, kind in task.results.figure_types.items():
                if name in entries:
                    checked(kind, entries[name], f"result.{split}.{name}")
        return task.results.wrong(self.result or {}, self.labels)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for `run.json`; what is not known yet is left out."""
        values = {"format": FORMAT, **{item.name: getattr(self, item.name) for item in fields(self)}}
        values |= {name: asdict(values[name]) for name in ("corpus", "machine", "parameters")}
        values |= {"labels": list(self.labels), "plugins": [asdict(plugin) for plugin in self.plugins]}
        values["provenance"] = [asdict(ancestor) for ancestor in self.provenance]
        values |= values.pop("facts")
        values["tags"] = list(self.tags)
        unknown = ("provenance", "contract", "steps", "result", "message", "files", "name", "tags", "note")
        return {name: value for name, value in values.items() if value or name not in unknown}

    @property
    def contract_remarks(self) -> tuple[str, ...]:
        """What was found wrong with the model before it was trained, in sentences."""
        if self.contract is None:
            return ()
        broken, declared = self.contract["broken"], self.contract["declared"]
        said = [*broken, *declared]
        if broken:
            said.append("So what the model scores means nothing, and no comparison takes it.")
        elif self.contract["leaks"]:
            said.append("So it sees the future, and no comparison gives it a verdict.")
        return tuple(said)

    def changed(self, **changes: Any) -> "Record":
        """The record with other values."""
        return replace(self, **changes)


def identity_of(
    task: str, settings: Mapping[str, Any], fingerprint: str, seed: int | None, processes: int, version: str
) -> str:
    """The key of a run: what makes it this run and no other. Without a seed, the key of the runs of one variant."""
    deciding = {
        name: value
        for name, value in settings.items()
        if name not in NOT_IDENTITY and not (name in ADDED and ADDED[name] == value)
    }
    return key_of([task, deciding, fingerprint, seed, processes, version])
