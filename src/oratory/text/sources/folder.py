"""A folder as a corpus: the reference layout, or train/dev/test tables."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from oratory.errors import InputError, did_you_mean
from oratory.files import check_name, read_lines
from oratory.text.corpus import ClassifierData, Corpus, Labelled, LanguageData, label_order
from oratory.text.formats import READERS, read_table
from oratory.text.groups import GROUPS, LineGroups, read_groups
from oratory.text.label_names import LABELS, read_label_names, with_names
from oratory.text.lines import file_lines, is_large
from oratory.text.normal import one_line
from oratory.text.source import GIVE, Source
from oratory.text.table import LabelledText, LabelledTexts, Wanted, find_columns, read_labelled, rows_of

SPLITS = {"train": ("train",), "dev": ("dev", "validation", "valid", "val"), "test": ("test",)}
"""The splits, and the names that their files may have."""

MOST_LABELS = 1000
"""Beyond it nothing that is shown for every label, or trained for every label, is of use."""

_TEST_TEXT = re.compile(r"test_LM_(.+)\.txt")
_REFERENCE = re.compile(r"(train|dev|test)_CLS\.tsv|(train|dev)_LM\.txt|test_LM_.+\.txt")
_ALMOST = re.compile(r"(train|dev|test)_(CLS|LM)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Folder(Source):
    """A folder in the reference layout (train_CLS.tsv, train_LM.txt, ...), or with train, dev and test tables.

    Where it has labels.json, labels are shown by the names there.
    """

    path: str
    """The folder."""
    text: str | None = None
    """The column that holds the text, in a table; found by its name unless given."""
    label: str | None = None
    """The column that holds the label, in a table; found by its name unless given."""
    group: str | None = None
    """The column that says which texts belong together, such as those of one document, in a table."""

    def read(self) -> Corpus:
        return _read(Path(self.path), self.text, self.label, self.group)

    def anchored(self) -> Self:
        return replace(self, path=str(Path(self.path).resolve()))

    def __str__(self) -> str:
        # An absolute path cannot be taken for the name of a source.
        plain = Path(self.path).is_absolute() and self == Folder(self.path)
        return self.path if plain else super().__str__()


def _read(folder: Path, text: str | None, label: str | None, group: str | None) -> Corpus:
    """The corpus that a folder holds, in whichever layout it is."""
    check_name(folder.resolve())
    names = _names(folder)
    tables = _tables(folder, names)
    reference = [name for name in names if _REFERENCE.fullmatch(name)]
    for name in reference:
        check_name(folder / name)
    almost = next((name for name in names if _ALMOST.match(name) and name not in reference), None)
    if almost is not None:
        raise InputError(
            f"{folder / almost} is not a name of this layout: train_CLS.tsv, dev_CLS.tsv, test_CLS.tsv, train_LM.txt, "
            "dev_LM.txt, and test_LM_<name>.txt for each test text."
        )
    if tables and reference:
        mixed = f"{next(iter(tables.values())).name} and {reference[0]}"
        raise InputError(f"{folder} mixes two layouts ({mixed}); keep one.")
    if tables:
        return _from_tables(folder, tables, text, label, group)
    if reference:
        if text or label or group:
            raise InputError(
                f"{folder} is in the layout label, tab, text; it has no columns to name. Its groups are in {GROUPS}."
            )
        return _from_reference(folder, names)
    raise InputError(
        f"{folder} holds no corpus: neither train_CLS.tsv or train_LM.txt, nor train.tsv, .csv, .jsonl or .parquet."
    )


def _beside(folder: Path) -> list[str]:
    """What there is where a folder was looked for; a relative path may also be a misspelled sotu."""
    try:
        return ["sotu", *(entry.name for entry in folder.parent.iterdir())]
    except OSError:
        return ["sotu"]


def is_corpus(folder: Path) -> bool:
    """Whether a folder has a training file in one of the layouts."""
    names = {"train_CLS.tsv", "train_LM.txt", *(f"train{ending}" for ending in READERS)}
    try:
        return any((folder / name).is_file() for name in names)
    except OSError:
        return False  # Somebody else's folder.


def classifier_data(splits: Mapping[str, Sequence[LabelledText]]) -> ClassifierData:
    """Rows by split as labelled texts. The labels are those of train; any other one is refused."""
    return labelled_data({split: LabelledTexts.of(rows) for split, rows in splits.items()})


def labelled_data(splits: Mapping[str, LabelledTexts]) -> ClassifierData:
    """The same from columns."""
    label_names = label_order(set(splits["train"].labels))
    where = splits["train"].file
    if len(label_names) > MOST_LABELS:
        raise InputError(
            f"{where}: {len(label_names):,} different labels; at most {MOST_LABELS:,} are read. Is it the right column?"
        )
    if len(label_names) < 2:
        raise InputError(f"{where}: every label is {label_names[0]!r}; a classifier needs two or more labels.")
    index = {name: at for at, name in enumerate(label_names)}
    made: dict[str, Labelled] = {}
    for split, rows in splits.items():
        for row, label in enumerate(rows.labels):
            if label not in index:
                raise InputError(
                    f"{rows.where(row)}: the label {label!r} is not in train, which has {', '.join(label_names)}."
                )
        made[split] = Labelled(rows.texts, tuple(index[label] for label in rows.labels), rows.groups)
    return ClassifierData(label_names, made["train"], made.get("dev"), made.get("test"))


def language_data(classifier: ClassifierData) -> LanguageData:
    """The labelled texts as running text, for a corpus that has no other."""
    groups = {name: split.groups for name, split in classifier.splits()}
    tests = {"test": classifier.test.texts} if classifier.test else {}
    return LanguageData(classifier.train.texts, classifier.dev.texts if classifier.dev else None, tests, groups)


def running_text(texts: Mapping[str, Sequence[LabelledText]]) -> LanguageData:
    """The lines of train, of dev where there is one, and of the test texts, with their groups."""
    lines: dict[str, Sequence[str]] = {name: tuple(row.text for row in rows) for name, rows in texts.items()}
    tests = {name: found for name, found in lines.items() if name not in ("train", "dev")}
    groups = {name: _groups(rows) for name, rows in texts.items()}
    return LanguageData(lines["train"], lines.get("dev"), tests, groups)


def _groups(rows: Sequence[LabelledText]) -> tuple[str, ...]:
    return tuple(row.group for row in rows if row.group)


def _names(folder: Path) -> list[str]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        raise InputError(f"{folder} does not exist; {GIVE}.{did_you_mean(folder.name, _beside(folder))}") from None
    except NotADirectoryError:
        raise InputError(f"{folder} is a file; give the folder that holds the training and test files.") from None
    except PermissionError:
        raise InputError(f"{folder} may not be read: no permission.") from None
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}.") from None
    if not names:
        raise InputError(f"{folder} is an empty folder.")
    return names


def _tables(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    """The table of each split that has one; two tables for one split are refused."""
    found: dict[str, Path] = {}
    for split, stems in SPLITS.items():
        paths = [folder / name for name in names if name in {stem + end for stem in stems for end in READERS}]
        if len(paths) > 1:
            raise InputError(f"{folder} has two files for {split}: {paths[0].name} and {paths[1].name}; keep one.")
        if paths:
            found[split] = paths[0]
    return found


def _from_tables(
    folder: Path, paths: Mapping[str, Path], text: str | None, label: str | None, group: str | None
) -> Corpus:
    if "train" not in paths:
        raise InputError(f"{folder} has {', '.join(path.name for path in paths.values())} but no train file.")
    wanted = Wanted(text, label, group)
    tables = {split: read_table(path, wanted) for split, path in paths.items()}
    in_train = find_columns(tables["train"], text, label)
    rows = {
        # A file without a header is read like train, so that a short test file leaves no doubt.
        split: LabelledTexts.of(
            rows_of(table, *(in_train if table.columns is None else find_columns(table, text, label)), group)
        )
        for split, table in tables.items()
    }
    classifier = labelled_data(_named(folder, rows))
    return Corpus(folder.resolve().name, classifier, language_data(classifier), group=group)


def _from_reference(folder: Path, names: Sequence[str]) -> Corpus:
    labelled = {split: read_labelled(path) for split in SPLITS if (path := folder / f"{split}_CLS.tsv").name in names}
    running = {split: _lines(path) for split in ("train", "dev") if (path := folder / f"{split}_LM.txt").name in names}
    tests = {match[1]: _lines(folder / name) for name in names if (match := _TEST_TEXT.fullmatch(name))}
    for taken in {"train", "dev"} & set(tests):
        raise InputError(f"{folder}/test_LM_{taken}.txt: a test text may not be called {taken!r}.")
    for kind, parts, rest in (
        ("train_CLS.tsv", labelled, labelled),
        ("train_LM.txt", running, {**running, **tests}),
    ):
        if rest and "train" not in parts:
            raise InputError(f"{folder} has no {kind}, which its other files need.")
    files = {f"{split}_CLS.tsv": len(rows.texts) for split, rows in labelled.items()}
    files |= {file_of(name): len(lines) for name, lines in {**running, **tests}.items()}
    groups = read_groups(folder / GROUPS, files) if GROUPS in names else LineGroups()
    for split, rows in labelled.items():
        labelled[split] = replace(rows, groups=groups.of_lines.get(f"{split}_CLS.tsv", ()))
    classifier = labelled_data(_named(folder, labelled)) if labelled else None
    if running:
        of_texts = {name: groups.of_lines.get(file_of(name), ()) for name in (*running, *tests)}
        lm = LanguageData(running["train"], running.get("dev"), tests, of_texts)
    else:
        assert classifier is not None
        lm = language_data(classifier)
    return Corpus(folder.resolve().name, classifier, lm, item=groups.item, group=groups.group)


def _named(folder: Path, splits: Mapping[str, LabelledTexts]) -> dict[str, LabelledTexts]:
    """Texts with the names of their labels, where the folder has some."""
    path = folder / LABELS
    names = read_label_names(path)
    return {split: with_names(rows, names, path) for split, rows in splits.items()}


def file_of(text: str) -> str:
    """The file of a running text, by the name of the text."""
    return f"{text}_LM.txt" if text in ("train", "dev") else f"test_LM_{text}.txt"


def _lines(path: Path) -> Sequence[str]:
    return file_lines(path) if is_large(path) else tuple(one_line(line) for _, line in read_lines(path))
