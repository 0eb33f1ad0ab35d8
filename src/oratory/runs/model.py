"""The model of a run: as it was trained, and as it was before."""

from dataclasses import fields
from typing import cast

from safetensors import SafetensorError
from safetensors.torch import load

from oratory.errors import InputError
from oratory.files import read_bytes
from oratory.model import ModelConfig, Transformer
from oratory.runs.record import MODEL, Run
from oratory.training.finetune.use import trained, untrained


def config_of(run: Run) -> ModelConfig:
    """The configuration of the model. Mechanisms of a plugin must be loaded before."""
    known = {field.name for field in fields(ModelConfig)}
    try:
        return ModelConfig.from_dict({name: value for name, value in run.settings.items() if name in known})
    except InputError as error:
        plugins = run.record.get("plugins") or []
        hint = f" It was trained with --plugin {' '.join(entry['name'] for entry in plugins)}." if plugins else ""
        raise InputError(f"The run {run.id}: {error}{hint}") from None


def load_model(run: Run) -> Transformer:
    """The trained model, for use and not for training."""
    if run.status != "finished":
        raise InputError(f"The run {run.id} is not finished ({run.status}); train it to its end first.")
    try:
        tensors = load(read_bytes(run.folder / MODEL))
        if "model" in run.settings:
            model = trained(run.folder, run.settings, run.config, run.record["labels"], tensors, run.tokenizer.pad_id)
            return cast(Transformer, model)
        model = initial_model(run)
        model.load_state_dict(tensors)
    except (SafetensorError, RuntimeError) as error:
        raise InputError(f"{run.folder / MODEL} does not hold the weights of this run: {error}.") from None
    return model


def initial_model(run: Run) -> Transformer:
    """The model before training: its initial values come back from the seed, or from the published model."""
    if "model" in run.settings:
        labels, pad = run.record["labels"], run.tokenizer.pad_id
        return cast(Transformer, untrained(run.settings, config_of(run), labels, pad, run.seed))
    return Transformer(config_of(run), run.seed).eval()
