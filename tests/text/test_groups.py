"""Corpora that say which texts belong together."""

import json
from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.text import ClassifierData, Corpus, Labelled, LanguageData, describe, export, load_corpus

TEXTS = [f"text number {at} of many" for at in range(12)]


def rows(count: int = 12, **changes: object) -> list[dict[str, object]]:
    return [{"text": TEXTS[at], "label": at % 2, "doc": f"d{at // 2}", **changes} for at in range(count)]


def write(folder: Path, **splits: list[dict[str, object]]) -> Path:
    for split, found in splits.items():
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found))
    return folder


def test_a_column_says_the_groups(tmp_path: Path) -> None:
    write(tmp_path, train=rows(), test=rows(4))
    corpus = load_corpus(f"folder(path={tmp_path}, group=doc)")
    data = corpus.need_classifier()
    assert data.test is not None
    assert data.test.groups == ("d0", "d0", "d1", "d1")
    assert corpus.need_lm().groups["test"] == data.test.groups
    assert (corpus.group, corpus.item) == ("doc", "text")
    assert corpus.source == f"folder(path={tmp_path},group=doc)"
    plain = load_corpus(tmp_path)
    assert plain.need_classifier().train.groups == ()
    assert plain.fingerprint != corpus.fingerprint == load_corpus(corpus.source).fingerprint


def test_numbers_and_headers_of_tsv(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text(
        "where\twhat\tspeech\n" + "".join(f"{t}\t{i % 2}\t7\n" for i, t in enumerate(TEXTS))
    )
    corpus = load_corpus(f"folder(path={tmp_path}, text=where, label=what, group=speech)")
    assert set(corpus.need_classifier().train.groups) == {"7"}


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (rows(4, doc=None), r"test\.jsonl, line 1: the group in the column 'doc' is missing"),
        (rows(4, doc="  "), r"test\.jsonl, line 1: the group in the column 'doc' is missing"),
        ([{"text": "a b", "label": 1}], r"test\.jsonl, line 1: There is no column 'doc'"),
    ],
)
def test_a_group_that_is_missing(tmp_path: Path, test: list[dict[str, object]], message: str) -> None:
    write(tmp_path, train=rows(), test=test)
    with pytest.raises(InputError, match=message):
        load_corpus(f"folder(path={tmp_path}, group=doc)")


def test_a_file_without_columns_has_no_group(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "train.tsv").write_text("0\ta b c\n1\td e f\n")
    with pytest.raises(InputError, match="there is no header, so no column can be called 'doc'"):
        load_corpus(f"folder(path={tmp_path}, group=doc)")
    with pytest.raises(InputError, match=r"no columns to name\. Its groups are in groups\.tsv"):
        load_corpus(f"folder(path={folder}, group=doc)")


def test_the_hub_has_groups_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("datasets", reason="the extra 'hub' is not installed")
    from tests.text.sources.test_hub import on_the_hub

    with monkeypatch.context() as patched:
        on_the_hub(write(tmp_path, train=rows(), test=rows(4)), patched)
        corpus = load_corpus("hub(name=me/data, group=doc)")
    test = corpus.need_classifier().test
    assert test is not None
    assert test.groups == ("d0", "d0", "d1", "d1")
    lines: list[dict[str, object]] = [{"text": "" if at == 1 else TEXTS[at], "doc": f"d{at // 2}"} for at in range(4)]
    (tmp_path / "lines").mkdir()
    on_the_hub(write(tmp_path / "lines", train=lines, test=lines), monkeypatch)
    running = load_corpus("hub(name=me/data, group=doc)")
    assert running.need_lm().groups["test"] == ("d0", "d1", "d1")
    with pytest.raises(InputError, match="There is no column 'address'"):
        load_corpus("hub(name=me/data, group=address)")


def test_sotu_says_its_addresses(sotu: Corpus) -> None:
    data, lm = sotu.need_classifier(), sotu.need_lm()
    splits = {name: set(split.groups) for name, split in data.splits()}
    assert {name: len(groups) for name, groups in splits.items()} == {"train": 7, "dev": 3, "test": 7}
    assert not splits["test"] & (splits["train"] | splits["dev"])
    assert data.test is not None
    for name, groups in lm.groups.items():
        assert name in ("train", "dev") or all(group.startswith(name) for group in groups)
    sizes = describe(sotu).to_dict()["classifier"]
    assert sizes["test"]["groups"] == 7
    assert any(row[0] == "addresses" for row in describe(sotu).tables()[0].rows)


