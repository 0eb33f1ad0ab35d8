"""The templates of pages and documents, in the folder `templates` of a room."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape


def environment(room: str = "oratory.reports", **options: Any) -> Environment:
    """An environment that loads the templates of a room: HTML is escaped, and every value must be given."""
    return Environment(
        loader=PackageLoader(room),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **options,
    )
