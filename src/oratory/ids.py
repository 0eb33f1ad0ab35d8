"""Names that follow from content: the same facts give the same name, anywhere."""

import hashlib
import json
from typing import Any

LENGTH = 10
"""Characters of a key in a name."""


def key_of(facts: Any) -> str:
    """A hash of plain values."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def id_of(kind: str, key: str) -> str:
    """The name of a run, a comparison or a search."""
    return f"{kind}-{key[:LENGTH]}"
