"""The model of a fine-tuned run: as it was trained, and as it was before. No network and no folder but the run's."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from oratory.errors import InputError
from oratory.model import ModelConfig
from oratory.tokens.tokenizer import read_dict
from oratory.training.finetune.config import FineTuneConfig
from oratory.training.finetune.hf import empty_hf, hf_config, load_hf, theirs_of
from oratory.training.finetune.own import load_own, own_classifier, to_ours, to_theirs
from oratory.training.finetune.source import CONFIG, KEPT, Source, blueprint_of


def chosen_of(settings: Mapping[str, Any]) -> FineTuneConfig:
    """What was chosen, from the settings of a run."""
    chosen = {field.name: settings[field.name] for field in fields(FineTuneConfig)}
    return FineTuneConfig(**chosen | ({"dropout": None} if settings["published_dropout"] else {}))


def trained(
    folder: Path,
    settings: Mapping[str, Any],
    config: ModelConfig,
    labels: Sequence[str],
    tensors: Mapping[str, Tensor],
    pad_id: int,
) -> nn.Module:
    """The model of a run with these values: in our own modules, whichever engine trained it, where they can be it."""
    chosen, published = chosen_of(settings), read_dict(folder / KEPT / CONFIG)
    blueprint, family = blueprint_of(published), str(published.get("model_type"))
    if blueprint is None:
        model: nn.Module = empty_hf(folder / KEPT, labels, config, chosen, pad_id)
        values = {
            name if name in model.state_dict() else f"inner.{name}": v for name, v in theirs_of(tensors, "").items()
        }
    else:
        model = own_classifier(config, family).to_empty(device="cpu")
        values = dict(tensors)
        if chosen.engine == "hf":
            values = to_ours(theirs_of(tensors, blueprint.prefix), blueprint, family, config)
    model.load_state_dict(values)
    return model.eval()


def untrained(
    settings: Mapping[str, Any], config: ModelConfig, labels: Sequence[str], pad: int, seed: int
) -> nn.Module:
    """The model of a run before training, from where the published one is."""
    source, chosen = Source.find(settings["model"]), chosen_of(settings)
    if source.fingerprint != settings["weights"]:
        raise InputError(f"{source.name} is not what it was when the run began: its files have changed.")
    keeps_head = source.has_head(labels, chosen.pool)
    if blueprint_of(source.config) is not None:
        return load_own(source, config, keeps_head, seed).eval()
    theirs = hf_config(source.folder, labels, chosen, pad)
    return load_hf(source, theirs, config, chosen, keeps_head, seed).eval()


def published_tensors(
    folder: Path, settings: Mapping[str, Any], config: ModelConfig, tensors: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """The values of a trained model by the names of transformers, whichever engine trained it."""
    published = read_dict(folder / KEPT / CONFIG)
    blueprint, family = blueprint_of(published), str(published.get("model_type"))
    if settings["engine"] == "hf":
        return theirs_of(tensors, blueprint.prefix if blueprint else "")
    assert blueprint is not None
    return to_theirs(tensors, blueprint, family, config)
