"""The corpora that the page may read. A visitor chooses from this list; a name that is not in it is refused."""

from oratory.errors import unknown
from oratory.runs import Store
from oratory.text.load import at_hand


def corpora(store: Store) -> dict[str, str]:
    """What can be loaded, and what each is: the corpora at hand where the page was started, and those of its runs."""
    found = at_hand()
    for name in _newest(store):
        corpus = store.open(name).record.corpus
        if corpus.source is not None:
            found.setdefault(corpus.source, f"the corpus of {name}")
    return found


def allowed(store: Store, data: str) -> str:
    """The corpus itself, if the page may read it; else an InputError."""
    known = corpora(store)
    if data not in known:
        raise unknown("corpus", data, known)
    return data


def _newest(store: Store) -> list[str]:
    """A run for each corpus: the newest that is finished."""
    found: dict[str, str] = {}
    for entry in store.entries():
        if entry.status == "finished":
            found.setdefault(entry.fingerprint, entry.id)
    return list(found.values())
