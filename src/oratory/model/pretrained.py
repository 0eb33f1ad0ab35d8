"""Published models as models of ours, from a Hugging Face folder or from the hub.

Only JSON and safetensors are read, neither of which can carry code. What differs between models is in `families`.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from oratory.errors import InputError
from oratory.files import check_regular, read_object
from oratory.model.families import FAMILIES, Blueprint, Place, Settings, what_loads
from oratory.model.network import Transformer
from oratory.text.sources.hub import NAME, offline_without_network

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
HUB_FILES = ["config.json", WEIGHTS, INDEX, "model-*-of-*.safetensors", "tokenizer*.json", "special_tokens_map.json"]
LOSSLESS = (torch.float32, torch.float16, torch.bfloat16)
"""Types that float32, ours, holds exactly."""
OLD_ENDINGS = {".gamma": ".weight", ".beta": ".bias"}
"""What norms were called in files that came from TensorFlow."""
LAYERS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers", "decoder_layers")
"""What config.json calls the number of layers, each of which has tensors of its own."""
SIZES = (
    *("hidden_size", "intermediate_size", "vocab_size", "num_attention_heads", "max_position_embeddings"),
    *("type_vocab_size", "dim", "hidden_dim", "n_embd", "n_inner", "n_head", "n_heads", "n_positions"),
)
"""What it calls other sizes, which no model has more of than values."""
LARGEST = 2**20
"""What any of those may be, however small the model."""
SHOWN = 4
"""How many names an error lists."""
NAMES_CODE = {
    *("auto_map", "custom_pipelines", "custom_generate", "use_kernels", "kernel_config", "transformers_weights"),
    *("attn_implementation", "_attn_implementation", "_attn_implementation_internal", "experts_implementation"),
    *("_experts_implementation", "_experts_implementation_internal", "_name_or_path", "name_or_path"),
}
"""Entries of a published model's JSON files through which transformers would run or fetch what is not its own."""


def load(name: str | os.PathLike[str]) -> Transformer:
    """The model in a folder, or of that name on the hub: an encoder (BERT, RoBERTa) or a language model, ready to use.

    Of an encoder that was saved with a head, everything below the head is used.
    """
    folder = folder_of(name)
    blueprint = _blueprint(folder)
    config = blueprint.config
    tensors = _of_the_model(read_tensors(folder), blueprint, folder)
    if config.layers > len(tensors):
        raise InputError(f"{folder}: config.json speaks of {config.layers:,} layers, but there are no such tensors.")
    # Without memory and values of its own: its parameters are replaced by what the files hold.
    with torch.device("meta"):
        model = Transformer(config)
    head = tensors.pop("lm_head.weight", None) if config.tied else None
    values = _values(model, tensors, blueprint, folder)
    if config.tied:
        values["head.weight"] = values["tokens.weight"]
        if head is not None and not torch.equal(head.float(), values["tokens.weight"]):
            raise InputError(f"{folder}: lm_head.weight differs from the embedding that config.json ties it to.")
    model.load_state_dict(values, assign=True)
    if config.tied:
        model.get_submodule("head").register_parameter("weight", model.get_parameter("tokens.weight"))
    return model.eval()


def folder_of(name: str | os.PathLike[str]) -> Path:
    """The folder of that name; that of the cache where it is the name of a model on the hub."""
    path = Path(name)
    try:
        if path.is_dir():
            return path
        is_file = path.exists()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    if is_file:
        raise InputError(f"{path} is a file; give the folder that holds config.json and {WEIGHTS}.")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InputError(f"There is no folder {path}.")
    return _from_hub(name)


def check_size(config: Any, tensors: Mapping[str, Tensor], folder: Path) -> None:
    """Refuse a config.json of a model that is far larger than its files, before anything is made of it."""
    values = max(LARGEST, sum(tensor.numel() for tensor in tensors.values()))
    for name, size in _sizes(config):
        most = len(tensors) if name in LAYERS else values
        if size > most:
            raise InputError(f"{folder}: config.json says {name}={size:,}, but there are no such tensors.")


def _sizes(config: Any) -> Iterator[tuple[str, int]]:
    """The sizes in a configuration, at any depth."""
    for name, value in config.items() if isinstance(config, dict) else ():
        if name in (*LAYERS, *SIZES) and isinstance(value, int):
            yield name, value
        yield from _sizes(value)


def read_published(path: Path) -> dict[str, Any]:
    """A JSON file of a published model, without the entries that name code, at any depth."""
    values: dict[str, Any] = _without_code(read_object(path))
    return values


def _without_code(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_code(inner) for name, inner in value.items() if name not in NAMES_CODE}
    return [_without_code(inner) for inner in value] if isinstance(value, list) else value


def _from_hub(name: str) -> Path:
    """The folder of the cache that the hub's library keeps."""
    from huggingface_hub import errors, snapshot_download

    offline_without_network()
    try:
        # The newest is meant. No file of the list is code.
        return Path(snapshot_download(name, allow_patterns=HUB_FILES))  # nosec B615
    except errors.LocalEntryNotFoundError:
        raise InputError(
            f"{name} is no folder here, and the hub cannot be reached: no network, and the model is not in the local "
            "cache. Try again with a network, or give a folder."
        ) from None
    except Exception as error:  # the library lets through those of the libraries that it uses
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{name} is no folder here, and could not be had from the hub ({reason}).") from None


