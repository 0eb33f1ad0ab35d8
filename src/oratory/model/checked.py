"""A cache of contract results, keyed by the code of the mechanisms and of the model."""

import json
from contextlib import suppress
from functools import cache
from pathlib import Path

import torch

from oratory import mechanisms
from oratory.errors import InputError
from oratory.files import cache_folder, digest, write_text
from oratory.ids import key_of
from oratory.mechanisms.plugins import plugin_of
from oratory.model.config import ModelConfig, plugins_of
from oratory.model.contract import ModelContract, check_model, small_model
from oratory.model.sparse import SHORTEST

_KEPT: dict[str, ModelContract] = {}
"""By key, in this process."""


def known_contract(config: ModelConfig) -> ModelContract:
    """The contract of a model: from the cache when it was checked before.

    A broken one is not cached, so that its message is always about the current file.
    """
    key = _key(config)
    if key is None:
        return check_model(config)
    path = cache_folder() / "contracts" / f"{key}.json"
    found = _KEPT.get(key) or _read(path)
    if found is None:
        found = check_model(config)
        if found.broken:
            return found
        with suppress(InputError):  # A cache that cannot be written costs time and nothing else.
            write_text(path, json.dumps(found.to_dict()))
    _KEPT[key] = found
    return found


def _read(path: Path) -> ModelContract | None:
    try:
        return ModelContract.of_values(json.loads(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError):
        return None  # Not there, or not whole: check again.


def _key(config: ModelConfig) -> str | None:
    """What decides the outcome; None where a mechanism has no file that could be looked at."""
    classes = [type(mechanism) for mechanism in config.mechanisms().values()]
    if not all(plugin_of(cls) or cls.__module__.startswith(mechanisms.__name__) for cls in classes):
        return None
    plugins = [plugin.sha256 for plugin in plugins_of(config)]
    long = config.context >= SHORTEST
    return key_of([small_model(config).to_dict(), long, plugins, _code(), torch.__version__])[:32]


@cache
def _code() -> str:
    """The checksum of the code that a model is made of."""
    folders = [Path(mechanisms.__path__[0]), Path(__file__).parent]
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    return digest(b"".join(file.read_bytes() for file in files))
