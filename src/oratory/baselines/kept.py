"""Baselines that were measured before: kept as JSON, by everything that decides them."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from oratory import __version__
from oratory.baselines.scores import ClassifierFacts, LanguageFacts, Share, TextFacts
from oratory.errors import InputError
from oratory.files import write_text
from oratory.ids import id_of, key_of

F = TypeVar("F", ClassifierFacts, LanguageFacts)


def kept(
    folder: Path | None, kind: str, deciding: list[Any], read: Callable[[Any], F], measure: Callable[[], dict[str, F]]
) -> dict[str, F]:
    """Facts by the name of each baseline: as an earlier call wrote them into the folder, or measured now."""
    if folder is None:
        return measure()
    path = folder / f"{id_of(kind, key_of([*deciding, __version__]))}.json"
    with suppress(OSError, ValueError, TypeError, KeyError):  # Not there, or not whole: measure again.
        return {name: read(values) for name, values in json.loads(path.read_bytes()).items()}
    found = measure()
    with suppress(InputError):  # A folder that cannot be written costs time and nothing else.
        write_text(path, json.dumps({name: asdict(facts) for name, facts in found.items()}))
    return found


def classifier_facts(values: Mapping[str, Any]) -> ClassifierFacts:
    """What `asdict` made of the facts of a classifier."""
    return ClassifierFacts(values["about"], *(Share(**values[part]) for part in ("all", "seen", "unseen")))


def language_facts(values: Mapping[str, Any]) -> LanguageFacts:
    """What `asdict` made of the facts of a language model."""
    texts = {name: TextFacts(**text) for name, text in values["texts"].items()}
    return LanguageFacts(values["order"], values["discount"], values["dev"], texts)
