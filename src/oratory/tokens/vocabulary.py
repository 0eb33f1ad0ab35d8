"""What the word and the character tokenizer share: a list of tokens, with `<pad>` 0 and `<unk>` 1."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

from oratory.errors import InputError
from oratory.records import WrongValue, checked
from oratory.tokens.tokenizer import PAD, UNK, Tokenizer


class VocabularyTokenizer(Tokenizer):
    """A tokenizer with a list of tokens."""

    pad_id = 0
    unk_id = 1

    def __init__(self, tokens: Sequence[str], specials: int) -> None:
        self.tokens = tuple(tokens)
        self.specials = specials
        """How many tokens at the start of the list are special."""
        self.ids = {token: index for index, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def token(self, index: int) -> str:
        return self.tokens[self.check_ids([index])[0]]

    def find(self, token: str) -> int | None:
        return self.ids.get(token)

    def to_dict(self) -> dict[str, Any]:
        return {"specials": self.specials, "tokens": list(self.tokens)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        tokens = checked(tuple[str, ...], values["tokens"], "tokens")
        specials = checked(int, values["specials"], "specials")
        if not len((PAD, UNK)) <= specials <= len(tokens):
            raise WrongValue(f"{specials} of {len(tokens)} tokens cannot be special")
        return cls(tokens, specials)

    def _shown(self, index: int) -> bool:
        return index >= self.specials or index == self.unk_id


def special_tokens(further: Sequence[str]) -> list[str]:
    """The special tokens of every trained tokenizer, and further ones; all must be different."""
    tokens = [PAD, UNK, *further]
    if len(set(tokens)) < len(tokens) or not all(tokens):
        raise InputError(f"The special tokens {', '.join(tokens)} are not all different.")
    return tokens


def vocabulary(
    counts: Counter[str], specials: Sequence[str], min_count: int = 1, max_size: int | None = None
) -> tuple[list[str], int]:
    """The special tokens, then the others from the most frequent on; and how many are special.

    `max_size` bounds the whole list. Tokens of one frequency are in the order of their characters.
    """
    first = special_tokens(specials)
    if min_count < 1:
        raise InputError(f"min_count must be at least 1, not {min_count}.")
    if max_size is not None and max_size <= len(first):
        raise InputError(f"max_size={max_size} leaves no room beside the {len(first)} special tokens.")
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    kept = [token for token, count in ranked if count >= min_count and token not in first]
    return (first + kept)[:max_size], len(first)
