"""Carving a dev split from train where a corpus has none."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.tables import counted, plural
from oratory.text.lines import in_parts
from oratory.text.numbered import hashed, numbered
from oratory.text.overlap import NEAR, Index, Numbering

T = TypeVar("T", int, str)

AT_ONCE = 50_000
"""Texts that are compared with others together; it bounds the memory."""
SHOWN = 10
"""How many groups are named."""


@dataclass(frozen=True)
class Carved:
    """What carving does with train; the rest of its items stay there."""

    dev: tuple[int, ...]
    aside: tuple[int, ...] = ()
    """Items of the groups of dev that are in no split any more: test, or what is left of train, has their text."""
    groups: tuple[str, ...] = ()
    """The groups that dev took whole."""
    split: tuple[str, ...] = ()
    """The groups of which single texts are in dev, and the others in train."""

    def sentences(self, item: str, group: str | None, aside: int) -> list[str]:
        """What was done, given what an item and a group are called, and how many different texts are set aside."""
        items = plural(item)
        said = [f"Dev was carved from train: no {item} of it is in train or test, or almost the same as one of test."]
        if self.groups:
            said.append(f"It has whole {plural(str(group))}, of which train has nothing: {_listed(self.groups)}.")
        if self.aside:
            said.append(
                f"{aside:,} different {items} of these are neither in train nor in dev: test, or another {group}, has "
                "them or almost the same."
            )
        if self.split:
            said.append(
                f"Of {len(self.split):,} {plural(str(group))} dev has some {items} and train the others "
                f"({_listed(self.split)}): there are too few {plural(str(group))} that test has not to hold out whole "
                "ones of each label."
            )
        return said


def carve(
    normalised: Sequence[str],
    labels: Sequence[int],
    share: float,
    taken: Collection[str] = frozenset(),
    groups: Sequence[str | None] = (),
    test_groups: Collection[str] = frozenset(),
) -> Carved:
    """As `carve_numbered`, given the normalised texts themselves, and those that are taken."""
    numbers = numbered(normalised)
    barred = set(taken)
    those = [number for number, text in zip(numbers.tolist(), normalised, strict=True) if text in barred]
    return carve_numbered(numbers, labels, share, np.array(those, np.int64), groups, test_groups)


def carve_numbered(
    numbers: NDArray[np.int64],
    labels: Sequence[int],
    share: float,
    taken: NDArray[np.int64],
    groups: Sequence[str | None] = (),
    test_groups: Collection[str] = frozenset(),
) -> Carved:
    """What to hold out of train: stratified, repeatable, and sharing neither a group nor a normalised text with train.

    Texts are given by their numbers (`numbered`). Groups are held out whole, unless a label has but one group, or none
    that test has not: then single texts of its groups are. Items of no group are held out by text; those with the same
    text stay together. Texts that are taken are never held out. The order is that of a hash, so the choice depends
    neither on the order of the file nor on a random state. Of each label, texts are held out until the share is
    reached: at least one item where that can be, and never all. Groups may be large, so of these one is held out too
    where that comes nearer to the share.
    """
    if not 0 < share < 1:
        raise InputError(f"The share of the dev split must lie between 0 and 1, not {share}.")
    texts = numbers.tolist()
    known = _of_same_text(texts, groups) if groups else [None] * len(labels)
    carving = _Carving(numbers, labels, share, taken)
    found = _Groups(carving, known, test_groups)
    whole = found.whole
    carving.hold_texts({texts[index] for index, group in enumerate(known) if group in whole} if whole else set())
    carving.hold_groups(found)
    held = {group for index in carving.held if (group := known[index]) is not None and group in whole}
    # A group that is held out leaves train altogether, with those of its texts that dev may not have.
    gone = carving.held | {index for group in held for index in found.members[group]}
    left = np.zeros(len(carving.free), bool)
    left[np.delete(numbers, list(gone))] = True
    dev = {index for index in carving.held if not left[texts[index]]}
    if carving.enough(dev):
        split = {group for index in dev if (group := known[index]) is not None} - held
        return Carved(_ordered(dev), _ordered(gone - dev), _ordered(held), _ordered(split))
    if not whole:
        raise too_few(len(labels))
    by_text = carve_numbered(numbers, labels, share, taken)
    return replace(by_text, split=_ordered(group for index in by_text.dev if (group := known[index]) is not None))


def _of_same_text(texts: Sequence[int], groups: Sequence[str | None]) -> list[str | None]:
    """The group of each item; one that has none belongs to a group that has its text."""
    of_text: dict[int, str] = {}
    for text, group in zip(texts, groups, strict=True):
        if group is not None:
            of_text[text] = min(group, of_text.get(text, group))
    return [of_text.get(text) if group is None else group for text, group in zip(texts, groups, strict=True)]


class _Carving:
    """The items that are held out so far, and how many of each label."""

    def __init__(
        self, numbers: NDArray[np.int64], labels: Sequence[int], share: float, taken: NDArray[np.int64]
    ) -> None:
        self.numbers, self.labels = numbers, labels
        self.free = np.ones(int(numbers.max(initial=-1)) + 1, bool)
        """Whether each text may be held out."""
        self.free[taken] = False
        self.left = Counter(labels)
        self.wanted = {label: min(max(1, round(share * size)), size - 1) for label, size in self.left.items()}
        self.count: Counter[int] = Counter()
        self.held: set[int] = set()

    def hold_texts(self, barred: Collection[int]) -> None:
        """Hold out texts up to what is wanted of each label, in the order of their numbers."""
        order = np.argsort(self.numbers, kind="stable")
        ends = np.cumsum(np.bincount(self.numbers, minlength=len(self.free)))
        missing = sum(self.wanted.values())
        for text in np.flatnonzero(self.free).tolist():
            if not missing:
                break
            if text in barred:
                continue
            same = order[ends[text - 1] if text else 0 : ends[text]].tolist()
            of = self._of(same)
            if all(self.count[label] + count <= self.wanted[label] for label, count in of.items()):
                before = sum(self.count.values())
                self._hold(same, same)
                missing -= sum(self.count.values()) - before

    def hold_groups(self, groups: "_Groups") -> None:
        """Hold out whole groups while they come nearer to what is wanted, and one of each label at least."""
        order = sorted(groups.whole & groups.usable, key=hashed)
        for group in order:
            of = self._of(groups.free[group])
            if all(count < 2 * (self.wanted[label] - self.count[label]) for label, count in of.items()):
                self._hold(groups.free[group], groups.members[group])
        for label, of_label in sorted(groups.with_label.items()):
            if not self.count[label] and of_label <= groups.whole:
                self._hold_nearest(label, groups, order)

    def _hold_nearest(self, label: int, groups: "_Groups", order: Sequence[str]) -> None:
        """Hold out the group with this label that goes least beyond what is wanted, and leaves some of each label."""
        over = {}
        for group in order:
            of = self._of(groups.free[group])
            if of[label] and self._leaves_some(groups.members[group]):
                over[group] = sum(max(0, self.count[at] + count - self.wanted[at]) for at, count in of.items())
        if over:
            nearest = min(over, key=over.__getitem__)
            self._hold(groups.free[nearest], groups.members[nearest])

    def _leaves_some(self, items: Iterable[int]) -> bool:
        return all(count < self.left[label] for label, count in self._of(items).items())

    def _hold(self, items: Sequence[int], leaving: Sequence[int]) -> None:
        """Hold out items, with all that leave train on their account, unless nothing of a label would be left."""
        if self._leaves_some(leaving):
            self.held.update(items)
            self.count.update(self._of(items))
            self.left.subtract(self._of(leaving))

    def enough(self, dev: Collection[int]) -> bool:
        """Whether dev has every label that it can have."""
        possible = self._of(np.flatnonzero(self.free[self.numbers]).tolist())
        there = self._of(dev)
        return bool(dev) and all(there[label] or not self.wanted[label] for label in possible)

    def _of(self, items: Iterable[int]) -> Counter[int]:
        return Counter(self.labels[index] for index in items)


class _Groups:
    """The groups of train, and which of them can be held out whole."""

    def __init__(self, carving: _Carving, groups: Sequence[str | None], in_test: Collection[str]) -> None:
        self.members: dict[str, list[int]] = defaultdict(list)
        self.with_label: dict[int, set[str]] = defaultdict(set)
        for index, group in enumerate(groups):
            if group is not None:
                self.members[group].append(index)
                self.with_label[carving.labels[index]].add(group)
        self.free = {
            group: [index for index in of if carving.free[carving.numbers[index]]] for group, of in self.members.items()
        }
        self.usable = {
            group for group, of in self.members.items() if group not in in_test and 2 * len(self.free[group]) >= len(of)
        }
        lacking = [of for of in self.with_label.values() if len(of) < 2 or not of & self.usable]
        self.whole = self.members.keys() - {group for of in lacking for group in of}
        """Those that are not split, whether they are held out or not."""


def close_to(normalised: Iterable[str], others: Sequence[str]) -> NDArray[np.bool_]:
    """For each text, whether it is among the others, or almost the same as one of them."""
    found: list[NDArray[np.bool_]] = [np.zeros(0, bool)]
    same, numbering = set(others), Numbering()
    index = Index(numbering.words(list(dict.fromkeys(others)))) if others else None
    for some in in_parts(normalised, AT_ONCE):
        close = np.array([text in same for text in some])
        rest = np.flatnonzero(~close)
        if index is not None and len(rest):
            words = numbering.words(some[at] for at in rest)
            close[rest[[pair.item for pair in index.near_duplicates(words, NEAR)]]] = True
        found.append(close)
    return np.concatenate(found)


def too_few(items: int) -> InputError:
    """The error for a train split that is too small to hold anything out."""
    return InputError(
        f"{counted(items, 'training item')} {'is' if items == 1 else 'are'} too few, or too similar to each other or "
        "to test, to hold out a dev split; add a dev file."
    )


def _ordered(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(sorted(set(values)))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else "")
