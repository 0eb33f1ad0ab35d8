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
