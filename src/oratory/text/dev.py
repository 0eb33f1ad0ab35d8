"""Carving a dev split out of train where a corpus brings none."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence

from oratory.errors import InputError


def carve(normalised: Sequence[str], labels: Sequence[int], share: float) -> tuple[list[int], list[int]]:
    """Indices to keep in train and to hold out: stratified, repeatable, and sharing no normalised text.

    Items with one normalised text move together. Their order is that of a hash of the text, so the choice depends
    neither on the order of the file nor on a random state. Of each label, groups are held out until the share is
    reached; at least one item of a label always stays in train.
    """
    if not 0 < share < 1:
        raise InputError(f"The share of the dev split must lie between 0 and 1, not {share}.")
    groups: dict[str, list[int]] = defaultdict(list)
    for index, text in enumerate(normalised):
        groups[text].append(index)
    sizes = Counter(labels)
    wanted = {label: round(share * size) for label, size in sizes.items()}
    held: Counter[int] = Counter()
    chosen: list[int] = []
    for text in sorted(groups, key=_hash):
        of_group = Counter(labels[index] for index in groups[text])
        if all(held[label] + count <= wanted[label] for label, count in of_group.items()):
            held.update(of_group)
            chosen.extend(groups[text])
    if not chosen:
        raise InputError(f"{len(labels)} training items are too few to hold out a dev split; bring a dev file.")
    out = set(chosen)
    return [index for index in range(len(labels)) if index not in out], sorted(chosen)


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
