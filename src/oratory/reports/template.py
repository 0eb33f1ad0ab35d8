"""The templates of pages and documents, in the folder `templates`."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape


def environment(**options: Any) -> Environment:
    """An environment that loads our templates: HTML is escaped, and every value of a template must be given."""
    return Environment(
        loader=PackageLoader("oratory.reports"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **options,
    )
