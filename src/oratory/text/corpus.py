"""A corpus: texts with splits, labels and a fingerprint.

A corpus serves two tasks. `classifier` holds labelled texts, `lm` holds lines of running text; either may be
missing. Every text is one line.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from oratory.errors import InputError
from oratory.tables import Table, Tabled
from oratory.text.dev import carve, too_few

_LINE_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029\ufeff]+")


def one_line(text: str) -> str:
    """The text without line breaks, tabs, byte order marks, and white space at its ends."""
    return _LINE_BREAKS.sub(" ", text).strip()


def normalise(text: str) -> str:
    """The text without case, punctuation and extra white space, for comparing texts.

    Letters, their marks, numbers and symbols stay. A text of punctuation alone stays as it is, so that "..." and "?!"
    are two texts.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(map(_without_punctuation, folded)).split()) or folded.strip()


@cache
def _without_punctuation(character: str) -> str:
    """The character, or a blank for punctuation (P), separators (Z) and control characters (C)."""
    return " " if unicodedata.category(character)[0] in "PZC" else character


@dataclass(frozen=True)
class Labelled:
    """Texts, each with the index of its label."""

    texts: tuple[str, ...]
    labels: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def normalised(self) -> tuple[str, ...]:
        return tuple(map(normalise, self.texts))


@dataclass(frozen=True)
class ClassifierData:
    """Labelled texts to train a classifier on and to measure it on."""

    label_names: tuple[str, ...]
    train: Labelled
    dev: Labelled | None = None
    test: Labelled | None = None

    def splits(self) -> Iterator[tuple[str, Labelled]]:
        """The splits that exist, by name."""
        for name, split in (("train", self.train), ("dev", self.dev), ("test", self.test)):
            if split is not None:
                yield name, split

    @cached_property
    def seen(self) -> tuple[bool, ...]:
        """For every test item, whether its normalised text is in train."""
        train = frozenset(self.train.normalised)
        return tuple(text in train for text in self.test.normalised) if self.test else ()


@dataclass(frozen=True)
class LanguageData:
    """Lines to train a language model on, and the texts to measure it on, by name."""

    train: tuple[str, ...]
    dev: tuple[str, ...] | None = None
    tests: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        taken = {"train", "dev"} & set(self.tests)
        if taken:
            raise InputError(f"A test text may not be called {taken.pop()!r}: that is the name of a split.")

    def texts(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Train, dev where there is one, and the test texts, by name."""
        yield "train", self.train
        if self.dev is not None:
            yield "dev", self.dev
        yield from self.tests.items()

    def seen(self, text: str) -> tuple[bool, ...]:
        """For every line of a test text, whether its normalised form is in train."""
        return tuple(normalise(line) in self._normalised_train for line in self.tests[text])

    @cached_property
    def _normalised_train(self) -> frozenset[str]:
        return frozenset(map(normalise, self.train))


@dataclass(frozen=True, repr=False)
class Corpus(Tabled):
    """Texts with splits, labels and a fingerprint."""

    name: str
    classifier: ClassifierData | None = None
    lm: LanguageData | None = None
    notes: tuple[str, ...] = ()
    source: str | None = field(default=None, compare=False)
    """The text that loads this corpus again, from any directory; None where the corpus was made by hand."""

    def __post_init__(self) -> None:
        if self.classifier is None and self.lm is None:
            raise InputError(f"The corpus {self.name} holds no text.")

    def __repr__(self) -> str:
        parts = [f"{len(self.classifier.train):,} labelled texts"] if self.classifier else []
        parts += [f"{len(self.lm.train):,} lines"] if self.lm else []
        return f"<Corpus {self.name}: {' and '.join(parts)} to learn from, fingerprint {self.fingerprint}>"

    def tables(self) -> list[Table]:
        from oratory.text.describe import describe

        return describe(self).tables()

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the content: equal for the same texts, labels and splits, wherever they are stored."""
        digest = hashlib.sha256()

        def add(part: str, texts: Sequence[str], names: Sequence[str] = ()) -> None:
            digest.update(f"{part} {len(texts)}\n".encode())
            for row in zip(names, texts, strict=True) if names else ((text,) for text in texts):
                digest.update("\t".join(row).encode("utf-8", "surrogatepass") + b"\n")

        if self.classifier:
            label_names = self.classifier.label_names
            for name, split in self.classifier.splits():
                add(f"classifier {name}", split.texts, [label_names[label] for label in split.labels])
        if self.lm:
            for name, lines in (("train", self.lm.train), ("dev", self.lm.dev)):
                if lines is not None:
                    add(f"lm {name}", lines)
            for name in sorted(self.lm.tests):
                add(f"lm test {name}", self.lm.tests[name])
        return digest.hexdigest()[:16]

    def with_dev(self, share: float = 0.1) -> "Corpus":
        """This corpus with a dev split for each task: its own, or one carved from train.

        Both tasks are carved at once, so that no text is held out in one and learned from in the other.
        """
        classifier = self.classifier if self.classifier and self.classifier.dev is None else None
        lm = self.lm if self.lm and self.lm.dev is None else None
        labelled = classifier.train.texts if classifier else ()
        running = lm.train if lm else ()
        if not labelled and not running:
            return self
        # The lines of running text are one more label.
        labels = [*(classifier.train.labels if classifier else ()), *[-1] * len(running)]
        held = set(carve([normalise(text) for text in (*labelled, *running)], labels, share))
        first = len(labelled)
        if (labelled and not any(i < first for i in held)) or (running and not any(i >= first for i in held)):
            raise too_few(len(labels))
        changed = self
        if classifier:
            train = _pick(classifier.train, [i for i in range(first) if i not in held])
            dev = _pick(classifier.train, [i for i in range(first) if i in held])
            changed = replace(changed, classifier=replace(classifier, train=train, dev=dev))
        if lm:
            kept = tuple(line for i, line in enumerate(running, first) if i not in held)
            out = tuple(line for i, line in enumerate(running, first) if i in held)
            changed = replace(changed, lm=replace(lm, train=kept, dev=out))
        return replace(changed, source=_carved(self.source, share))

    def training_lines(self) -> tuple[str, ...]:
        """All training lines of both tasks, for a tokenizer; lines that both tasks share come once."""
        labelled = self.classifier.train.texts if self.classifier else ()
        running = self.lm.train if self.lm else ()
        return labelled if labelled == running else labelled + running

    def need_classifier(self) -> ClassifierData:
        """The labelled texts, or an InputError when there are none."""
        if self.classifier is None:
            raise InputError(f"The corpus {self.name} has no labelled texts (train_CLS.tsv or train.tsv).")
        return self.classifier

    def need_lm(self) -> LanguageData:
        """The running text, or an InputError when there is none."""
        if self.lm is None:
            raise InputError(f"The corpus {self.name} has no running text (train_LM.txt).")
        return self.lm


def label_order(names: set[str]) -> tuple[str, ...]:
    """Labels in the order of their indices: by number where all are whole numbers, else by name."""
    if all(re.fullmatch(r"-?\d{1,18}", name) for name in names):
        return tuple(sorted(names, key=lambda name: (int(name), name)))
    return tuple(sorted(names))


def _carved(source: str | None, share: float) -> str | None:
    """The text that loads a corpus with the dev split that was carved from it."""
    from oratory.text.load import parse_source

    return None if source is None else str(replace(parse_source(source), carve=share))


def _pick(split: Labelled, indices: Sequence[int]) -> Labelled:
    return Labelled(tuple(split.texts[i] for i in indices), tuple(split.labels[i] for i in indices))
