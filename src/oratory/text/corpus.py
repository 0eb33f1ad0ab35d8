"""A corpus: texts with splits, labels and a fingerprint.

A corpus serves two tasks. `classifier` holds labelled texts, `lm` holds lines of running text; either may be
missing. Every text is one line. A corpus may say which texts belong together: sentences of one address, say.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from oratory.errors import InputError
from oratory.tables import Table, Tabled
from oratory.text.dev import carve, close_to, too_few
from oratory.text.normal import normalise

T = TypeVar("T")


@dataclass(frozen=True)
class Labelled:
    """Texts, each with the index of its label."""

    texts: tuple[str, ...]
    labels: tuple[int, ...]
    groups: tuple[str, ...] = ()
    """The group of each text, such as its address; empty where the corpus does not say."""

    def __post_init__(self) -> None:
        _check_groups("the labelled texts", self.texts, self.groups)

    def __len__(self) -> int:
        return len(self.texts)

    def pick(self, indices: Sequence[int]) -> "Labelled":
        """Some of the texts."""
        return Labelled(_picked(self.texts, indices), _picked(self.labels, indices), _picked(self.groups, indices))

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
    aside: tuple[str, ...] = ()
    """Texts of train as it was given that a carved dev left in no split; test may have them."""

    def splits(self) -> Iterator[tuple[str, Labelled]]:
        """The splits that exist, by name."""
        for name, split in (("train", self.train), ("dev", self.dev), ("test", self.test)):
            if split is not None:
                yield name, split

    def keep(self, train: Sequence[int]) -> "ClassifierData":
        """The same dev and test, with some texts of train."""
        return replace(self, train=self.train.pick(train))

    @cached_property
    def seen(self) -> tuple[bool, ...]:
        """For every test item, whether its normalised text is in train as it was given.

        A dev split that was carved from train has no text of test, so it does not change what is seen.
        """
        known = (*self.train.normalised, *map(normalise, self.aside))
        return _which(self.test.normalised if self.test else (), known)

    @cached_property
    def in_dev(self) -> tuple[bool, ...]:
        """For every test item, whether dev has its normalised text, and train has not."""
        dev = self.dev.normalised if self.dev else ()
        return _only_in_dev(self.test.normalised if self.test else (), self.seen, dev)

    def pick(self, train: Sequence[int], dev: Sequence[int], aside: Sequence[int]) -> "ClassifierData":
        """The same test, with some texts of train as train and others as dev or in no split."""
        left = _picked(self.train.texts, aside)
        return replace(self, train=self.train.pick(train), dev=self.train.pick(dev), aside=left)


@dataclass(frozen=True)
class LanguageData:
    """Lines to train a language model on, and the texts to measure it on, by name."""

    train: tuple[str, ...]
    dev: tuple[str, ...] | None = None
    tests: dict[str, tuple[str, ...]] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The group of each line, for the texts whose groups the corpus says; by the name of the text."""
    aside: tuple[str, ...] = ()
    """Lines of train as it was given that a carved dev left in no split; test may have them."""

    def __post_init__(self) -> None:
        for name, lines in self.texts():
            _check_groups(f"the text {name}", lines, self.groups.get(name, ()))
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
        """For every line of a test text, whether its normalised form is in train as it was given."""
        return _which(self._normalised[text], (*self._normalised["train"], *map(normalise, self.aside)))

    def in_dev(self, text: str) -> tuple[bool, ...]:
        """For every line of a test text, whether dev has its normalised form, and train has not."""
        return _only_in_dev(self._normalised[text], self.seen(text), self._normalised.get("dev", ()))

    def pick(self, train: Sequence[int], dev: Sequence[int], aside: Sequence[int]) -> "LanguageData":
        """The same tests, with some lines of train as train and others as dev or in no split."""
        groups = {name: of_lines for name, of_lines in self.groups.items() if name != "train"}
        if "train" in self.groups:
            groups |= {"train": _picked(self.groups["train"], train), "dev": _picked(self.groups["train"], dev)}
        kept, out, left = (_picked(self.train, indices) for indices in (train, dev, aside))
        return LanguageData(kept, out, self.tests, groups, left)

    def keep(self, train: Sequence[int]) -> "LanguageData":
        """The same dev and tests, with some lines of train."""
        of_train = {"train": _picked(self.groups["train"], train)} if "train" in self.groups else {}
        return LanguageData(_picked(self.train, train), self.dev, self.tests, {**self.groups, **of_train})

    @cached_property
    def _normalised(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(map(normalise, lines)) for name, lines in self.texts()}


