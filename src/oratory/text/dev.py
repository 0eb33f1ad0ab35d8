"""Carving a dev split from train where a corpus has none."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence

from oratory.errors import InputError


def carve(normalised: Sequence[str], labels: Sequence[int], share: float) -> list[int]:
    """The indices to hold out of train: stratified, repeatable, and sharing no normalised text with the rest.

    Items with the same normalised text stay together. They are ordered by a hash of the text, so the choice depends
    neither on the order of the file nor on a random state. Of each label, groups are held out until the share is
    reached: at least one item where there are two, and never all.
    """
    if not 0 < share < 1:
        raise InputError(f"The share of the dev split must lie between 0 and 1, not {share}.")
    groups: dict[str, list[int]] = defaultdict(list)
    for index, text in enumerate(normalised):
        groups[text].append(index)
    wanted = {label: min(max(1, round(share * size)), size - 1) for label, size in Counter(labels).items()}
    held: Counter[int] = Counter()
    chosen: list[int] = []
    for text in sorted(groups, key=_hash):
        of_group = Counter(labels[index] for index in groups[text])
        if all(held[label] + count <= wanted[label] for label, count in of_group.items()):
            held.update(of_group)
            chosen.extend(groups[text])
    if not chosen or any(wanted[label] and not held[label] for label in wanted):
        raise too_few(len(labels))
    return sorted(chosen)


def too_few(items: int) -> InputError:
    """The error for a train split that is too small to hold anything out."""
    return InputError(f"{items} training items are too few, or too similar, to hold out a dev split; add a dev file.")


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
