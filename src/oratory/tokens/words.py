"""Texts parted into words by the rules of NLTK 3.9, and the bytes that each word covers.

A text is parted at its blanks, and the rules are run on each piece between two of them: no rule sees beyond the blank
before or after a piece, but for those about the end of a text, which are run on its last piece. Pieces come again and
again, so what becomes of the frequent ones is remembered.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from oratory.discovery import import_alone

QUOTES = ("``", "''")
"""How NLTK writes double quotes."""
LONGEST = 40
"""Characters of a piece that is remembered."""
REMEMBERED = 1 << 17
"""Pieces that are remembered."""

Piece = tuple[tuple[str, ...], tuple[int, ...], int]
"""Words, the bytes that each covers with the white space before it, and the bytes after the last one."""


def split(text: str) -> list[str]:
    """The words of a text: those of `NLTKWordTokenizer().tokenize(text)`, in less time."""
    return [word for piece in _pieces(text) for word in piece[0]]


def measured_words(text: str) -> tuple[list[str], list[int]]:
    """The words, and the bytes of the text that each covers; white space belongs to the word after it, or at the end of
    the text to the last one."""
    words: list[str] = []
    sizes: list[int] = []
    left = 0  # Bytes since the last word.
    for of_piece, bytes_of_words, after in _pieces(text):
        if of_piece:
            words += of_piece
            sizes.append(left + bytes_of_words[0])
            sizes += bytes_of_words[1:]
            left = 0
        left += after + 1  # The blank.
    if sizes:
        sizes[-1] += left - 1
    return words, sizes


def _pieces(text: str) -> list[Piece]:
    """What lies between blanks; the last piece is all from the last word on."""
    if text.startswith(('"', "''")):  # NLTK has rules of its own for quotes at the start of a text.
        return [_measured(text, _words(text))]
    last = text.rfind(" ", 0, len(text.rstrip(_CLOSING))) + 1
    before = text[: last - 1].split(" ") if last else ()
    found = [_inner(piece) if len(piece) <= LONGEST else _inner.__wrapped__(piece) for piece in before]
    end = text[last:]
    found.append(_last(end) if len(end) <= LONGEST else _last.__wrapped__(end))
    return found


@lru_cache(REMEMBERED)
def _inner(piece: str) -> Piece:
    """A piece between two blanks."""
    return _measured(piece, _words(f" {piece} ", ends=False))


@lru_cache(REMEMBERED)
def _last(piece: str) -> Piece:
    """The last piece, after a blank."""
    return _measured(piece, _words(f" {piece}"))


def _measured(piece: str, words: Sequence[str]) -> Piece:
    """The words with the bytes that they cover."""
    ends = _ends(piece, words)
    sizes = tuple(_bytes(piece[start:end]) for start, end in pairwise([0, *ends]))
    return tuple(words), sizes, _bytes(piece[ends[-1] :] if ends else piece)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _words(text: str, ends: bool = True) -> list[str]:
    """These are NLTK's own rules, one after the other; those about the end of a text only where it ends.

    A rule is run only on a text that has a character it needs, and one about the end of the text only on the end of it.
    """
    before, after, contractions = _rules()
    text = _apply(after, f" {_apply(before, text, ends)} ")
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


def _apply(rules: Sequence[_Rule], text: str, ends: bool = True) -> str:
    for rule in rules:
        if rule.at_end and not ends:
            continue
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
    # All of NLTK would load SciPy, scikit-learn and pandas with it: seconds, and 170 MB.
    rules: Any = import_alone("nltk.tokenize.destructive").NLTKWordTokenizer

    def guarded(pairs: Iterable[tuple[re.Pattern[str], str]]) -> list[_Rule]:
        return [
            _Rule(_steady(pattern), replacement, _NEEDED.get(pattern.pattern, ()), pattern.pattern.endswith("$"))
            for pattern, replacement in pairs
        ]

    before = [*rules.STARTING_QUOTES, *rules.PUNCTUATION, rules.PARENS_BRACKETS, rules.DOUBLE_DASHES]
    return guarded(before), guarded(rules.ENDING_QUOTES), [*rules.CONTRACTIONS2, *rules.CONTRACTIONS3]


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
    next_mark = dict.fromkeys(('"', *QUOTES), -1)  # Looked for again only after it was passed.
    for word in words:
        if word in QUOTES:
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
