"""Splitting transcripts of speeches into sentences."""

import re

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
    from sentencex import segment

    found: list[str] = []
    for paragraph in transcript.splitlines():
        spoken = _CORRECTION.sub(r"\1", _ASIDE.sub("", paragraph)).strip()
        spoken = _PRESIDENT.sub("", spoken, count=1)
        if _OTHERS.match(f"{spoken} ") or _is_heading(spoken):
            continue
        for sentence in filter(None, (piece.strip() for piece in segment("en", spoken))):
            if found and not any(map(str.isalnum, sentence)):
                found[-1] += sentence  # A closing mark that was split off belongs to the sentence before it.
            else:
                found.append(sentence)
    return found


def _is_heading(paragraph: str) -> bool:
    """Whether a paragraph is in capitals only, or a few words without a mark at the end."""
    return not any(letter.islower() for letter in paragraph) or bool(_UNFINISHED.fullmatch(paragraph))
