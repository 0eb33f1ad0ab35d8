"""The audit of every State of the Union address, and its search for near duplicates beside MinHash (datasketch)."""

from benchmarks._time import best
from oratory.tables import Table, number
from oratory.text import audit, load_corpus, normalise, overlap
from oratory.text.overlap import Index, Numbering


def measure() -> Table:
    corpus = load_corpus("sotu(presidents=all)")
    data = corpus.need_classifier()
    assert data.test is not None
    numbering = Numbering()
    train, test = (numbering.words([normalise(text) for text in split.texts]) for split in (data.train, data.test))

    def search(exact_up_to: int) -> int:
        overlap.EXACT_UP_TO, before = exact_up_to, overlap.EXACT_UP_TO
        found = Index(train).near_duplicates(test, 0.5)
        overlap.EXACT_UP_TO = before
        return len(found)

    sketched, exact = (best(lambda limit=limit: search(limit)) for limit in (0, 10**9))  # type: ignore[misc]
    rows = (
        ("near duplicates: MinHash, datasketch", number(sketched, 2), number(search(0)), number(1, 2)),
        ("near duplicates: exact", number(exact, 2), number(search(10**9)), number(exact / sketched, 2)),
        ("the whole audit", number(best(lambda: audit(corpus)), 2), "", ""),
    )
    title = f"{len(data.test):,} test against {len(data.train):,} train sentences"
    return Table(title, ("work", "seconds", "found", "of MinHash's"), rows)
