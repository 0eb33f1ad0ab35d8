"""Characters."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oratory.text.lines import in_parts
from oratory.tokens.tokenizer import UNK
from oratory.tokens.vocabulary import VocabularyTokenizer, vocabulary

if TYPE_CHECKING:
    import tokenizers


@dataclass(frozen=True, kw_only=True)
class Char:
    """Single characters; the end of a line is one too."""

    min_count: int = 1
    """Characters seen fewer times in train become <unk>."""
    specials: tuple[str, ...] = ()
    """Further special tokens, such as <START>+<STOP>+<CLS>."""

    def train(self, lines: Sequence[str]) -> "CharTokenizer":
        counts: Counter[str] = Counter()
        for some in in_parts(lines):
            counts.update("\n".join((*some, "")))
        return CharTokenizer(*vocabulary(counts, self.specials, self.min_count))


class CharTokenizer(VocabularyTokenizer):
    """Every character of the vocabulary is a token."""

    kind = "char"

    @property
    def exact(self) -> bool:
        return True

    def for_tokenizers(self) -> "tokenizers.Tokenizer":
        from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

        made = Tokenizer(models.WordLevel(dict(self.ids), unk_token=UNK))
        made.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
        made.decoder = decoders.Fuse()
        return made

    def measure(self, text: str) -> tuple[list[int], list[int]]:
        ids = self.ids
        sizes = [1] * len(text) if text.isascii() else [len(character.encode()) for character in text]
        return [ids.get(character, 1) for character in text], sizes

    def decode(self, ids: Iterable[int]) -> str:
        return "".join(
            "\N{REPLACEMENT CHARACTER}" if self.tokens[index] == UNK else self.tokens[index]
            for index in self.check_ids(ids)
            if self._shown(index)
        )