def test_carving_keeps_the_groups() -> None:
    texts = tuple(f"sentence {at} is on its own" for at in range(40))
    groups = tuple(f"g{at // 4}" for at in range(40))
    data = ClassifierData(("a", "b"), Labelled(texts, (0, 1) * 20, groups))
    carved = Corpus("c", data, LanguageData(texts, None, {}, {"train": groups}), group="story").with_dev()
    of = dict(zip(texts, groups, strict=True))
    for _, split in carved.need_classifier().splits():
        assert split.groups == tuple(of[text] for text in split.texts)
    for name, lines in carved.need_lm().texts():
        assert carved.need_lm().groups[name] == tuple(of[line] for line in lines)


def made(groups: tuple[str, ...] = (), group: str | None = None) -> Corpus:
    data = ClassifierData(("a", "b"), Labelled(("x", "y"), (0, 1)), None, Labelled(("z", "w"), (0, 1), groups))
    return Corpus("made", data, group=group)


def test_the_fingerprint_knows_groups_and_nothing_of_their_name() -> None:
    prints = [made().fingerprint, made(("1", "1"), "doc").fingerprint, made(("1", "2"), "doc").fingerprint]
    assert len(set(prints)) == 3
    assert made(("1", "2"), "story").fingerprint == prints[2]
    assert made().fingerprint == "2663b46205a74a66"  # As it was before corpora had groups.


def test_groups_made_by_hand_are_checked() -> None:
    with pytest.raises(InputError, match="does not say what a group is called"):
        made(("1", "2"))
    with pytest.raises(InputError, match="There are 1 groups for 2 items of the labelled texts"):
        made(("1",), "doc")
    with pytest.raises(InputError, match="There are 1 groups for 2 items of the text t"):
        LanguageData(("a",), None, {"t": ("b", "c")}, {"t": ("1",)})


def test_groups_survive_the_way_out_and_in(sotu: Corpus, tmp_path: Path) -> None:
    export(sotu, tmp_path / "out")
    again = load_corpus(tmp_path / "out")
    assert again.fingerprint == sotu.fingerprint
    assert (again.item, again.group) == ("sentence", "address")
    assert again.need_lm().groups == sotu.need_lm().groups
    lines = (tmp_path / "out" / "groups.tsv").read_text().splitlines()
    assert lines[0] == "file\taddress\tsentence"
    assert len(lines) == 1 + 2 * 17


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("file\taddress\n", "line 1: the header has three columns"),
        ("address\tfile\tsentence\n", "line 1: the header has three columns"),
        ("file\ta\tb\ntest_CLS.tsv\tx\n", "line 2: write a file, a group, and how many"),
        ("file\ta\tb\ntest_CLS.tsv\tx\tmany\n", "line 2: write a file, a group, and how many"),
        ("file\ta\tb\ntest_CLS.tsv\t\t2\n", "line 2: write a file, a group, and how many"),
        ("file\ta\tb\ntest.tsv\tx\t2\n", "line 2: There is no file 'test.tsv'"),
        ("file\ta\tb\ntest_CLS.tsv\tx\t1\n", "the groups of test_CLS.tsv have 1 lines; the file has 2"),
        ("file\ta\tb\ntest_CLS.tsv\tx\t9999999999999\n", "line 2: 9999999999999 lines are more than the 2 of"),
        ("\n", "every line is blank"),
    ],
)
def test_a_file_of_groups_that_is_wrong(folder: Path, content: str, message: str) -> None:
    (folder / "groups.tsv").write_text(content)
    with pytest.raises(InputError, match=message):
        load_corpus(folder)


def test_a_file_of_groups_for_some_files(folder: Path) -> None:
    before = load_corpus(folder).fingerprint
    (folder / "groups.tsv").write_text("file\taddress\tsentence\ntest_CLS.tsv\tone\t1\ntest_CLS.tsv\ttwo\t1\n")
    corpus = load_corpus(folder)
    test = corpus.need_classifier().test
    assert test is not None
    assert test.groups == ("one", "two")
    assert corpus.need_classifier().train.groups == ()
    assert not any(corpus.need_lm().groups.values())
    assert corpus.fingerprint != before
