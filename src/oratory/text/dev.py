"""Carving a dev split from train where a corpus has none."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from oratory.errors import InputError
from oratory.text.overlap import NEAR, Index, Numbering


def carve(
    normalised: Sequence[str], labels: Sequence[int], share: float, taken: Collection[str] = frozenset()
) -> list[int]:
    """The indices to hold out of train: stratified, repeatable, and sharing no normalised text with the rest.

    Texts that are taken stay in train. Items with the same normalised text stay together. They are ordered by a hash
    of the text, so the choice depends neither on the order of the file nor on a random state. Of each label, texts are
    held out until the share is reached: at least one item where that can be, and never all.
    """
    if not 0 < share < 1:
        raise InputError(f"The share of the dev split must lie between 0 and 1, not {share}.")
    groups: dict[str, list[int]] = defaultdict(list)
    for index, text in enumerate(normalised):
        groups[text].append(index)
    wanted = {label: min(max(1, round(share * size)), size - 1) for label, size in Counter(labels).items()}
    held: Counter[int] = Counter()
    chosen: list[int] = []
    free = sorted(groups.keys() - set(taken), key=_hash)
    for text in free:
        of_group = Counter(labels[index] for index in groups[text])
        if all(held[label] + count <= wanted[label] for label, count in of_group.items()):
            held.update(of_group)
            chosen.extend(groups[text])
    possible = {labels[index] for text in free for index in groups[text]}
    if not chosen or any(wanted[label] and not held[label] for label in possible):
        raise too_few(len(labels))
    return sorted(chosen)


def close_to(normalised: Sequence[str], others: Sequence[str]) -> set[str]:
    """The texts that are among the others, or almost the same as one of them."""
    same = set(normalised) & set(others)
    rest = [text for text in dict.fromkeys(normalised) if text not in same]
    if not rest or not others:
        return same
    numbering = Numbering()
    index = Index(numbering.words(list(dict.fromkeys(others))))
    return same | {rest[pair.item] for pair in index.near_duplicates(numbering.words(rest), NEAR)}


def too_few(items: int) -> InputError:
    """The error for a train split that is too small to hold anything out."""
    return InputError(
        f"{items} training items are too few, or too similar to each other or to test, to hold out a dev split; "
        "add a dev file."
    )


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
