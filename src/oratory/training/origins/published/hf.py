"""Published encoders through transformers, as classifiers that our loop can train.

The library is given values and tensors that we have read, never a folder: it would run code that the folder names.

Shapes: B batch, T tokens, D width, C classes.
"""

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from oratory.errors import Failed, InputError
from oratory.model import ModelConfig
from oratory.model.pretrained import read_published, read_tensors
from oratory.seeds import derive, seeded
from oratory.training.layers import is_lora
from oratory.training.origins.published.config import FineTuneConfig
from oratory.training.origins.published.head import initial_value
from oratory.training.origins.published.model import CONFIG, PublishedModel

LORA_SCALE = 2
"""What a low-rank change is multiplied by: alpha over rank."""


@dataclass(frozen=True)
class HfOutput:
    """What the loop needs of a model's output."""

    logits: Tensor  # B, C


class HfClassifier(nn.Module):
    """A classifier of transformers; or, where the mean token is classified, an encoder of it with a head of ours."""

    def __init__(self, inner: Any, config: ModelConfig, pool: str) -> None:
        super().__init__()
        self.inner, self.config = inner, config
        self.classifier = nn.Linear(config.width, config.classes) if pool == "mean" else None

    def forward(self, ids: Tensor, mask: Tensor | None = None, **asked: Any) -> HfOutput:
        if asked:
            raise InputError(
                f"A model that only transformers knows gives classes and nothing else: no {', '.join(asked)}."
            )
        out = self.inner(input_ids=ids, attention_mask=None if mask is None else mask.long())
        if self.classifier is None:
            return HfOutput(out.logits)
        hidden = out.last_hidden_state  # B, T, D
        kept = torch.ones_like(ids) if mask is None else mask
        weights = kept[..., None].to(hidden.dtype)
        mean = (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)  # B, D
        return HfOutput(self.classifier(dropout(mean, self.config.dropout, self.training)))


