"""Corpora from the Hugging Face hub, through the library `datasets`."""

import socket
import urllib.parse
import urllib.request
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from oratory.errors import InputError
from oratory.files import exists
from oratory.text.corpus import Corpus, LanguageData, one_line
from oratory.text.source import Source
from oratory.text.sources.folder import SPLITS, classifier_data, language_data
from oratory.text.table import LABEL_NAMES, LabelledText, RawTable, find_columns, find_text, rows_of, table_of

_HIDDEN = "-1"
"""What the hub writes for a label that is kept secret, as in the test splits of GLUE."""


@dataclass(frozen=True)
class Hub(Source):
    """A data set of the Hugging Face hub, or a local folder that the library datasets reads."""

    name: str
    """As owner/name, or owner/name:configuration."""
    text: str | None = None
    """The column that holds the text; found by its name unless given."""
    label: str | None = None
    """The column that holds the label; found by its name unless given."""

    def read(self) -> Corpus:
        return _read(self.name, self.text, self.label)

    def anchored(self) -> Self:
        path, colon, configuration = self.name.partition(":")
        if not path or not exists(Path(path)):
            return self
        return replace(self, name=f"{Path(path).resolve()}{colon}{configuration}")


def _read(name: str, text: str | None, label: str | None) -> Corpus:
    """The splits of a data set; without a column of labels it is running text."""
    loaded = _load_dataset(name)
    splits = {}
    for split, names in SPLITS.items():
        found = next((candidate for candidate in names if candidate in loaded), None)
        if found is not None:
            splits[split] = loaded[found]
    if "train" not in splits:
        raise InputError(f"hub:{name} has no train split, only {', '.join(loaded)}.")
    tables = {
        split: table_of(f"hub:{name} ({split})", dataset.column_names, dataset.to_dict())
        for split, dataset in splits.items()
    }
    columns = {column.casefold() for column in tables["train"].columns or ()}
    if label is None and columns.isdisjoint(LABEL_NAMES):
        return Corpus(f"hub:{name}", lm=_running_text(tables, text))
    rows: dict[str, list[LabelledText]] = {}
    notes = []
    for split, table in tables.items():
        text_at, label_at = find_columns(table, text, label)
        if split != "train" and all(cells[label_at] == _HIDDEN for cells in table.cells):
            notes.append(f"The labels of {split} are hidden; that split is left out.")
            continue
        feature = splits[split].features[splits[split].column_names[label_at]]
        rows[split] = [_named(row, getattr(feature, "names", None)) for row in rows_of(table, text_at, label_at)]
    classifier = classifier_data(rows)
    return Corpus(f"hub:{name}", classifier, language_data(classifier), tuple(notes))


def _running_text(tables: dict[str, RawTable], text: str | None) -> LanguageData:
    """A data set without labels, as for language models; blank rows part paragraphs and are dropped."""
    texts = {}
    for split, table in tables.items():
        column = find_text(table, text)
        texts[split] = tuple(line for cells in table.cells if (line := one_line(cells[column] or "")))
    if not texts["train"]:
        raise InputError(f"{tables['train'].path} holds no text: every row is blank.")
    tests = {"test": texts["test"]} if texts.get("test") else {}
    return LanguageData(texts["train"], texts.get("dev") or None, tests)


def _named(row: LabelledText, names: list[str] | None) -> LabelledText:
    """The row with the label's name where the data set keeps names for its numbers."""
    if not names:
        return row
    if not 0 <= int(row.label) < len(names):
        raise InputError(f"{row.where}: the label {row.label} has no name; the data set names {', '.join(names)}.")
    return LabelledText(row.text, one_line(names[int(row.label)]), row.where)


def _load_dataset(name: str) -> Any:
    """`datasets.load_dataset`, with its failures as sentences."""
    if find_spec("datasets") is None:
        raise InputError(f"hub:{name} needs the library datasets: pip install 'oratory[hub]'.")
    offline_without_network()
    import datasets

    path, _, configuration = name.partition(":")
    if not path:
        raise InputError("hub: needs a name, as in hub:owner/name.")
    try:
        return datasets.load_dataset(path, configuration or None)
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
