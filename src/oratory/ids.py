"""Names that follow from content: the same facts give the same name, anywhere."""

import hashlib
import json
import re
from typing import Any

LENGTH = 10
"""Characters of a key in a name."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,199}")


def key_of(facts: Any) -> str:
    """A hash of plain values."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def is_id(name: str) -> bool:
    """Whether a run, a comparison, a search or a recipe may be called so: letters, digits and dashes, never a path."""
    return _ID.fullmatch(name) is not None


def id_of(kind: str, key: str) -> str:
    """The name of a run, a comparison or a search."""
    return f"{kind}-{key[:LENGTH]}"
