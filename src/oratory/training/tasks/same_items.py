"""Whether the results of several runs are of the very same items."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oratory.errors import InputError

if TYPE_CHECKING:
    import pyarrow


def need_same_items(tables: "Sequence[pyarrow.Table]", columns: Sequence[str]) -> None:
    """Refuse results whose items differ in one of the columns that say which item each is."""
    first, *others = tables
    for table in others:
        for name in columns:
            if len(table) != len(first) or table[name].to_pylist() != first[name].to_pylist():
                raise InputError(f"The runs were not measured on the same items ({name} differs); train them again.")
