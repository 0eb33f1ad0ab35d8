"""Texts as lines, and as they are compared."""

import re
import unicodedata
from functools import cache

_LINE_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029\ufeff]+")
_APOSTROPHES = str.maketrans(dict.fromkeys("`´ʹʻʼʽˊˋ", "'"))
"""Characters that are typed for an apostrophe or a quotation mark, and are no punctuation in Unicode."""
_GROUPED = re.compile(r"(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)")
"""A number with commas between its thousands."""
_OTHER_COMMAS = re.compile("(?<=[0-9])['\u2019\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))")
"""What is written for such a comma: an apostrophe, or a blank that keeps a number in one line."""


def one_line(text: str) -> str:
    """The text without line breaks, tabs, byte order marks, and white space at its ends."""
    return _LINE_BREAKS.sub(" ", text).strip()


def normalise(text: str) -> str:
    """The text without case, punctuation, invisible characters and extra white space, for comparing texts.

    Letters, their marks, numbers and symbols stay; 1,000 and 1'000 are 1000. A text of punctuation alone stays as it
    is, so that "..." and "?!" are two texts.
    """
    if text.isascii():
        return _normalised_ascii(text)
    # Invisible characters go first: without them, a letter and its mark may become one character.
    visible = "".join(map(_visible, text.translate(_APOSTROPHES)))
    # So do these blanks, which NFKC makes like any other.
    grouped = _OTHER_COMMAS.sub(",", visible)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", grouped).casefold())
    whole = _GROUPED.sub(lambda number: number[0].replace(",", ""), folded)
    return " ".join("".join(map(_without_punctuation, whole)).split()) or folded.strip()


def _normalised_ascii(text: str) -> str:
    """The same for a text of ASCII characters alone, which most are, in a fraction of the time.

    None of them is invisible, and NFKC leaves them as they are.
    """
    if "'" in text or "`" in text:
        text = _OTHER_COMMAS.sub(",", text.translate(_APOSTROPHES))
    if "," in text:
        text = _GROUPED.sub(lambda number: number[0].replace(",", ""), text)
    folded = text.lower()
    return " ".join(folded.translate(_blanks()).split()) or folded.strip()


@cache
def _blanks() -> dict[int, str]:
    """A blank for every ASCII character that is not kept."""
    return {code: " " for code in range(128) if _without_punctuation(chr(code)) == " "}


@cache
def _visible(character: str) -> str:
    """The character, or nothing for one that takes no room: soft hyphens, joiners, variation selectors."""
    hidden = unicodedata.category(character) == "Cf" or "\ufe00" <= character <= "\ufe0f" or character == "\u034f"
    return "" if hidden else character


@cache
def _without_punctuation(character: str) -> str:
    """The character, or a blank for punctuation (P), separators (Z) and control characters (C)."""
    return " " if unicodedata.category(character)[0] in "PZC" else character
