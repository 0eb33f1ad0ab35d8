"""What was measured before, such as baselines: kept in files with a checksum, by everything that decides it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from oratory import __version__
from oratory.errors import InputError
from oratory.ids import id_of, key_of
from oratory.records import WrongValue, checked, read_record, write_record

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MEASURED = "measured"

F = TypeVar("F", bound="DataclassInstance")


def kept(
    folder: Path | None, kind: str, deciding: list[Any], facts: type[F], measure: Callable[[], dict[str, F]]
) -> dict[str, F]:
    """Facts by name, such as those of each baseline: as an earlier call wrote them into the folder, or measured now."""
    if folder is None:
        return measure()
    path = folder / f"{id_of(kind, key_of([*deciding, __version__]))}.json"
    with suppress(InputError, WrongValue):  # Not there, or not whole: measure again.
        known: dict[str, dict[str, F]] = checked(Mapping[str, Mapping[str, facts]], read_record(path))  # type: ignore[valid-type]
        if list(known) == [MEASURED]:
            return known[MEASURED]
    found = measure()
    # A folder that cannot be written costs time and nothing else, and so does a figure without end.
    with suppress(InputError, ValueError):
        write_record(path, {MEASURED: {name: asdict(of_one) for name, of_one in found.items()}})
    return found
