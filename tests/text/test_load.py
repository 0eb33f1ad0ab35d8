"""A corpus and the text that loads it again."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.settings import about, parameters_of
from oratory.text import Corpus, LanguageData, load_corpus, reload_corpus, source_text
from oratory.text.load import parse_source
from oratory.text.source import Source
from oratory.text.sources import SOURCES
from oratory.text.sources.folder import Folder
from oratory.text.sources.hub import Hub
from oratory.text.sources.sotu import PRESIDENTS, Sotu


def test_every_source_is_found_and_explains_itself() -> None:
    assert sorted(SOURCES) == ["file", "folder", "hub", "sotu"]
    for cls in SOURCES.values():
        assert about(cls)
        found = parameters_of(cls)
        assert all(parameter.help for parameter in found)
        assert found[-1].name == "carve"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("sotu", Sotu()),
        ("sotu(presidents=lincoln+grant)", Sotu(("lincoln", "grant"))),
        ("sotu(presidents=George W. Bush + F. D. Roosevelt)", Sotu(("George W. Bush", "F. D. Roosevelt"))),
        ("sotu(presidents=all, carve=0.2)", Sotu(("all",), carve=0.2)),
        ("sotu(presidents=all, since=1930)", Sotu(("all",), 1930)),
        ("some/where", Folder("some/where")),
        ("folder", None),
        ("folder(path=some/where, text=headline, label=mood)", Folder("some/where", "headline", "mood")),
        ('folder(path="a,b(c)=d")', Folder("a,b(c)=d")),
        ("hub:owner/name", Hub("owner/name")),
        ("hub:owner/name:part", Hub("owner/name:part")),
        ("hub(name=owner/name:part, label=stars)", Hub("owner/name:part", label="stars")),
    ],
)
def test_texts_of_sources(text: str, source: Source | None) -> None:
    if source is None:
        with pytest.raises(InputError, match="folder needs its parameter 'path', as in folder"):
            parse_source(text)
        return
    assert parse_source(text) == source
    assert parse_source(str(source)) == source
    assert parse_source(source) is source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sotuu(presidents=all)", "There is no corpus 'sotuu'. Did you mean 'sotu'"),
        ("sotu(presidents=lincoln,grant)", "'grant' in .* is not parameter=value; several values are joined by a plus"),
        ("sotu(carve=1)", "carve=1.0: the share of the dev split"),
        ("sotu(carve=nan)", "carve=nan"),
        ("sotu(since=2999)", "There is no address since 2999; the last is of 2"),
        ("sotu(since=soon)", "soon"),
        ("sotu(presidents=lincoln,since=1930)", "There is no president 'lincoln'"),
        (
            "folder(path=nowhere)",
            "nowhere does not exist; give sotu, a folder, a table such as",
        ),
        ("a,b(c)=d", r"a,b\(c\)=d does not exist"),
    ],
)
def test_texts_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_corpus(text)


@pytest.mark.parametrize(
    "name", ["a,b(c)=d", "sotu(presidents=all)", "hub:x", "folder", 'a "b", c', "hub", " sotu", "a+b"]
)
def test_a_folder_with_any_name_loads_and_loads_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    placed = tmp_path / "here" / name
    shutil.copytree(folder, placed)
    monkeypatch.chdir(placed.parent)
    for data in (name, str(placed), placed, Folder(name), Folder(name, carve=0.5)):
        corpus = load_corpus(data)
        assert corpus.source is not None
        with monkeypatch.context() as elsewhere:
            elsewhere.chdir("/")
            again = load_corpus(corpus.source)
        assert again == corpus
        assert (again.fingerprint, again.source) == (corpus.fingerprint, corpus.source)


def test_columns_are_part_of_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    placed = tmp_path / "a,b(c)=d"
    placed.mkdir()
    (placed / "train.csv").write_text('"mood, now","none"\ngood,a fine day\nbad,a dull day\n')
    monkeypatch.chdir(tmp_path)
    corpus = load_corpus(Folder(placed.name, "none", "mood, now"))
    assert corpus.source == f'folder(path="{placed}",text="none",label="mood, now")'
    monkeypatch.chdir("/")
    assert load_corpus(corpus.source) == corpus


def test_the_text_of_sotu_keeps_the_speakers() -> None:
    corpus = load_corpus("sotu(presidents=George W. Bush + Lincoln)")
    assert corpus.source == "sotu(presidents=George W. Bush+Lincoln)"
    assert load_corpus(corpus.source).fingerprint == corpus.fingerprint
    assert str(Sotu(PRESIDENTS)) == "sotu"


def test_a_folder_that_is_called_sotu_needs_its_path(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder, tmp_path / "here" / "sotu")
    monkeypatch.chdir(tmp_path / "here")
    assert parse_source("sotu") == Sotu()
    assert load_corpus("./sotu").fingerprint == load_corpus(folder).fingerprint


def test_a_carved_corpus_loads_again(folder: Path) -> None:
    (folder / "train_LM.txt").write_text("".join(f"This is line {i}.\n" for i in range(30)))
    whole = load_corpus(folder)
    carved = whole.with_dev()
    assert carved.source == f"folder(path={folder},carve=0.1)"
    assert carved.fingerprint != whole.fingerprint
    assert load_corpus(carved.source).fingerprint == carved.fingerprint
    assert load_corpus(carved.source).source == carved.source
    assert carved.with_dev(0.3).source == carved.source
    half = load_corpus(f"folder(path={folder},carve=0.5)")
    assert half.fingerprint == whole.with_dev(0.5).fingerprint != carved.fingerprint


def test_a_corpus_with_dev_is_not_carved(folder: Path) -> None:
    (folder / "dev_CLS.tsv").write_text("1\tA dev item.\n")
    (folder / "dev_LM.txt").write_text("A dev line.\n")
    corpus = load_corpus(f"folder(path={folder},carve=0.1)")
    assert corpus == load_corpus(folder)
    assert corpus.source == str(folder)


def test_a_corpus_made_by_hand_has_no_source(folder: Path) -> None:
    made = Corpus("lines", lm=LanguageData(tuple(f"line {i}" for i in range(30))))
    assert made.source is None
    assert made.with_dev().source is None
    with_source = replace(made, source=str(folder))
    assert with_source == made
    assert with_source.fingerprint == made.fingerprint


@pytest.mark.parametrize(
    ("kept", "text"),
    [
        (None, None),
        ("sotu(presidents=all)", "sotu(presidents=all)"),
        ({"data": "sotu"}, "sotu"),
        ({"data": "sotu", "presidents": "lincoln, George W. Bush,"}, "sotu(presidents=lincoln+George W. Bush)"),
        ({"data": "sotu", "presidents": ["all"]}, "sotu(presidents=all)"),
        ({"data": "/abs/folder"}, "/abs/folder"),
        ({"data": "weather"}, "folder(path=weather)"),
        ({"data": "/abs/folder", "text_column": "t"}, "folder(path=/abs/folder,text=t)"),
        (
            {"data": "/a,b", "text_column": "t", "label_column": "a+b"},
            'folder(path="/a,b",text=t,label=a+b)',
        ),
        ({"data": "hub:owner/name", "label_column": "l"}, "hub(name=owner/name,label=l)"),
    ],
)
def test_sources_of_older_records(kept: str | dict[str, object] | None, text: str | None) -> None:
    assert source_text(kept) == text


def test_reload_refuses_a_corpus_that_has_changed(folder: Path) -> None:
    fingerprint = load_corpus(folder).fingerprint
    for source in (str(folder), {"data": str(folder)}):
        assert reload_corpus("search", "s", source, fingerprint).fingerprint == fingerprint
    (folder / "train_LM.txt").write_text("Something else.\n")
    with pytest.raises(InputError, match="The corpus of s has changed"):
        reload_corpus("search", "s", str(folder), fingerprint)
    with pytest.raises(InputError, match="The search s does not say how its corpus was loaded"):
        reload_corpus("search", "s", None, fingerprint)
