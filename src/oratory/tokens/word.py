"""Words by the rules of NLTK 3.9."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from oratory.tokens.tokenizer import byte_sizes
from oratory.tokens.vocabulary import VocabularyTokenizer, vocabulary

_QUOTES = ("``", "''")
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
        words = split(text)
        ids = self.ids
        return [ids.get(word, 1) for word in words], byte_sizes(text, _ends(text, words))

    def decode(self, ids: Iterable[int]) -> str:
        text = " ".join(self.tokens[index] for index in self.check_ids(ids) if self._shown(index))
        text = _NO_SPACE_AFTER.sub("", _NO_SPACE_BEFORE.sub("", text))
        return text.replace("``", '"').replace("''", '"')


def split(text: str) -> list[str]:
    """The words of a text: those of `NLTKWordTokenizer().tokenize(text)`, in less time.

    These are NLTK's own rules, one after the other. A rule is run only on a text that has a character it needs, and
    one about the end of the text only on the end of the text.
    """
    before, after, contractions = _rules()
    text = _apply(after, f" {_apply(before, text)} ")
    # Contractions ("cannot", "gonna") are rare; one look at the text in lower case spares ten searches.
    lower = text.lower()
    if any(stem in lower for stem in _STEMS):
        for pattern in contractions:
            text = pattern.sub(r" \1 \2 ", text)
    return text.split()


@dataclass(frozen=True)
class _Rule:
    """One substitution of NLTK's."""

    pattern: re.Pattern[str]
    replacement: str
    needed: tuple[str, ...]
    """A text without any of these is left as it is; nothing here means that every text is searched."""
    at_end: bool
    """Whether the pattern can match at the end of a text only."""


def _apply(rules: Sequence[_Rule], text: str) -> str:
    for rule in rules:
        for piece in rule.needed:
            if piece in text:
                break
        else:
            if rule.needed:
                continue
        if rule.at_end:
            # The longest match is a character, a full stop, and what may close a sentence after it.
            cut = max(0, len(text.rstrip(_CLOSING)) - 2)
            text = text[:cut] + rule.pattern.sub(rule.replacement, text[cut:])
        else:
            text = rule.pattern.sub(rule.replacement, text)
    return text


_BLANKS = (
    " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_CLOSING = _BLANKS + "])}>\"'»”’"
_STEMS = ("cannot", "d'ye", "gimme", "gonna", "gotta", "lemme", "more'n", "wanna", "'tis", "'twas")
_NEEDED = {
    r"^\"": ('"',),
    r"(``)": ("``",),
    r"([ \(\[{<])(\"|\'{2})": ('"', "''"),
    r"(?i)(\')(?!re|ve|ll|m|t|s|d|n)(\w)\b": ("'",),
    "([«“‘„]|[`]+)": ("«", "“", "‘", "„", "`"),
    r"([:,])([^\d])": (",", ":"),
    r"\.{2,}": ("..",),
    r"[;@#$%&]": (";", "@", "#", "$", "%", "&"),
    r"[?!]": ("?", "!"),
    r"([^'])' ": ("' ",),
    r"[*]": ("*",),
    r"[\]\[\(\)\{\}\<\>]": ("]", "[", "(", ")", "{", "}", "<", ">"),
    r"--": ("--",),
    "([»”’])": ("»", "”", "’"),
    r"''": ("''",),
    r'"': ('"',),
    # Words are parted at white space of any kind; only the two rules below want exactly one blank.
    r"\s+": ("'",),
    r"([^' ])('[sS]|'[mM]|'[dD]|') ": ("'",),
    r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ": ("'",),
}
"""What a text must hold for a rule to matter, by the pattern of the rule. A rule that is not here is always run."""


@cache
def _rules() -> tuple[list[_Rule], list[_Rule], list[re.Pattern[str]]]:
    """NLTK's rules: before the text is set between blanks, after that, and for contractions."""
    from nltk.tokenize import NLTKWordTokenizer as Nltk

    def guarded(rules: Iterable[tuple[re.Pattern[str], str]]) -> list[_Rule]:
        return [
            _Rule(_steady(pattern), replacement, _NEEDED.get(pattern.pattern, ()), pattern.pattern.endswith("$"))
            for pattern, replacement in rules
        ]

    before = [*Nltk.STARTING_QUOTES, *Nltk.PUNCTUATION, Nltk.PARENS_BRACKETS, Nltk.DOUBLE_DASHES]
    return guarded(before), guarded(Nltk.ENDING_QUOTES), [*Nltk.CONTRACTIONS2, *Nltk.CONTRACTIONS3]


def _steady(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """The rule with possessive quantifiers, so that it cannot backtrack.

    It matches the same texts: backtracking could only read the same white space again. But it would try each place, and
    a text can end with many blanks.
    """
    if not pattern.pattern.endswith(r"\s*$"):
        return pattern
    return re.compile(pattern.pattern.replace("]*)", "]*+)").replace(r"\s*$", r"\s*+$"), pattern.flags)


def _ends(text: str, words: Sequence[str]) -> list[int]:
    """Where each word ends in the text. NLTK writes double quotes as `` and '', so these may differ there."""
    ends = []
    end = 0
    next_mark = dict.fromkeys(('"', *_QUOTES), -1)  # Looked for again only after it was passed.
    for word in words:
        if word in _QUOTES:
            for mark, at in next_mark.items():
                if at < end:
                    found = text.find(mark, end)
                    next_mark[mark] = found if found >= 0 else len(text)
            mark = min(next_mark, key=lambda mark: next_mark[mark])
            end = next_mark[mark] + len(mark)
        else:
            end = text.find(word, end) + len(word)
        ends.append(end)
    return ends