@dataclass(frozen=True, repr=False)
class Corpus(Tabled):
    """Texts with splits, labels and a fingerprint."""

    name: str
    classifier: ClassifierData | None = None
    lm: LanguageData | None = None
    notes: tuple[str, ...] = ()
    item: str = "text"
    """What one of its texts is called, such as sentence."""
    group: str | None = None
    """What a group of texts is called, such as address; None where the corpus does not say its groups."""
    source: str | None = field(default=None, compare=False)
    """The text that loads this corpus again, from any directory; None where the corpus was made by hand."""
    given: "Corpus | None" = field(default=None, compare=False)
    """The corpus before a dev was carved from its train; None where none was."""
    left_out: tuple[str, ...] = field(default=(), compare=False)
    """How many lines of train were left out because others are measured on them, in sentences."""

    def __post_init__(self) -> None:
        if self.classifier is None and self.lm is None:
            raise InputError(f"The corpus {self.name} holds no text.")
        if self.group is None and any(groups for _, groups in self._groups()):
            raise InputError(f"The corpus {self.name} has groups, and does not say what a group is called.")

    def __repr__(self) -> str:
        parts = [f"{len(self.classifier.train):,} labelled texts"] if self.classifier else []
        parts += [f"{len(self.lm.train):,} lines"] if self.lm else []
        return f"<Corpus {self.name}: {' and '.join(parts)} to learn from, fingerprint {self.fingerprint}>"

    def tables(self) -> list[Table]:
        from oratory.text.describe import describe

        return describe(self).tables()

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the content: equal for the same texts, labels, splits and groups, wherever they are stored."""
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
        for name, groups in self._groups():
            if groups:
                add(f"groups of {name}", groups)
        return digest.hexdigest()[:16]

    def _groups(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The groups of every split and text, empty where there are none."""
        if self.classifier:
            yield from ((f"classifier {name}", split.groups) for name, split in self.classifier.splits())
        if self.lm:
            yield from ((f"lm {name}", self.lm.groups.get(name, ())) for name in sorted(dict(self.lm.texts())))

    def with_dev(self, share: float = 0.1) -> "Corpus":
        """This corpus with a dev split for each task: its own, or one carved from train.

        Both tasks are carved at once, so that no text is held out in one and learned from in the other. No text of
        dev is in test, or almost the same as one there: what is chosen on dev is not chosen on test. Where the corpus
        says its groups, dev has whole ones; the notes say what was done.
        """
        classifier = self.classifier if self.classifier and self.classifier.dev is None else None
        lm = self.lm if self.lm and self.lm.dev is None else None
        labelled = classifier.train.texts if classifier else ()
        running = lm.train if lm else ()
        if not labelled and not running:
            return self
        # The lines of running text are one more label.
        labels = [*(classifier.train.labels if classifier else ()), *[-1] * len(running)]
        texts = [normalise(text) for text in (*labelled, *running)]
        near = close_to(texts, [normalise(text) for text in self.test_lines()])
        carved = carve(texts, labels, share, near, self._train_groups(classifier, lm), self._test_groups())
        sides = (sorted({*range(len(labels))} - {*carved.dev, *carved.aside}), carved.dev, carved.aside)
        first = len(labelled)
        kept, out, aside = ([i for i in side if i < first] for side in sides)
        lines_kept, lines_out, lines_aside = ([i - first for i in side if i >= first] for side in sides)
        if (labelled and not out) or (running and not lines_out):
            raise too_few(len(labels))
        said = carved.sentences(self.item, self.group, len({texts[index] for index in carved.aside}))
        changed = replace(self, notes=(*self.notes, *said))
        if classifier:
            changed = replace(changed, classifier=classifier.pick(kept, out, aside))
        if lm:
            changed = replace(changed, lm=lm.pick(lines_kept, lines_out, lines_aside))
        return replace(changed, source=_carved(self.source, share), given=self.given or self)

    @property
    def carving(self) -> tuple[str, ...]:
        """How the dev of this corpus was carved from its train; nothing where it brings its own, or has none."""
        return self.notes[len(self.given.notes) :] if self.given else ()

    def _train_groups(self, classifier: ClassifierData | None, lm: LanguageData | None) -> list[str | None]:
        """The group of every labelled text and every line that a dev is carved from."""
        found: list[str | None] = []
        if classifier:
            found += classifier.train.groups or [None] * len(classifier.train)
        if lm:
            found += lm.groups.get("train", ()) or [None] * len(lm.train)
        return found if any(found) else []

    def _test_groups(self) -> set[str]:
        """The groups of all test texts of both tasks."""
        labelled = self.classifier.test.groups if self.classifier and self.classifier.test else ()
        tests = (self.lm.groups.get(name, ()) for name in self.lm.tests) if self.lm else ()
        return {*labelled, *(group for groups in tests for group in groups)}

    def test_lines(self) -> tuple[str, ...]:
        """All test texts of both tasks."""
        labelled = self.classifier.test.texts if self.classifier and self.classifier.test else ()
        return (*labelled, *(line for lines in (self.lm.tests.values() if self.lm else ()) for line in lines))

    def dev_lines(self) -> tuple[str, ...]:
        """All dev texts of both tasks."""
        labelled = self.classifier.dev.texts if self.classifier and self.classifier.dev else ()
        return (*labelled, *(self.lm.dev if self.lm and self.lm.dev else ()))

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


def _picked(values: tuple[T, ...], indices: Sequence[int]) -> tuple[T, ...]:
    """Some of the values; none where there are none."""
    return tuple(values[index] for index in indices) if values else ()


def _which(texts: Sequence[str], others: Sequence[str]) -> tuple[bool, ...]:
    """For each text, whether it is among the others."""
    known = frozenset(others)
    return tuple(text in known for text in texts)


def _only_in_dev(texts: Sequence[str], seen: Sequence[bool], dev: Sequence[str]) -> tuple[bool, ...]:
    return tuple(there and not known for there, known in zip(_which(texts, dev), seen, strict=True))


def _check_groups(what: str, texts: Sequence[str], groups: Sequence[str]) -> None:
    if groups and len(groups) != len(texts):
        raise InputError(f"There are {len(groups):,} groups for {len(texts):,} items of {what}; each item needs one.")
