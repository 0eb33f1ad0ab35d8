"""A fine-tuned run as a folder that transformers loads, with a model card."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import load, save
from torch import Tensor

from oratory.errors import Failed, InputError
from oratory.exports.card import model_card
from oratory.files import digest, read_bytes, write_bytes
from oratory.model.pretrained import read_published
from oratory.runs import Run
from oratory.runs.record import MODEL
from oratory.runs.samples import SAMPLES
from oratory.tables import Table, Tabled
from oratory.tokens.subword import SubwordTokenizer
from oratory.training.origins.published.hf import explained, need, quiet
from oratory.training.origins.published.model import CONFIG, KEPT, TOKENIZER_CONFIG, blueprint_of

TOLERANCE = 1e-5
"""How far a probability may be from the run's."""

MEAN_CODE, MEAN_CLASS_NAME = "modeling_mean.py", "MeanForSequenceClassification"
MEAN_CLASS = '''"""An encoder whose mean token is classified."""

import torch
from transformers import AutoModel, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput


class MeanForSequenceClassification(PreTrainedModel):
    base_model_prefix = "encoder"

    def __init__(self, config):
        super().__init__(config)
        self.encoder = AutoModel.from_config(config, trust_remote_code=False)
        if getattr(self.encoder, "pooler", None) is not None:
            self.encoder.pooler = None
        self.classifier = torch.nn.Linear(config.hidden_size, config.num_labels)
        self.post_init()

    def forward(self, input_ids=None, attention_mask=None, labels=None, **ignored):
        kept = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        hidden = self.encoder(input_ids=input_ids, attention_mask=kept).last_hidden_state
        weights = kept[..., None].to(hidden.dtype)
        logits = self.classifier((hidden * weights).sum(1) / weights.sum(1).clamp(min=1))
        loss = None if labels is None else torch.nn.functional.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)
'''


@dataclass(frozen=True)
class HfFolder(Tabled):
    """A folder that was written, and how it was found to agree with the run."""

    path: Path
    files: tuple[str, ...]
    bytes: int
    needs_code: bool
    """Whether it holds code of its own, so that it must be loaded with trust_remote_code=True."""
    difference: float
    """The largest difference between a probability of the folder and that of the run."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "files": list(self.files),
            "bytes": self.bytes,
            "needs_code": self.needs_code,
            "difference": self.difference,
        }

    def tables(self) -> list[Table]:
        rows = (
            ("folder", str(self.path)),
            ("files", ", ".join(self.files)),
            ("bytes", f"{self.bytes:,}"),
            ("needs trust_remote_code=True", "yes" if self.needs_code else "no"),
            ("largest difference to the run", f"{self.difference:.1e}"),
        )
        return [Table("Folder for transformers", ("what", "value"), rows, words=2)]


def export_hf(run: Run, folder: str | os.PathLike[str]) -> HfFolder:
    """Write a folder that `transformers.pipeline` loads, and try it against the run."""
    path, mean = Path(folder), run.settings["pool"] == "mean"
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise InputError(f"{path} is there already and is not an empty folder; name another one.")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    run.result  # noqa: B018 - refuses a run that is not finished
    run.model  # noqa: B018 - refuses one that is damaged
    tensors = run.origin.published_tensors(run, load(read_bytes(run.checked(MODEL))))
    need("transformers")
    files = _files(run, mean, _named(run, mean, tensors))
    for name, content in files.items():
        write_bytes(path / name, content)
    difference = _difference(run, path)
    if not difference <= TOLERANCE:
        raise Failed(f"{path} gives probabilities that differ from the run's by {difference:.1e}: do not use it.")
    return HfFolder(path, tuple(files), sum(map(len, files.values())), mean, difference)


def _files(run: Run, mean: bool, tensors: dict[str, Tensor]) -> dict[str, bytes]:
    tokenizer = run.tokenizer
    assert isinstance(tokenizer, SubwordTokenizer)
    kept = run.folder / KEPT
    settings = read_published(run.checked(f"{KEPT}/{TOKENIZER_CONFIG}")) if (kept / TOKENIZER_CONFIG).exists() else {}
    settings |= {"model_max_length": run.config.context}
    settings.setdefault("pad_token", tokenizer.token(tokenizer.pad_id))
    files = {
        CONFIG: _json(_config(run, mean, tensors)),
        MODEL: save(tensors, {"format": "pt"}),
        "tokenizer.json": tokenizer.inner.to_str().encode(),
        TOKENIZER_CONFIG: _json(settings),
        "README.md": model_card(run, mean).encode("utf-8", "replace"),
    }
    return files | ({MEAN_CODE: MEAN_CLASS.encode()} if mean else {})


def _named(run: Run, mean: bool, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The values by the names that the class in the folder has for them."""
    if not mean:
        return tensors
    blueprint = blueprint_of(read_published(run.checked(f"{KEPT}/{CONFIG}")))
    prefix = blueprint.prefix if blueprint else ""
    return {
        name if name.startswith("classifier.") else f"encoder.{name.removeprefix(prefix)}": tensor
        for name, tensor in tensors.items()
    }


def _config(run: Run, mean: bool, tensors: dict[str, Tensor]) -> dict[str, Any]:
    """The published configuration with our labels, and with as many positions as there are."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES as CLASSES

    config = read_published(run.checked(f"{KEPT}/{CONFIG}"))
    labels = run.labels
    config |= {
        "architectures": [MEAN_CLASS_NAME if mean else CLASSES[config["model_type"]]],
        "id2label": {str(index): label for index, label in enumerate(labels)},
        "label2id": {label: index for index, label in enumerate(labels)},
        "problem_type": "single_label_classification",
        "dtype": "float32",
    }
    config.pop("torch_dtype", None)
    table = next((value for name, value in tensors.items() if name.endswith("position_embeddings.weight")), None)
    if table is not None and "max_position_embeddings" in config:
        config["max_position_embeddings"] = len(table)
    if mean:
        config["auto_map"] = {"AutoModelForSequenceClassification": f"{Path(MEAN_CODE).stem}.{MEAN_CLASS_NAME}"}
    return config


def _difference(run: Run, folder: Path) -> float:
    """The largest difference between the probabilities of the folder, read by transformers, and those of the run."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    texts, largest = list(SAMPLES.values()), 0.0
    with explained(folder), quiet():
        loader: Any = AutoModelForSequenceClassification
        model = loader.from_pretrained(folder, local_files_only=True, trust_remote_code=_is_ours(folder)).eval()
        # A folder on this machine, not the hub.
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)  # nosec B615
        for text, ours in zip(texts, run.score(texts), strict=True):
            given = tokenizer(text, truncation=True, return_tensors="pt")
            found = model(**given).logits.softmax(-1)[0].detach().numpy()
            wanted = np.array(list(ours.to_dict()["probabilities"].values()))
            largest = max(largest, float(np.abs(found - wanted).max()))
    return largest


def _is_ours(folder: Path) -> bool:
    """Whether all code in the folder, if there is any, is the class above: no other may be run."""
    code = list(folder.rglob("*.py"))
    return bool(code) and all(digest(read_bytes(path)) == digest(MEAN_CLASS.encode()) for path in code)


def _json(values: dict[str, Any]) -> bytes:
    return json.dumps(values, indent=2, ensure_ascii=False).encode()
