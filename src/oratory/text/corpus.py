"""A corpus: texts with splits, labels and a fingerprint.

A corpus serves two tasks. `classifier` holds labelled texts, `lm` holds lines of running text; either may be
missing. Every text is one line. A corpus may say which texts belong together: sentences of one address, say.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice

from oratory.errors import InputError
from oratory.tables import Table, Tabled
from oratory.text.lines import Indices, JoinedTexts, picked
from oratory.text.normal import normalise


@dataclass(frozen=True)
class Labelled:
    """Texts, each with the index of its label."""

    texts: Sequence[str]
    labels: tuple[int, ...]
    groups: tuple[str, ...] = ()
    """The group of each text, such as its address; empty where the corpus does not say."""

    def __post_init__(self) -> None:
        _check_groups("the labelled texts", self.texts, self.groups)

    def __len__(self) -> int:
        return len(self.texts)

    def pick(self, indices: Indices) -> "Labelled":
        """Some of the texts."""
        labels, groups = tuple(picked(self.labels, indices)), tuple(picked(self.groups, indices))
        return Labelled(picked(self.texts, indices), labels, groups)

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
    aside: Sequence[str] = ()
    """Texts of train as it was given that a carved dev left in no split; test may have them."""

    def splits(self) -> Iterator[tuple[str, Labelled]]:
        """The splits that exist, by name."""
        for name, split in (("train", self.train), ("dev", self.dev), ("test", self.test)):
            if split is not None:
                yield name, split

    def keep(self, train: Indices) -> "ClassifierData":
        """The same dev and test, with some texts of train."""
        return replace(self, train=self.train.pick(train))

    @cached_property
    def seen(self) -> tuple[bool, ...]:
        """For every test item, whether its normalised text is in train as it was given.

        A dev split that was carved from train has no text of test, so it does not change what is seen.
        """
        return _which(self.test.normalised if self.test else (), chain(self.train.texts, self.aside))

    @cached_property
    def in_dev(self) -> tuple[bool, ...]:
        """For every test item, whether dev has its normalised text, and train has not."""
        dev = self.dev.texts if self.dev else ()
        return _only_in_dev(self.test.normalised if self.test else (), self.seen, dev)

    def pick(self, train: Indices, dev: Indices, aside: Indices) -> "ClassifierData":
        """The same test, with some texts of train as train and others as dev or in no split."""
        left = picked(self.train.texts, aside)
        return replace(self, train=self.train.pick(train), dev=self.train.pick(dev), aside=left)


@dataclass(frozen=True)
class LanguageData:
    """Lines to train a language model on, and the texts to measure it on, by name."""

    train: Sequence[str]
    dev: Sequence[str] | None = None
    tests: Mapping[str, Sequence[str]] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The group of each line, for the texts whose groups the corpus says; by the name of the text."""
    aside: Sequence[str] = ()
    """Lines of train as it was given that a carved dev left in no split; test may have them."""

    def __post_init__(self) -> None:
        for name, lines in self.texts():
            _check_groups(f"the text {name}", lines, self.groups.get(name, ()))
        taken = {"train", "dev"} & set(self.tests)
        if taken:
            raise InputError(f"A test text may not be called {taken.pop()!r}: that is the name of a split.")

    def texts(self) -> Iterator[tuple[str, Sequence[str]]]:
        """Train, dev where there is one, and the test texts, by name."""
        yield "train", self.train
        if self.dev is not None:
            yield "dev", self.dev
        yield from self.tests.items()

    def seen(self, text: str) -> tuple[bool, ...]:
        """For every line of a test text, whether its normalised form is in train as it was given."""
        return self._seen[text]

    def in_dev(self, text: str) -> tuple[bool, ...]:
        """For every line of a test text, whether dev has its normalised form, and train has not."""
        return _only_in_dev(self._normalised[text], self.seen(text), self.dev or ())

    def pick(self, train: Indices, dev: Indices, aside: Indices) -> "LanguageData":
        """The same tests, with some lines of train as train and others as dev or in no split."""
        groups = {name: of_lines for name, of_lines in self.groups.items() if name != "train"}
        if "train" in self.groups:
            of_train = self.groups["train"]
            groups |= {"train": tuple(picked(of_train, train)), "dev": tuple(picked(of_train, dev))}
        kept, out, left = (picked(self.train, indices) for indices in (train, dev, aside))
        return LanguageData(kept, out, self.tests, groups, left)

    def keep(self, train: Indices) -> "LanguageData":
        """The same dev and tests, with some lines of train."""
        of_train = {"train": tuple(picked(self.groups["train"], train))} if "train" in self.groups else {}
        return LanguageData(picked(self.train, train), self.dev, self.tests, {**self.groups, **of_train})

    @cached_property
    def _normalised(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(map(normalise, lines)) for name, lines in self.tests.items()}

    @cached_property
    def _seen(self) -> dict[str, tuple[bool, ...]]:
        """Of all test texts at once, so that train is read once."""
        every = [line for lines in self._normalised.values() for line in lines]
        found = iter(_which(every, chain(self.train, self.aside)))
        return {name: tuple(islice(found, len(lines))) for name, lines in self._normalised.items()}


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
        from oratory.text.carved import with_dev  # Which knows corpora.

        return with_dev(self, share)

    @property
    def carving(self) -> tuple[str, ...]:
        """How the dev of this corpus was carved from its train; nothing where it brings its own, or has none."""
        return self.notes[len(self.given.notes) :] if self.given else ()

    def test_lines(self) -> tuple[str, ...]:
        """All test texts of both tasks."""
        labelled = self.classifier.test.texts if self.classifier and self.classifier.test else ()
        return (*labelled, *(line for lines in (self.lm.tests.values() if self.lm else ()) for line in lines))

    def dev_lines(self) -> tuple[str, ...]:
        """All dev texts of both tasks."""
        labelled = self.classifier.dev.texts if self.classifier and self.classifier.dev else ()
        return (*labelled, *(self.lm.dev if self.lm and self.lm.dev else ()))

    def training_lines(self) -> Sequence[str]:
        """All training lines of both tasks, for a tokenizer; lines that both tasks share come once."""
        labelled = self.classifier.train.texts if self.classifier else ()
        running = self.lm.train if self.lm else ()
        if labelled is running or labelled == running:
            return labelled
        both = labelled, running
        return (*labelled, *running) if all(isinstance(texts, tuple) for texts in both) else JoinedTexts(*both)

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


def _which(normalised: Sequence[str], others: Iterable[str]) -> tuple[bool, ...]:
    """For each normalised text, whether it is among the others, which are read one by one and not kept."""
    wanted = frozenset(normalised)
    known = {text for text in map(normalise, others) if text in wanted} if wanted else set()
    return tuple(text in known for text in normalised)


def _only_in_dev(texts: Sequence[str], seen: Sequence[bool], dev: Sequence[str]) -> tuple[bool, ...]:
    return tuple(there and not known for there, known in zip(_which(texts, dev), seen, strict=True))


def _check_groups(what: str, texts: Sequence[str], groups: Sequence[str]) -> None:
    if groups and len(groups) != len(texts):
        raise InputError(f"There are {len(groups):,} groups for {len(texts):,} items of {what}; each item needs one.")
