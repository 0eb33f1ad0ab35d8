"""The token in the place of masked ones."""

from oratory.errors import InputError
from oratory.tokens import Tokenizer

MASK = "<mask>"
NAMES = (MASK, "[MASK]")
"""What tokenizers call it."""


def mask_id(tokenizer: Tokenizer) -> int:
    """The id of the mask, or an InputError if the tokenizer has none."""
    found = next((index for name in NAMES if (index := tokenizer.find(name)) is not None), None)
    if found is None:
        raise InputError(f"A masked language model needs a token {' or '.join(NAMES)}, and this tokenizer has neither.")
    return found
