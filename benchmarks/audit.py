"""The audit of every State of the Union address, and its search for near duplicates."""

from benchmarks._time import best
from oratory.tables import Table, number
from oratory.text import audit, load_corpus, normalise
from oratory.text.overlap import Index, Numbering


def measure() -> Table:
    corpus = load_corpus("sotu(presidents=all)")
    data = corpus.need_classifier()
    assert data.test is not None
    numbering = Numbering()
    train, test = (numbering.words([normalise(text) for text in split.texts]) for split in (data.train, data.test))
    found = len(Index(train).near_duplicates(test, 0.5))
    seconds = best(lambda: Index(train).near_duplicates(test, 0.5))
    rows = (
        ("near duplicates", number(seconds, 2), number(found)),
        ("the whole audit", number(best(lambda: audit(corpus)), 2), ""),
    )
    title = f"{len(data.test):,} test against {len(data.train):,} train sentences"
    return Table(title, ("work", "seconds", "found"), rows)
