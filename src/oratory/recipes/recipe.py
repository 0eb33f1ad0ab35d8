"""A recipe: an experiment written down, with the figures that were published of it.

Every `.toml` file beside this one is a recipe, under the name of the file.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from oratory.comparison import Variant
from oratory.comparison.design import BASE
from oratory.errors import InputError, unknown
from oratory.files import read_text
from oratory.recipes.quantity import Quantity
from oratory.training import settings_of
from oratory.training.config import PREFIX
from oratory.training.finetune import called, finetune_settings
from oratory.training.prepare import TASKS

FOLDER = Path(__file__).parent
SPEECHES = "speeches"
FINGERPRINT = "0b8221a0855b8332"
"""Of the reference speeches; figures of another corpus cannot be compared with those of the reports."""

BEST = "best on dev"
"""Stands in a reference for the variant of a grid that did best on dev."""

_NEEDED = {"title", "about", "task", "data", "seeds", "work"}
_KEYS = _NEEDED | {"experiment", "settings", "variants", "grid", "reference"}
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
    """How long a run takes, in updates of the base language model (`oratory.recipes.estimate`).

    Where a published model is fine-tuned, how long an epoch takes.
    """
    settings: Mapping[str, str]
    variants: tuple[Variant, ...]
    grid: Mapping[str, tuple[str, ...]] | None = None
    """What the variants were made of, where they are all combinations of some values; the best one is chosen on dev."""
    references: tuple[Reference, ...] = ()
    experiment: str = ""
    """What is done with the trained models besides."""
    changes: Mapping[str, str] | None = None
    """Settings that are not those of the file."""

    @property
    def published(self) -> bool:
        """Whether a published model is fine-tuned."""
        return "model" in self.settings

    @property
    def known(self) -> list[str]:
        """The settings that it may have."""
        return _known(self.settings)

    def changed(self, changes: Mapping[str, str]) -> "Recipe":
        """The recipe with other settings for all of its variants; a grid has one side less for each that it had."""
        if not changes:
            return self
        wrong = next((name for name in changes if name not in self.known), None)
        if wrong is not None:
            raise unknown("setting", wrong, self.known)
        given = {name: called(value) if name == "model" else value for name, value in changes.items()}
        dropped = set(_TOGETHER) if set(_TOGETHER) & set(given) else set()
        kept = {name: value for name, value in self.settings.items() if name not in dropped}
        made = replace(self, settings=kept | given, changes=given)
        if self.grid is None:
            return made
        grid = {name: values for name, values in self.grid.items() if name not in dropped | set(given)}
        return replace(made, variants=_combined(grid), grid=grid)

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
    missing = _NEEDED - set(content)
    if missing:
        raise InputError(f"{path} lacks {', '.join(sorted(missing))}.")
    if ("variants" in content) == ("grid" in content):
        raise InputError(f"{path} needs variants or a grid: one of them, and not both.")
    if content["task"] not in TASKS:
        raise unknown("task", content["task"], TASKS)
    shared = content.get("settings", {})
    known = _known(shared)
    grid = _grid(content["grid"], known, path) if "grid" in content else None
    if grid is None:
        variants = tuple(Variant(name, _settings(given, known, path)) for name, given in content["variants"].items())
    else:
        variants = _combined(grid)
    names = [*(variant.name for variant in variants), *([] if grid is None else [BEST])]
    references = tuple(_reference(entry, names, path) for entry in content.get("reference", ()))
    return Recipe(
        name=path.stem,
        title=content["title"],
        about=" ".join(content["about"].split()),
        task=content["task"],
        data=content["data"],
        seeds=content["seeds"],
        work=float(content["work"]),
        settings=_settings(shared, known, path),
        variants=variants,
        grid=grid,
        references=references,
        experiment=content.get("experiment", ""),
    )


def _known(settings: Mapping[str, Any]) -> list[str]:
    """The settings beside these: of fine-tuning where a model is named, else of training from scratch."""
    return finetune_settings() if "model" in settings else settings_of()


def _grid(given: Mapping[str, Any], known: list[str], path: Path) -> dict[str, tuple[str, ...]]:
    _settings(given, known, path)
    for name, values in given.items():
        if not isinstance(values, list) or len(set(map(str, values))) < max(1, len(values)):
            raise InputError(f"{path}: the grid needs a list of different values for {name}.")
    return {name: tuple(map(str, values)) for name, values in given.items()}


def _combined(grid: Mapping[str, tuple[str, ...]]) -> tuple[Variant, ...]:
    """Every combination of the values, named as it is written; the last setting changes fastest."""
    made = []
    for values in product(*grid.values()):
        settings = dict(zip(grid, values, strict=True))
        name = " ".join(f"{setting.removeprefix(PREFIX)}={value}" for setting, value in settings.items())
        made.append(Variant(name or BASE, settings))
    return tuple(made)


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
    quantity = Quantity.parse(entry["figure"])
    return Reference(entry["source"], entry["variant"], quantity, values, at, entry.get("reason", ""))


def _row(value: Any) -> tuple[float, ...]:
    return tuple(map(float, value)) if isinstance(value, list | tuple) else (float(value),)


def _check_keys(given: Mapping[str, Any], known: set[str], where: str) -> None:
    wrong = next((key for key in given if key not in known), None)
    if wrong is not None:
        raise InputError(f"{where}: {unknown('key', wrong, known)}")
