"""Splitting transcripts of speeches into sentences."""

import re
from collections.abc import Iterable, Sequence

LOOKED_AT, FEWEST = 200, 20
"""Texts that are looked at, and how many there must be to tell what texts of a corpus are."""
MOST = 0.95
"""The share of them that is one sentence, where texts are sentences."""

_ASIDE = re.compile(
    r"\s*\[\s*(?:laughter|applause|inaudible|see app note|at this point|members of the audience"
    r"|there was a disruption|(?:as )?delivered in person)[^]]*\]",
    re.IGNORECASE,
)
_CORRECTION = re.compile(r"\[([^];]+); White House correction\]")
_PRESIDENT = re.compile(r"The President\. ")
_OTHERS = re.compile(r"(?:Audience members?|Rep(?:\.|resentative)(?: [A-Z][\w.]*){1,3})\. ")
_UNFINISHED = re.compile(r"(?:\S+\s+){0,7}\S*[^\W_]|.*,", re.DOTALL)


def sentences(transcript: str) -> list[str]:
    """The sentences of a transcript, without what the transcriber added.

    Paragraphs are split by the rules of `sentencex`, which know titles, initials, abbreviations and quotes.
    Stage directions ("[Laughter]"), calls from the audience, headings and signatures are left out: a signature
    would tell a classifier who wrote the address.
    """
    found: list[str] = []
    for paragraph in transcript.splitlines():
        spoken = _CORRECTION.sub(r"\1", _ASIDE.sub("", paragraph)).strip()
        spoken = _PRESIDENT.sub("", spoken, count=1)
        if _OTHERS.match(f"{spoken} ") or _is_heading(spoken):
            continue
        _add(found, split_sentences(spoken))
    return found


def split_sentences(text: str) -> list[str]:
    """The sentences of a paragraph."""
    from sentencex import segment

    found: list[str] = []
    _add(found, filter(None, (piece.strip() for piece in segment("en", text))))
    return found


def are_sentences(texts: Sequence[str]) -> bool:
    """Whether texts are single sentences, as far as the first of them tell."""
    some = texts[:LOOKED_AT]
    return len(some) >= FEWEST and sum(len(split_sentences(text)) == 1 for text in some) >= MOST * len(some)


def _add(found: list[str], pieces: Iterable[str]) -> None:
    """Add pieces as sentences. A closing mark that was split off belongs to the sentence before it."""
    for piece in pieces:
        if found and not any(map(str.isalnum, piece)):
            found[-1] += piece
        else:
            found.append(piece)


def _is_heading(paragraph: str) -> bool:
    """Whether a paragraph is in capitals only, or a few words without a mark at the end."""
    return not any(letter.islower() for letter in paragraph) or bool(_UNFINISHED.fullmatch(paragraph))
