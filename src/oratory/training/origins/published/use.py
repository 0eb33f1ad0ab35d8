"""The model of a fine-tuned run: trained, and before training."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from torch import Tensor, nn

from oratory.errors import InputError
from oratory.model.families import Blueprint
from oratory.model.pretrained import check_size, read_published
from oratory.training.origins.origin import StoredRun
from oratory.training.origins.published.config import FineTuneConfig
from oratory.training.origins.published.hf import empty_hf, hf_config, load_hf, theirs_of
from oratory.training.origins.published.model import CONFIG, KEPT, PublishedModel, blueprint_of
from oratory.training.origins.published.own import load_own, own_classifier, to_ours, to_theirs


def chosen_of(settings: Mapping[str, Any]) -> FineTuneConfig:
    """What was chosen, from the settings of a run."""
    chosen = {field.name: settings[field.name] for field in fields(FineTuneConfig)}
    return FineTuneConfig(**chosen | ({"dropout": None} if settings["published_dropout"] else {}))


def trained(run: StoredRun, tensors: Mapping[str, Tensor]) -> nn.Module:
    """The model of a run with these values: in our own modules where they can compute it, whichever engine trained it.

    Neither a network nor the folder of the published model is needed.
    """
    chosen, kept = chosen_of(run.settings), run.folder / KEPT
    check_size(read_published(run.checked(f"{KEPT}/{CONFIG}")), tensors, kept)
    blueprint, family = _kept_blueprint(run)
    if blueprint is None:
        model: nn.Module = empty_hf(kept, run.labels, run.config, chosen, run.tokenizer.pad_id)
        values = {
            name if name in model.state_dict() else f"inner.{name}": v for name, v in theirs_of(tensors, "").items()
        }
    else:
        model = own_classifier(run.config, family).to_empty(device="cpu")
        values = dict(tensors)
        if chosen.engine == "hf":
            values = to_ours(theirs_of(tensors, blueprint.prefix), blueprint, family, run.config)
    model.load_state_dict(values)
    return model.eval()


def untrained(run: StoredRun) -> nn.Module:
    """The model of a run before training, loaded from where the published one is."""
    settings, pad = run.settings, run.tokenizer.pad_id
    source, chosen = PublishedModel.find(settings["model"]), chosen_of(settings)
    if source.fingerprint != settings["weights"]:
        raise InputError(f"{source.name} has changed since the run began: its files are not the same.")
    keeps_head = source.has_head(run.labels, chosen.pool)
    if blueprint_of(source.config) is not None:
        return load_own(source, run.config, keeps_head, run.seed).eval()
    theirs = hf_config(source.folder, run.labels, chosen, pad)
    return load_hf(source, theirs, run.config, chosen, keeps_head, run.seed).eval()


def published_tensors(run: StoredRun, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The values of a trained model by the names of transformers, whichever engine trained it."""
    blueprint, family = _kept_blueprint(run)
    if run.settings["engine"] == "hf":
        return theirs_of(tensors, blueprint.prefix if blueprint else "")
    assert blueprint is not None
    return to_theirs(tensors, blueprint, family, run.config)


def _kept_blueprint(run: StoredRun) -> tuple[Blueprint | None, str]:
    """How our modules compute the published model, if they can, and its family."""
    published = read_published(run.checked(f"{KEPT}/{CONFIG}"))
    return blueprint_of(published), str(published.get("model_type"))
