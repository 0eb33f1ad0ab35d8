"""Corpora from the Hugging Face hub, through the library `datasets`."""

import re
import socket
import urllib.parse
import urllib.request
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from oratory.errors import InputError
from oratory.files import exists
from oratory.text.corpus import Corpus, LanguageData
from oratory.text.formats import check_size, table_of
from oratory.text.normal import one_line
from oratory.text.source import Source
from oratory.text.sources.folder import SPLITS, classifier_data, language_data
from oratory.text.table import (
    LABEL_NAMES,
    LabelledText,
    RawTable,
    Wanted,
    chosen_columns,
    find_columns,
    find_text,
    groups_of,
    rows_of,
)

NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?", re.ASCII)
"""What the hub calls a model or a data set."""
_HIDDEN = "-1"
"""What the hub writes for a label that is kept secret, as in the test splits of GLUE."""


@dataclass(frozen=True)
class Hub(Source):
    """A data set of the Hugging Face hub."""

    name: str
    """As owner/name, or owner/name:configuration."""
    text: str | None = None
    """The column that holds the text; found by its name unless given."""
    label: str | None = None
    """The column that holds the label; found by its name unless given."""
    group: str | None = None
    """The column that says which texts belong together, such as those of one document."""

    def read(self) -> Corpus:
        return _read(self.name, self.text, self.label, self.group)

    def _has_sentences(self) -> bool:
        return False  # To look at the texts, the network may be needed.


def _read(name: str, text: str | None, label: str | None, group: str | None) -> Corpus:
    """The splits of a data set; without a column of labels it is running text."""
    loaded = _load_dataset(name)
    splits = {}
    for split, candidates in SPLITS.items():
        found = next((candidate for candidate in candidates if candidate in loaded), None)
        if found is not None:
            splits[split] = loaded[found]
    if "train" not in splits:
        raise InputError(f"hub:{name} has no train split, only {', '.join(loaded)}.")
    names = {column.casefold() for column in splits["train"].column_names}
    labelled = label is not None or not names.isdisjoint(LABEL_NAMES)
    for split, dataset in splits.items():
        path = f"hub:{name} ({split})"
        check_size(path, dataset.num_rows, 0)
        chosen = chosen_columns(path, dataset.column_names, Wanted(text, label, group), labelled)
        splits[split] = dataset.select_columns(chosen)
        check_size(path, dataset.num_rows, splits[split].data.nbytes)
    tables = {
        split: table_of(f"hub:{name} ({split})", dataset.column_names, dataset.to_dict())
        for split, dataset in splits.items()
    }
    if not labelled:
        return Corpus(f"hub:{name}", lm=_running_text(tables, text, group), group=group)
    rows: dict[str, list[LabelledText]] = {}
    notes = []
    for split, table in tables.items():
        text_at, label_at = find_columns(table, text, label)
        if split != "train" and all(cells[label_at] == _HIDDEN for cells in table.cells):
            notes.append(f"The labels of {split} are hidden; that split is left out.")
            continue
        feature = splits[split].features[splits[split].column_names[label_at]]
        read = rows_of(table, text_at, label_at, group)
        rows[split] = [_named(row, getattr(feature, "names", None)) for row in read]
    classifier = classifier_data(rows)
    return Corpus(f"hub:{name}", classifier, language_data(classifier), tuple(notes), group=group)


def _running_text(tables: dict[str, RawTable], text: str | None, group: str | None) -> LanguageData:
    """A data set without labels, as for language models; blank rows part paragraphs and are dropped."""
    texts, groups = {}, {}
    for split, table in tables.items():
        column = find_text(table, text)
        lines = [one_line(cells[column] or "") for cells in table.cells]
        texts[split] = tuple(filter(None, lines))
        of_lines = zip(lines, groups_of(table, group), strict=True)
        groups[split] = tuple(name for line, name in of_lines if line and name)
    if not texts["train"]:
        raise InputError(f"{tables['train'].path} holds no text: every row is blank.")
    tests = {"test": texts["test"]} if texts.get("test") else {}
    return LanguageData(texts["train"], texts.get("dev") or None, tests, groups)


def _named(row: LabelledText, names: list[str] | None) -> LabelledText:
    """The row with the label's name where the data set keeps names for its numbers."""
    if not names:
        return row
    if not 0 <= int(row.label) < len(names):
        raise InputError(f"{row.where}: the label {row.label} has no name; the data set names {', '.join(names)}.")
    return replace(row, label=one_line(names[int(row.label)]))


def _load_dataset(name: str) -> Any:
    """`datasets.load_dataset`, with its failures as sentences."""
    path, _, configuration = name.partition(":")
    if not NAME.fullmatch(path):
        raise InputError(f"hub:{name} is not a name on the hub, such as hub:owner/name; give a folder without hub:.")
    if exists(Path(path)):
        raise InputError(
            f"hub:{name} is a folder here, which would be read in its place; give it as ./{path}, or go elsewhere."
        )
    if find_spec("datasets") is None:
        raise InputError(f"hub:{name} needs the library datasets: pip install 'oratory[hub]'.")
    offline_without_network()
    import datasets

    try:
        # The newest is meant; which one it was, the fingerprint of the corpus says.
        return datasets.load_dataset(path, configuration or None)  # nosec B615
    except ConnectionError:
        raise InputError(
            f"hub:{name} cannot be reached: no network, and it is not in the local cache. Try again with a "
            "network, or give a folder."
        ) from None
    except (datasets.exceptions.DatasetsError, OSError, ValueError) as error:
        reason = str(error.__cause__ or error) or type(error).__name__
        raise InputError(f"hub:{name} cannot be loaded: {reason.splitlines()[0]}") from None


def offline_without_network() -> None:
    """Without a network, let the hub's library look into its cache only.

    What is there still loads; what is not fails at once, and not after half a minute of trying again.
    """
    from huggingface_hub import constants

    if not _resolves(constants.ENDPOINT):
        constants.HF_HUB_OFFLINE = True


def _resolves(address: str) -> bool:
    """Whether the host of an address has one, or a proxy looks it up for us."""
    if urllib.request.getproxies():
        return True
    try:
        socket.getaddrinfo(urllib.parse.urlsplit(address).hostname, None)
    except OSError:
        return False
    return True
