"""Writing a corpus as a folder in the reference layout, which `load_corpus` reads back."""

import os
import secrets
import shutil
from pathlib import Path

from oratory.errors import InputError
from oratory.files import write_text
from oratory.text.corpus import Corpus
from oratory.text.groups import GROUPS, LineGroups
from oratory.text.sources.folder import file_of


def export(corpus: Corpus, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the folder whole or not at all, and return its files. A folder with anything in it is refused."""
    folder = Path(folder).absolute()
    building = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder} exists and is not an empty folder; name another one.")
        for name, lines in _files(corpus).items():
            write_text(building / name, "".join(f"{line}\n" for line in lines))
        folder.parent.mkdir(parents=True, exist_ok=True)
        building.replace(folder)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}.") from None
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return [folder / name for name in _files(corpus)]


def _files(corpus: Corpus) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {}
    groups: dict[str, tuple[str, ...]] = {}
    if corpus.classifier:
        names = corpus.classifier.label_names
        for split, labelled in corpus.classifier.splits():
            rows = zip(labelled.labels, labelled.texts, strict=True)
            files[f"{split}_CLS.tsv"] = [f"{names[label]}\t{text}" for label, text in rows]
            groups[f"{split}_CLS.tsv"] = labelled.groups
    if corpus.lm:
        for text, lines in corpus.lm.texts():
            files[file_of(text)] = list(lines)
            groups[file_of(text)] = corpus.lm.groups.get(text, ())
    if corpus.group is not None:
        files[GROUPS] = LineGroups(groups, corpus.group, corpus.item).rows()
    return files
