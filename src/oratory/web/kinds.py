"""Kinds of values that a visitor may send, with their bounds."""

from typing import Annotated

from fastapi import Path, Query

Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,199}$", description="An id, or its beginning.")]
"""Never a path: letters, digits and dashes."""
Words = Annotated[str, Query(max_length=1000)]
"""A short text in an address."""
