"""Words by the rules of NLTK 3.9."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oratory.tokens.vocabulary import VocabularyTokenizer, vocabulary
from oratory.tokens.words import measured_words, split

_NO_SPACE_BEFORE = re.compile(r" (?=(?:[.,;:?!%)\]}’”]|'(?:s|S|m|M|d|D|ll|LL|re|RE|ve|VE)?|n't|N'T|'')(?: |$))")
_NO_SPACE_AFTER = re.compile(r"(?<=[(\[{$#“‘]) |(?<=``) ")


@dataclass(frozen=True, kw_only=True)
class Word:
    """Words and punctuation marks, line by line (NLTK 3.9)."""

    min_count: int = 1
    """Words seen fewer times in train become <unk>."""
    max_size: int | None = None
    """Entries of the vocabulary at the most, special ones included; the most frequent words stay."""
    specials: tuple[str, ...] = ()
    """Further special tokens, such as <START>+<STOP>+<CLS>."""

    def train(self, lines: Sequence[str]) -> "WordTokenizer":
        counts: Counter[str] = Counter()
        for line in lines:
            counts.update(split(line))
        return WordTokenizer(*vocabulary(counts, self.specials, self.min_count, self.max_size))


class WordTokenizer(VocabularyTokenizer):
    """Every word of the vocabulary is a token."""

    kind = "word"

    @property
    def exact(self) -> bool:
        """White space and line ends are dropped, and all double quotes are written alike."""
        return False

    def measure(self, text: str) -> tuple[list[int], list[int]]:
        words, sizes = measured_words(text)
        ids = self.ids
        return [ids.get(word, 1) for word in words], sizes

    def decode(self, ids: Iterable[int]) -> str:
        text = " ".join(self.tokens[index] for index in self.check_ids(ids) if self._shown(index))
        text = _NO_SPACE_AFTER.sub("", _NO_SPACE_BEFORE.sub("", text))
        return text.replace("``", '"').replace("''", '"')
