"""A part of train: nested, document by document where the corpus says its documents, and with every label.

Documents are put into the order of a hash, label by label, and texts are kept from the first on; the last document may
be kept up to some sentence. Where there are no documents, single texts are in the order of the hash. So a smaller part
is always inside a larger one, and no part depends on a random state. Dev and test stay as they are.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from oratory.tables import plural
from oratory.text.corpus import Corpus
from oratory.text.normal import normalise

RUNNING = -1
"""The label of lines of running text."""

Key = tuple[str, str]
"""The group of a text, empty where there is none, and the normalised text."""


def keep_share(corpus: Corpus, share: float) -> Corpus:
    """The corpus with about this share of train, of both tasks: a text is kept in both, or in none."""
    classifier, lm = corpus.classifier, corpus.lm
    labels, keys = _keys(corpus)
    kept = _kept(keys, labels, share)
    chosen = [at for at, key in enumerate(keys) if key in kept]
    first = len(classifier.train) if classifier else 0
    return replace(
        corpus,
        name=f"{corpus.name}, {100 * share:g}% of train",
        classifier=classifier and classifier.keep([at for at in chosen if at < first]),
        lm=lm and lm.keep([at - first for at in chosen if at >= first]),
        notes=(*corpus.notes, f"Train is {100 * share:g}% of what it was: {_counted(corpus, keys, kept)}."),
    )


def _keys(corpus: Corpus) -> tuple[list[int], list[Key]]:
    """The label of every text of train, those of running text last, and what tells it from others."""
    labels: list[int] = []
    texts: list[str] = []
    groups: list[str] = []
    if corpus.classifier:
        train = corpus.classifier.train
        labels += train.labels
        texts += train.texts
        groups += train.groups or [""] * len(train)
    if corpus.lm:
        labels += [RUNNING] * len(corpus.lm.train)
        texts += corpus.lm.train
        groups += corpus.lm.groups.get("train", ()) or [""] * len(corpus.lm.train)
    return labels, [(group, normalise(text)) for group, text in zip(groups, texts, strict=True)]


def _kept(keys: Sequence[Key], labels: Sequence[int], share: float) -> set[Key]:
    """The texts that come first, up to the share of each label; at least one of each."""
    label_of = dict(zip(reversed(keys), reversed(labels), strict=True))  # That of its first text.
    place = {key: at for at, key in reversed(list(enumerate(keys)))}
    # A text of both tasks counts where it is labelled, so that every label has its share.
    counts = Counter(key for key, label in zip(keys, labels, strict=True) if label == label_of[key])
    kept = set()
    for label in dict.fromkeys(label_of.values()):
        of_label = [key for key, of in label_of.items() if of == label]
        total, before = sum(counts[key] for key in of_label), 0
        for key in sorted(of_label, key=lambda key: (_hash(key[0] or key[1]), place[key])):
            if before and before + counts[key] / 2 > share * total:
                break
            kept.add(key)
            before += counts[key]
    return kept


def _counted(corpus: Corpus, keys: Sequence[Key], kept: set[Key]) -> str:
    """How much is kept, in words."""
    groups = [{group for group, _ in found if group} for found in (kept, set(keys))]
    texts = f"{len(kept):,} of {len(set(keys)):,} different {plural(corpus.item)}"
    if not groups[1] or corpus.group is None:
        return texts
    return f"{texts}, from {len(groups[0]):,} of {len(groups[1]):,} {plural(corpus.group)}"


def _hash(text: str) -> bytes:
    return hashlib.sha256(f"keep {text}".encode("utf-8", "surrogatepass")).digest()