def _blueprint(folder: Path) -> Blueprint:
    path = folder / "config.json"
    if not path.exists():
        raise InputError(f"{folder} has no config.json; give a folder that transformers saved a model to.")
    settings = Settings(read_published(path))
    family = settings.values.get("model_type")
    if not isinstance(family, str) or family not in FAMILIES:
        raise InputError(f"{path}: there is no way to read the model type {family!r}. {what_loads()}")
    try:
        settings.only("quantization_config", None)
        return FAMILIES[family](settings)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """Every tensor in the files, by the name it has there."""
    if (folder / WEIGHTS).exists():
        return _read(folder / WEIGHTS)
    if (folder / INDEX).exists():
        return _read_parts(folder / INDEX)
    pickles = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern))
    only = f", only {_listed(pickles)}, and a pickle can run code when it is read" if pickles else ""
    raise InputError(
        f"{folder} has no {WEIGHTS}{only}. To convert a model that you trust, load it with transformers and save it: "
        "AutoModel.from_pretrained(old).save_pretrained(new, safe_serialization=True), with AutoModelForCausalLM for a "
        "language model."
    )


def _read_parts(index: Path) -> dict[str, Tensor]:
    """The tensors of a model that was saved in several files."""
    places = read_object(index).get("weight_map")
    if not isinstance(places, dict) or not all(isinstance(file, str) for file in places.values()):
        raise InputError(f"{index} has no weight_map from the names of tensors to files.")
    tensors: dict[str, Tensor] = {}
    for file in sorted(set(places.values())):
        if Path(file).name != file or not (index.parent / file).is_file():
            raise InputError(f"{index} names the file {file!r}, which is not in the folder.")
        tensors |= _read(index.parent / file)
    if lacking := places.keys() - tensors.keys():
        raise InputError(f"{index} names tensors that are in none of its files: {_listed(lacking)}.")
    return tensors


def _read(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(check_regular(path))
    except (SafetensorError, OSError) as error:
        raise InputError(f"{path} cannot be read as safetensors; it is damaged or was cut off ({error}).") from None


def _of_the_model(tensors: dict[str, Tensor], blueprint: Blueprint, folder: Path) -> dict[str, Tensor]:
    """The tensors that are wanted, by the names they have in a model without a head."""
    found: dict[str, Tensor] = {}
    for full, tensor in tensors.items():
        name = full.removeprefix(blueprint.prefix)
        for old, new in OLD_ENDINGS.items():
            name = name.removesuffix(old) + new if name.endswith(old) else name
        if re.fullmatch(blueprint.passed_over, name):
            continue
        if name in found:
            raise InputError(f"{folder} holds {name} twice, with and without the prefix {blueprint.prefix!r}.")
        found[name] = tensor
    return found


def _values(model: Transformer, tensors: dict[str, Tensor], blueprint: Blueprint, folder: Path) -> dict[str, Tensor]:
    """The value of each parameter of ours. What is missing, left over or of another shape is refused by its name."""
    parameters = dict(model.named_parameters(remove_duplicate=False))
    wanted = dict(_wanted(model, blueprint))
    if missing := wanted.keys() - tensors.keys():
        raise InputError(f"{folder} lacks tensors that config.json calls for: {_listed(missing)}.")
    if extra := tensors.keys() - wanted.keys():
        raise InputError(f"{folder} holds tensors that have no place in the model of config.json: {_listed(extra)}.")
    values: dict[str, Tensor] = {}
    for name, (place, ours) in wanted.items():
        tensor = tensors[name]
        if tensor.dtype not in LOSSLESS:
            kind = str(tensor.dtype).removeprefix("torch.")
            raise InputError(f"{folder}: {name} is {kind}; only float32, float16 and bfloat16 can be read.")
        shapes = [parameters[part].shape for part in ours]
        if (shape := _shape(place, shapes)) != tuple(tensor.shape):
            raise InputError(
                f"{folder}: {name} has the shape {tuple(tensor.shape)}; by config.json it must be {shape}."
            )
        upright = (tensor.t() if place.turned else tensor)[place.skipped :]
        rows = torch.split_with_sizes(upright, [shape[0] for shape in shapes])
        # Into memory of our own; that of the file would change with the file.
        values |= {part: torch.empty(row.shape).copy_(row) for part, row in zip(ours, rows, strict=True)}
    return values


def _wanted(model: Transformer, blueprint: Blueprint) -> Iterator[tuple[str, tuple[Place, list[str]]]]:
    """The name of each tensor that must be in the files, with its place and the parameters of ours that it holds."""
    for theirs, place in blueprint.places.items():
        for layer in range(blueprint.config.layers if "{}" in theirs else 1):
            parts = [part.format(layer) for part in place.ours]
            for kind, _ in model.get_submodule(parts[0]).named_parameters(recurse=False):
                yield f"{theirs.format(layer)}.{kind}", (place, [f"{part}.{kind}" for part in parts])


def _shape(place: Place, shapes: Sequence[torch.Size]) -> tuple[int, ...]:
    """The shape that a tensor in the files must have to hold parameters of ours of these shapes."""
    shape = (sum(shape[0] for shape in shapes) + place.skipped, *shapes[0][1:])
    return shape[::-1] if place.turned else shape


def _listed(names: Iterable[str]) -> str:
    ordered = sorted(names)
    more = f" and {len(ordered) - SHOWN} more" if len(ordered) > SHOWN else ""
    return ", ".join(ordered[:SHOWN]) + more
