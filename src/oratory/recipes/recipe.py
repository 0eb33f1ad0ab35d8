"""A recipe: an experiment written down, with the figures that were published of it.

Every `.toml` file beside this one is a recipe, under the name of the file.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from oratory.comparison import Variant
from oratory.errors import InputError, unknown
from oratory.files import read_text
from oratory.recipes.quantity import Quantity
from oratory.training import settings_of
from oratory.training.prepare import TASKS

FOLDER = Path(__file__).parent
SPEECHES = "speeches"
FINGERPRINT = "0b8221a0855b8332"
"""Of the reference speeches; figures of another corpus cannot be compared with those of the reports."""

_KEYS = {"title", "about", "task", "data", "seeds", "work", "experiment", "settings", "variants", "reference"}
_REFERENCE_KEYS = {"source", "variant", "figure", "value", "at", "reason"}
_TOGETHER = ("train.epochs", "train.iterations")
"""Two ways to say how long; whoever changes one does not want the other."""


@dataclass(frozen=True)
class Reference:
    """What a report gives for one figure of one variant: at the end of training, or at places along it."""

    source: str
    variant: str
    quantity: Quantity
    values: tuple[float, ...]
    at: tuple[float, ...] = ()
    """Epochs or updates; none for the end."""
    reason: str = ""
    """Why it cannot be compared, where it cannot."""


@dataclass(frozen=True)
class Recipe:
    """An experiment: variants of one model, what they share, and the figures of the reports."""

    name: str
    title: str
    about: str
    task: str
    data: str
    """sotu, or speeches for the reference speeches, which have to be at hand."""
    seeds: int
    work: float
    """How long a run takes, in updates of the base language model (`oratory.recipes.estimate`)."""
    settings: Mapping[str, str]
    variants: tuple[Variant, ...]
    references: tuple[Reference, ...] = ()
    experiment: str = ""
    """What is done with the trained models besides."""
    changes: Mapping[str, str] | None = None
    """Settings that are not those of the file."""

    def changed(self, changes: Mapping[str, str]) -> "Recipe":
        """The recipe with other settings for all of its variants."""
        if not changes:
            return self
        wrong = next((name for name in changes if name not in settings_of()), None)
        if wrong is not None:
            raise unknown("setting", wrong, settings_of())
        dropped = set(_TOGETHER) if set(_TOGETHER) & set(changes) else set()
        kept = {name: value for name, value in self.settings.items() if name not in dropped}
        return replace(self, settings=kept | dict(changes), changes=dict(changes))

    def of(self, variant: Variant) -> dict[str, str]:
        """All settings of a variant's runs."""
        return {**self.settings, **variant.settings}

    def not_comparable(self, fingerprint: str, corpus: str) -> str:
        """Why no figure of the reports can be compared with a run on this corpus; nothing where some can."""
        if self.data == SPEECHES and fingerprint != FINGERPRINT:
            return f"other data ({corpus})"
        if self.changes:
            return "other settings (" + ", ".join(f"{name}={value}" for name, value in self.changes.items()) + ")"
        return ""


@cache
def recipe_names() -> tuple[str, ...]:
    """The names of all recipes."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def load_recipe(name: str) -> Recipe:
    """The recipe with this name."""
    if name not in recipe_names():
        raise unknown("recipe", name, recipe_names())
    return read_recipe(FOLDER / f"{name}.toml")


def read_recipe(path: Path) -> Recipe:
    """The recipe in a file, or an InputError that says what is wrong with it."""
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}.") from None
    _check_keys(content, _KEYS, f"{path}")
    missing = {"title", "about", "task", "data", "seeds", "work", "variants"} - set(content)
    if missing:
        raise InputError(f"{path} lacks {', '.join(sorted(missing))}.")
    if content["task"] not in TASKS:
        raise unknown("task", content["task"], TASKS)
    variants = tuple(Variant(name, _settings(given, path)) for name, given in content["variants"].items())
    references = tuple(_reference(entry, variants, path) for entry in content.get("reference", ()))
    return Recipe(
        name=path.stem,
        title=content["title"],
        about=" ".join(content["about"].split()),
        task=content["task"],
        data=content["data"],
        seeds=content["seeds"],
        work=float(content["work"]),
        settings=_settings(content.get("settings", {}), path),
        variants=variants,
        references=references,
        experiment=content.get("experiment", ""),
    )


def _settings(given: Mapping[str, Any], path: Path) -> dict[str, str]:
    known = settings_of()
    for name in given:
        if name not in known:
            raise InputError(f"{path}: {unknown('setting', name, known)}")
    return {name: str(value) for name, value in given.items()}


def _reference(entry: Mapping[str, Any], variants: tuple[Variant, ...], path: Path) -> Reference:
    _check_keys(entry, _REFERENCE_KEYS, f"{path}, a reference")
    names = [variant.name for variant in variants]
    if entry["variant"] not in names:
        raise InputError(f"{path}: {unknown('variant', entry['variant'], names)}")
    values, at = _row(entry["value"]), _row(entry.get("at", ()))
    if at and len(at) != len(values):
        raise InputError(f"{path}: {entry['figure']} has {len(values)} values and {len(at)} places; each needs one.")
    quantity = Quantity.parse(entry["figure"])
    return Reference(entry["source"], entry["variant"], quantity, values, at, entry.get("reason", ""))


def _row(value: Any) -> tuple[float, ...]:
    return tuple(map(float, value)) if isinstance(value, list | tuple) else (float(value),)


def _check_keys(given: Mapping[str, Any], known: set[str], where: str) -> None:
    wrong = next((key for key in given if key not in known), None)
    if wrong is not None:
        raise InputError(f"{where}: {unknown('key', wrong, known)}")
