from collections.abc import Iterator
from dataclasses import replace

from oratory.text import Corpus, describe, load_corpus


def test_a_description_fits_on_a_screen(sotu: Corpus, whole_sotu: Corpus) -> None:
    for corpus in (sotu, whole_sotu):
        assert sum(len(table.rows) + 4 for table in describe(corpus).tables()) <= 50


def test_sizes_and_labels(sotu: Corpus) -> None:
    facts = describe(sotu).to_dict()
    data = sotu.need_classifier()
    assert facts["fingerprint"] == sotu.fingerprint
    assert facts["classifier"]["train"]["items"] == len(data.train)
    assert facts["labels"]["obama"]["train"] == data.train.labels.count(2)
    assert facts["lm"]["train"]["bytes"] == sum(len(line.encode()) + 1 for line in data.train.texts)


def test_running_text_alone() -> None:
    tables = describe(load_corpus("sotu(presidents=lincoln)")).tables()
    assert [table.title for table in tables] == ["Running text", "Examples"]


class Counted(tuple[str, ...]):
    """Texts that know how often they were gone through."""

    passes = 0

    def __iter__(self) -> Iterator[str]:
        Counted.passes += 1
        return super().__iter__()


def test_texts_are_gone_through_as_often_whatever_the_number_of_labels(sotu: Corpus) -> None:
    data = sotu.need_classifier()
    names = (*data.label_names, *(f"more {at}" for at in range(100)))
    train = replace(data.train, texts=Counted(data.train.texts))
    facts = describe(replace(sotu, classifier=replace(data, label_names=names, train=train)))
    assert Counted.passes < 10
    assert facts.examples["obama"] == [text for text, at in zip(train.texts, train.labels, strict=True) if at == 2][:2]
    assert facts.examples["more 99"] == []
