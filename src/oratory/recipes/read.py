"""Reading recipes."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oratory.comparisons import Variant
from oratory.errors import InputError, unknown
from oratory.files import read_text
from oratory.recipes.base import AnyRecipe
from oratory.recipes.claims import SAYS, Claim
from oratory.recipes.hand_recipe import KEYS as HAND_KEYS
from oratory.recipes.hand_recipe import read_hand_recipe
from oratory.recipes.names import TABLES, check_recipes
from oratory.recipes.quantity import parse_quantity
from oratory.recipes.recipe import BEST, Recipe, Reference, combinations
from oratory.recipes.studies import study_names
from oratory.training.origins import origin_of
from oratory.training.tasks import task_of

_NEEDED = {"title", "about", "task", "data", "seeds"}
_KEYS = _NEEDED | {"study", "settings", "variants", "grid", "reference", "claim"}
_CLAIM_KEYS = {"source", "text", "evidence", "variant", "against", "says"}
_REFERENCE_KEYS = {"source", "variant", "figure", "value", "at", "reason"}


def load_recipe(name: str) -> Recipe:
    """The recipe with this name, which must be one that trains."""
    recipe = load_any_recipe(name)
    if not isinstance(recipe, Recipe):
        raise InputError(f"The recipe {name} trains nothing.")
    return recipe


def load_any_recipe(name: str) -> AnyRecipe:
    """The recipe with this name."""
    check_recipes([name])
    return read_recipe(TABLES / f"{name}.toml")


def read_recipe(path: Path) -> AnyRecipe:
    """The recipe in a file, or an InputError that says what is wrong with it."""
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}.") from None
    if "problem" in content:
        _check_keys(content, HAND_KEYS, f"{path}")
        return read_hand_recipe(content, path)
    _check_keys(content, _KEYS, f"{path}")
    missing = _NEEDED - set(content)
    if missing:
        raise InputError(f"{path} lacks {', '.join(sorted(missing))}.")
    if ("variants" in content) == ("grid" in content):
        raise InputError(f"{path} needs variants or a grid: one of them, and not both.")
    study = content.get("study", "")
    if study and study not in study_names():
        raise InputError(f"{path}: {unknown('study', study, study_names())}")
    shared = content.get("settings", {})
    known = list(origin_of(shared).known())
    grid = _grid(content["grid"], known, path) if "grid" in content else None
    if grid is None:
        variants = tuple(Variant(name, _settings(given, known, path)) for name, given in content["variants"].items())
    else:
        variants = combinations(grid)
    names = [*(variant.name for variant in variants), *([] if grid is None else [BEST])]
    return Recipe(
        name=path.stem,
        title=content["title"],
        about=" ".join(content["about"].split()),
        task=task_of(content["task"]),
        data=content["data"],
        seeds=content["seeds"],
        settings=_settings(shared, known, path),
        variants=variants,
        grid=grid,
        references=tuple(_reference(entry, names, path) for entry in content.get("reference", ())),
        claims=tuple(_claim(entry, names, path) for entry in content.get("claim", ())),
        study=study,
    )


def _grid(given: Mapping[str, Any], known: list[str], path: Path) -> dict[str, tuple[str, ...]]:
    _settings(given, known, path)
    for name, values in given.items():
        if not isinstance(values, list) or len(set(map(str, values))) < max(1, len(values)):
            raise InputError(f"{path}: the grid needs a list of different values for {name}.")
    return {name: tuple(map(str, values)) for name, values in given.items()}


def _settings(given: Mapping[str, Any], known: list[str], path: Path) -> dict[str, str]:
    for name in given:
        if name not in known:
            raise InputError(f"{path}: {unknown('setting', name, known)}")
    return {name: str(value) for name, value in given.items()}


def _reference(entry: Mapping[str, Any], names: list[str], path: Path) -> Reference:
    _check_keys(entry, _REFERENCE_KEYS, f"{path}, a reference")
    if entry["variant"] not in names:
        raise InputError(f"{path}: {unknown('variant', entry['variant'], names)}")
    values, at = _row(entry["value"]), _row(entry.get("at", ()))
    if at and len(at) != len(values):
        raise InputError(f"{path}: {entry['figure']} has {len(values)} values and {len(at)} places; each needs one.")
    quantity = parse_quantity(entry["figure"])
    return Reference(entry["source"], entry["variant"], quantity, values, at, entry.get("reason", ""))


def _claim(entry: Mapping[str, Any], names: list[str], path: Path) -> Claim:
    _check_keys(entry, _CLAIM_KEYS, f"{path}, a claim")
    for key, known in (("variant", names), ("against", names), ("says", SAYS)):
        if entry[key] not in known:
            raise InputError(f"{path}: {unknown(key, entry[key], known)}")
    return Claim(**entry)


def _row(value: Any) -> tuple[float, ...]:
    return tuple(map(float, value)) if isinstance(value, list | tuple) else (float(value),)


def _check_keys(given: Mapping[str, Any], known: set[str], where: str) -> None:
    wrong = next((key for key in given if key not in known), None)
    if wrong is not None:
        raise InputError(f"{where}: {unknown('key', wrong, known)}")
