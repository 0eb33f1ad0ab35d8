"""A run of one's own that another one starts from, read from its folder."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oratory.errors import InputError, remedied
from oratory.files import exists, read_bytes
from oratory.mechanisms.recorded import PluginFile
from oratory.records import FORMAT, MODEL, RECORD, TOKENIZER, checked_file, read_record, typed
from oratory.text.recorded import RecordedCorpus, with_source
from oratory.training.origins.origin import OWN_RUN, recorded_config
from oratory.training.origins.own.provenance import Ancestor
from oratory.training.tasks import Task, task_of

if TYPE_CHECKING:
    from torch import Tensor

    from oratory.model import ModelConfig
    from oratory.tokens import Tokenizer

SHORT = 16
"""Characters of a checksum."""


@dataclass(frozen=True, kw_only=True)
class EarlierRecord:
    """What is needed of the record of an earlier run."""

    id: str
    task: str
    status: str
    corpus: RecordedCorpus
    settings: Mapping[str, Any]
    labels: tuple[str, ...] = ()
    plugins: tuple[PluginFile, ...] = ()
    provenance: tuple[Ancestor, ...] = ()
    files: Mapping[str, str]


@dataclass(frozen=True)
class EarlierRun:
    """A finished run whose weights another one begins with."""

    folder: Path
    record: EarlierRecord

    @classmethod
    def find(cls, model: str) -> "EarlierRun":
        """The run that a setting names by its folder, or an InputError that says why none can start from it."""
        folder = Path(model.removeprefix(OWN_RUN))
        path = folder / RECORD
        if not exists(path):
            raise InputError(f"{folder} is not the folder of a run: it has no {RECORD}.")
        values = read_record(path)
        if not isinstance(values.get("format"), int) or values["format"] > FORMAT:
            raise InputError(f"{path} is not the record of a run that this version of Oratory reads.")
        if values.get("status") != "finished":
            raise InputError(
                f"The run {values.get('id')} is not finished ({values.get('status')}), so no other can start from it; "
                f"oratory train --resume {values.get('id')} continues it."
            )
        needed = {field.name for field in fields(EarlierRecord)}
        kept = with_source({name: value for name, value in values.items() if name in needed}, path)
        found = cls(folder, typed(EarlierRecord, kept, path))
        for name in (MODEL, TOKENIZER):
            if name not in found.record.files:
                raise InputError(f"{path} is damaged: files does not have {name}.")
        return found

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def task(self) -> Task:
        """What it was trained for."""
        return task_of(self.record.task)

    @property
    def weights(self) -> str:
        """The checksum of its weights."""
        return self.record.files[MODEL][:SHORT]

    @property
    def lineage(self) -> tuple[Ancestor, ...]:
        """The run itself, and those that it comes from."""
        return Ancestor(self.id, self.weights, self.record.corpus), *self.record.provenance

    @cached_property
    def config(self) -> "ModelConfig":
        return recorded_config(self.record, self.task, self.folder)

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        from oratory.tokens import load_tokenizer

        return load_tokenizer(self._checked(TOKENIZER))

    @cached_property
    def tensors(self) -> "dict[str, Tensor]":
        """Its weights by name."""
        from safetensors import SafetensorError
        from safetensors.torch import load

        path = self._checked(MODEL)
        try:
            return load(read_bytes(path))
        except SafetensorError as error:
            raise InputError(f"{path} does not hold the weights of a run: {error}.") from None

    def _checked(self, name: str) -> Path:
        """The path of a file that is as it was written."""
        with remedied(f"oratory runs verify {self.id} looks at all files of that run."):
            return checked_file(self.folder / name, self.record.files[name])
