"""Our own modules with the weights of a published encoder, and back to the names that transformers has for them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from oratory.mechanisms.pool.cls import Cls
from oratory.mechanisms.pool.mean import Mean
from oratory.model import ModelConfig, Transformer, pretrained
from oratory.model.families import Blueprint
from oratory.model.pretrained import read_tensors
from oratory.training.origins.published.config import FineTuneConfig
from oratory.training.origins.published.head import Head, initial_value, names_of_head
from oratory.training.origins.published.model import PublishedModel

KINDS = ("weight", "bias")


def own_config(blueprint: Blueprint, chosen: FineTuneConfig, classes: int, usual_dropout: float) -> ModelConfig:
    """The configuration of a classifier on an encoder. Positions beyond the context are left out."""
    return replace(
        blueprint.config,
        output="classes",
        classes=classes,
        context=chosen.context,
        pool=Mean() if chosen.pool == "mean" else Cls(),
        head_hidden=None,
        dropout=usual_dropout if chosen.dropout is None else chosen.dropout,
    )


def own_classifier(config: ModelConfig, family: str) -> Transformer:
    """A model of this configuration, whose values are still to come."""
    with torch.device("meta"):
        model = Transformer(config)
        dense = isinstance(config.pool, Cls)
        model.head = Head(config.width, config.classes, config.dropout, dense, drop_first=family == "roberta")
    return model


def load_own(source: PublishedModel, config: ModelConfig, keep_head: bool, seed: int) -> Transformer:
    """The classifier before training: the encoder's values, and new ones where the files have none for the head."""
    family = source.config["model_type"]
    model = own_classifier(config, family)
    values = pretrained.load(source.folder).state_dict()
    values["position.table.weight"] = values["position.table.weight"][: config.context].clone()
    found = read_tensors(source.folder)
    for ours, theirs in names_of_head(family, _pool(config)).items():
        for kind in KINDS:
            name, shape = f"{theirs}.{kind}", model.get_parameter(f"{ours}.{kind}").shape
            # An encoder without a head calls its pooler by the name it has without the prefix.
            kept = found.get(name, found.get(name.removeprefix(f"{family}.")))
            usable = kept is not None and kept.shape == shape and (keep_head or not name.startswith("classifier."))
            values[f"{ours}.{kind}"] = kept.float().clone() if usable else initial_value(name, shape, seed)  # type: ignore[union-attr]
    model.load_state_dict(values, assign=True)
    return model.train()


def to_ours(tensors: Mapping[str, Tensor], blueprint: Blueprint, family: str, config: ModelConfig) -> dict[str, Tensor]:
    """Values by our names, from those by the names of transformers."""
    values = {}
    for theirs, ours, skipped in _renamed(blueprint, family, _pool(config)):
        for kind in KINDS:
            if (tensor := tensors.get(f"{theirs}.{kind}")) is not None:
                rows = slice(skipped, skipped + config.context) if ours == "position.table" else slice(None)
                values[f"{ours}.{kind}"] = tensor[rows].contiguous()
    return values


def to_theirs(
    values: Mapping[str, Tensor], blueprint: Blueprint, family: str, config: ModelConfig
) -> dict[str, Tensor]:
    """Values by the names of transformers, from those by our names. Rows that are never used are zero."""
    tensors = {}
    for theirs, ours, skipped in _renamed(blueprint, family, _pool(config)):
        for kind in KINDS:
            if (value := values.get(f"{ours}.{kind}")) is not None:
                unused = value.new_zeros(skipped, *value.shape[1:])
                tensors[f"{theirs}.{kind}"] = torch.cat([unused, value]) if skipped else value.contiguous()
    return tensors


def _renamed(blueprint: Blueprint, family: str, pool: str) -> Iterator[tuple[str, str, int]]:
    """Each module in transformers, in our model, and how many of its rows are never used."""
    for theirs, place in blueprint.places.items():
        for layer in range(blueprint.config.layers if "{}" in theirs else 1):
            yield f"{blueprint.prefix}{theirs.format(layer)}", place.ours[0].format(layer), place.skipped
    for ours, theirs in names_of_head(family, pool).items():
        yield theirs, ours, 0


def _pool(config: Any) -> str:
    return "mean" if isinstance(config.pool, Mean) else "cls"
