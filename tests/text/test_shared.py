"""What others are measured on is found in a training text, and left out of it."""

import shutil
from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.text import Corpus, load_corpus
from oratory.text.load import parse_source
from oratory.text.shared import leave_out, shared_texts
from oratory.text.sources.folder import Folder
from oratory.text.sources.sotu import Sotu

LONG = "One two three four five six seven eight nine ten."
PART = "And so: TWO three four, five six seven eight nine, he said."
OTHER = "One two three four five six seven, and then another word."


@pytest.fixture
def larger(folder: Path, tmp_path: Path) -> Path:
    """A corpus whose train has texts that the other is measured on."""
    made = tmp_path / "larger"
    shutil.copytree(folder, made)
    (folder / "test_LM_a.txt").write_text(f"{LONG}\nGo on!\n")
    (made / "train_LM.txt").write_text(f"{PART}\n{OTHER}\ngo on\nGo on with it.\n{LONG}\n")
    (made / "train_CLS.tsv").write_text(f"0\tFreedom will prevail\n1\t{OTHER}\n0\tA third one.\n")
    return made


def test_lines_that_share_eight_words_or_are_the_same_go(folder: Path, larger: Path) -> None:
    corpus = load_corpus(Folder(str(larger), without=(str(folder),)))
    assert corpus.lm is not None
    assert corpus.classifier is not None
    assert corpus.lm.train == (OTHER, "Go on with it.")
    assert corpus.classifier.train.texts == (OTHER, "A third one.")
    assert corpus.classifier.train.labels == (1, 0)
    whole = load_corpus(larger)
    assert whole.lm is not None
    assert corpus.lm.tests == whole.lm.tests
    assert corpus.fingerprint != whole.fingerprint
    assert corpus.name == "larger without corpus"
    (said,) = corpus.left_out
    assert said.startswith("Left out of train: 1 of 3 labelled texts and 3 of 5 lines, which share 8 words in a row")


def test_the_groups_of_the_others_stay(sotu: Corpus) -> None:
    made = leave_out(sotu, load_corpus("sotu(presidents=clinton)"))
    assert made.lm is not None
    assert sotu.lm is not None
    assert 0 < len(made.lm.train) < len(sotu.lm.train)
    assert len(made.lm.groups["train"]) == len(made.lm.train)
    assert set(made.lm.groups["train"]) <= set(sotu.lm.groups["train"])


def test_the_dev_that_would_be_carved_goes_too(folder: Path, larger: Path) -> None:
    lines = tuple(f"This is a line of its own, and the number of it is {i} of many." for i in range(30))
    (folder / "train_LM.txt").write_text("".join(f"{line}\n" for line in lines))
    (folder / "train_CLS.tsv").write_text("".join(f"{i % 2}\tText {i}\n" for i in range(30)))
    (larger / "train_LM.txt").write_text("".join(f"{line}\n" for line in (*lines, OTHER)))
    carved = load_corpus(folder).with_dev()
    made = load_corpus(Folder(str(larger), without=(str(folder),)))
    assert carved.lm is not None
    assert carved.lm.dev
    assert made.lm is not None
    assert made.lm.train == (OTHER,), "All lines share 8 words with those of dev."


def test_it_is_part_of_the_source(folder: Path, larger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / 'a,b+"c'
    shutil.copytree(folder, odd)
    monkeypatch.chdir(tmp_path)
    corpus = load_corpus(Folder("larger", without=(odd.name, "corpus")))
    assert corpus.source is not None
    assert parse_source(corpus.source) == Folder(str(larger), without=(str(odd), str(folder)))
    assert len(corpus.left_out) == 2
    monkeypatch.chdir("/")
    again = load_corpus(corpus.source)
    assert (again, again.source) == (corpus, corpus.source)
    nested = Sotu(("lincoln",), without=(f"folder(path={folder},without=sotu(presidents=lincoln+grant))",))
    assert parse_source(str(nested)) == nested


def test_nothing_left_is_a_sentence(folder: Path, larger: Path) -> None:
    (larger / "train_LM.txt").write_text(f"{LONG}\n")
    with pytest.raises(InputError, match="Nothing is left of larger without corpus"):
        load_corpus(Folder(str(larger), without=(str(folder),)))
    with pytest.raises(InputError, match="nowhere does not exist"):
        load_corpus(Folder(str(larger), without=("nowhere",)))


def test_what_test_texts_share() -> None:
    found = shared_texts([LONG, "Go on!", "Yes.", "New."], ["yes"], [PART, "go on", "yes"])
    assert (found.items, found.ngrams, found.new) == (4, 1, ("Go on!",))
    assert shared_texts(["a"], [], []).ngrams == 0