def theirs_of(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """A state of an `HfClassifier` by the names of transformers, with low-rank changes added to what they change."""
    merged: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if is_lora(name):
            continue
        root = name.removesuffix(".base_layer.weight")
        if root != name:
            low, high = tensors[f"{root}.lora_A.default.weight"], tensors[f"{root}.lora_B.default.weight"]
            tensor = tensor + LORA_SCALE * (high @ low)
        merged[name.replace(".base_layer.", ".")] = tensor
    with_head = "classifier.weight" not in merged  # Of ours, where the mean token is classified.
    before = "" if with_head else prefix
    return {
        before + name.removeprefix("inner.") if name.startswith("inner.") else name: tensor
        for name, tensor in merged.items()
    }


def hf_config(folder: Path, labels: Sequence[str], chosen: FineTuneConfig, pad_id: int) -> Any:
    """The configuration in a folder, with our labels, our dropout, and nothing else changed."""
    need("transformers")
    from transformers import CONFIG_MAPPING, AutoConfig

    names = dict(enumerate(labels))
    values = read_published(folder / CONFIG)
    family = values.pop("model_type", None)
    if not isinstance(family, str) or family not in CONFIG_MAPPING:
        raise InputError(f"{folder / CONFIG}: transformers has no model type {family!r} of its own.")
    if values.pop("quantization_config", None):
        raise InputError(f"{folder} holds quantized weights, which cannot be trained.")
    values |= {"id2label": names, "label2id": {name: index for index, name in names.items()}}
    with explained(folder), quiet():
        config = AutoConfig.for_model(family, **values)
    if getattr(config, "pad_token_id", None) is None:
        config.pad_token_id = pad_id
    if chosen.dropout is not None:
        for key, value in config.to_dict().items():
            is_rate = isinstance(value, float | int | None) and not isinstance(value, bool)
            if "drop" in key and "layer" not in key and is_rate:
                setattr(config, key, chosen.dropout)
    return config


def load_hf(
    source: PublishedModel, theirs: Any, config: ModelConfig, chosen: FineTuneConfig, keep_head: bool, seed: int
) -> HfClassifier:
    """The classifier before training: the published values, and new ones where the files have none."""
    with explained(source.folder), quiet(), torch.device("meta"):
        known = type(_bare(theirs, chosen.pool))
    # The library draws values of its own for what is missing; its generator is to stay as it is.
    with explained(source.folder), quiet(), seeded(seed, "model"):
        inner, info = known.from_pretrained(
            None,
            config=theirs,
            state_dict=read_tensors(source.folder),
            dtype=torch.float32,
            trust_remote_code=False,
            ignore_mismatched_sizes=True,
            output_loading_info=True,
        )
        model = _classifier(inner, config, chosen.pool)
    _complete(model, info, source, keep_head, seed)
    if chosen.lora:
        _add_lora(inner, chosen.lora, seed)
    return model.train()


def _classifier(inner: Any, config: ModelConfig, pool: str) -> HfClassifier:
    if pool == "mean" and getattr(inner, "pooler", None) is not None:
        inner.pooler = None  # Of the first token, which is not asked for.
    return HfClassifier(inner, config, pool)


def _complete(model: HfClassifier, info: Mapping[str, Any], source: PublishedModel, keep_head: bool, seed: int) -> None:
    """New values for the head where the files have none of use; an encoder that is not whole is refused."""
    mismatched = {entry[0] if isinstance(entry, tuple) else entry for entry in info["mismatched_keys"]}
    absent = mismatched | set(info["missing_keys"])
    below = "inner." if model.classifier is not None else f"inner.{model.inner.base_model_prefix}."
    for name, parameter in model.named_parameters():
        called, of_encoder = name.removeprefix("inner."), name.startswith(below)
        if of_encoder and called in absent and "pooler" not in name:
            raise InputError(f"{source.folder} lacks {called}, or has it in another shape than config.json calls for.")
        if called in absent or not (of_encoder or keep_head):
            parameter.data.copy_(initial_value(called, parameter.shape, seed))


def empty_hf(
    folder: Path, labels: Sequence[str], config: ModelConfig, chosen: FineTuneConfig, pad: int
) -> HfClassifier:
    """The classifier without its values and without low-rank changes, from the configuration that a run has kept."""
    theirs = hf_config(folder, labels, chosen, pad)
    with explained(folder), quiet(), seeded(0, "model"):
        return _classifier(_bare(theirs, chosen.pool), config, chosen.pool)


def _bare(theirs: Any, pool: str) -> Any:
    """The model that transformers has for a configuration, without values from files."""
    from transformers import AutoModel, AutoModelForSequenceClassification

    loader: Any = AutoModel if pool == "mean" else AutoModelForSequenceClassification
    return loader.from_config(theirs, dtype=torch.float32, trust_remote_code=False)


def _add_lora(inner: Any, rank: int, seed: int) -> None:
    need("peft")
    import peft

    try:
        with seeded(seed, "lora"):
            peft.inject_adapter_in_model(peft.LoraConfig(r=rank, lora_alpha=LORA_SCALE * rank), inner)
    except ValueError as error:
        raise InputError(f"lora={rank}: peft cannot change this model: {_first_line(error)}") from None
    for name, parameter in inner.named_parameters():
        if ".lora_A." in name:
            generator = torch.Generator().manual_seed(derive(seed, name))
            nn.init.kaiming_uniform_(parameter, a=math.sqrt(5), generator=generator)


def need(library: str) -> None:
    """Refuse to continue without a library."""
    if find_spec(library) is None:
        raise InputError(f"This needs {library}: pip install 'oratory[finetune]'")


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """What transformers finds wrong with a folder is for the user to put right."""
    try:
        yield
    except (InputError, Failed):
        raise
    except Exception as error:  # the library lets through whatever its parts raise
        raise InputError(f"transformers cannot use {folder}: {_first_line(error)}") from None


@contextmanager
def quiet() -> Iterator[None]:
    """Transformers says much while it loads, none of it for our users."""
    from transformers.utils import logging as module

    theirs: Any = module
    level, shown = theirs.get_verbosity(), theirs.is_progress_bar_enabled()
    theirs.set_verbosity(logging.CRITICAL)
    theirs.disable_progress_bar()
    try:
        yield
    finally:
        theirs.set_verbosity(level)
        if shown:
            theirs.enable_progress_bar()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
