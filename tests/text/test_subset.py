"""Parts of train: nested, by document, with every label, and without a change of dev and test."""

from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.text import Corpus, load_corpus

SHARES = (0.1, 0.3, 0.6, 1.0)


def of(source: str, share: float) -> Corpus:
    return load_corpus(f"{source}(keep={share})" if share < 1 else source)


def test_parts_of_sotu_are_nested_and_go_address_by_address() -> None:
    parts = [of("sotu", share) for share in SHARES]
    whole = parts[-1]
    assert whole.classifier is not None
    assert whole.lm is not None
    of_group = {group: whole.classifier.train.groups.count(group) for group in whole.classifier.train.groups}
    before: set[str] = set()
    texts: set[str] = set()
    for share, part in zip(SHARES, parts, strict=True):
        assert part.classifier is not None
        assert part.lm is not None
        train = part.classifier.train
        groups = set(train.groups)
        assert before <= groups
        # Of each label, one address at most is cut.
        cut = [group for group in groups if train.groups.count(group) < of_group[group]]
        assert len({group.rpartition(" ")[0] for group in cut}) == len(cut)
        assert texts <= set(train.texts)
        texts = set(train.texts)
        assert set(train.labels) == {0, 1, 2}
        assert set(part.lm.groups["train"]) == groups
        assert len(train) / len(whole.classifier.train) == pytest.approx(share, abs=0.002)
        assert (part.classifier.dev, part.classifier.test) == (whole.classifier.dev, whole.classifier.test)
        assert (part.lm.dev, part.lm.tests) == (whole.lm.dev, whole.lm.tests)
        before = groups


def test_single_texts_are_kept_in_both_tasks_or_in_none(tmp_path: Path) -> None:
    texts = [f"sentence number {number}" for number in range(200)]
    rows = [f"{number % 2}\t{text}" for number, text in enumerate(texts)]
    (tmp_path / "train_CLS.tsv").write_text("\n".join(rows) + "\n")
    (tmp_path / "train_LM.txt").write_text("\n".join([*texts[:50], *(f"line {n} alone" for n in range(100))]) + "\n")
    (tmp_path / "test_CLS.tsv").write_text("0\tsome text\n1\tanother one\n")
    (tmp_path / "test_LM_a.txt").write_text("some text\n")
    part, again = (load_corpus(f"folder(path={tmp_path},keep=0.3)") for _ in range(2))
    assert part.fingerprint == again.fingerprint
    assert part.classifier is not None
    assert part.lm is not None
    kept = set(part.classifier.train.texts)
    assert len(kept) == pytest.approx(60, abs=2)
    assert [part.classifier.train.labels.count(label) for label in (0, 1)] == pytest.approx([30, 30], abs=1)
    assert kept & set(texts[:50]) == set(part.lm.train) & set(texts)
    assert sum(line.endswith("alone") for line in part.lm.train) == 30
    assert list(part.lm.train) == [
        line for line in (*texts, *(f"line {n} alone" for n in range(100))) if line in set(part.lm.train)
    ]
    assert "Train is 30% of what it was" in part.notes[-1]


def test_the_text_of_a_source_loads_the_same_part() -> None:
    part = load_corpus("sotu(keep=0.25)")
    assert part.source == "sotu(keep=0.25)"
    assert load_corpus(part.source).fingerprint == part.fingerprint


def test_dev_is_carved_from_what_is_kept(tmp_path: Path) -> None:
    rows = [f"{number % 2}\tsentence of {'rain' if number % 3 else 'sun'} number {number}" for number in range(80)]
    (tmp_path / "train.tsv").write_text("label\ttext\n" + "\n".join(rows) + "\n")
    (tmp_path / "test.tsv").write_text("label\ttext\n0\tsome text\n1\tanother one\n")
    part = load_corpus(f"folder(path={tmp_path},keep=0.5)").with_dev()
    assert part.source is not None
    assert load_corpus(part.source).fingerprint == part.fingerprint


@pytest.mark.parametrize("share", ["0", "1.5", "-1", "nan"])
def test_a_share_that_cannot_be_is_refused(share: str) -> None:
    with pytest.raises(InputError, match="the share of train that is kept"):
        load_corpus(f"sotu(keep={share})")
