"""Ten thousand runs: listing, filtering and grouping with the catalogue, beside reading every record."""

import tempfile
from pathlib import Path

from tests.runs.records import write_many

from benchmarks._time import best
from oratory.runs import Run
from oratory.runs.filters import select
from oratory.runs.listing import grouped
from oratory.runs.store import Store
from oratory.tables import Table, number

RUNS = 10_000


def measure() -> Table:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_many(folder, RUNS)
        store = Store(folder)
        store.catalogue.rebuild()
        entries = store.entries()
        seconds = {
            "every record read": best(lambda: [Run.read(path.parent) for path in folder.glob("*/run.json")]),
            "rebuild": best(store.catalogue.rebuild),
            "list": best(store.entries),
            "filter and sort": best(lambda: select(entries, ["layers=3", "accuracy>0.8"], sort="train.lr")),
            "group over seeds": best(lambda: grouped(entries, sort="accuracy")),
            "one more run written": best(lambda: store.catalogue.put(store.open(entries[0].id))),
        }
    whole = seconds["every record read"]
    rows = tuple((work, number(1000 * taken, 1), number(taken / whole, 3)) for work, taken in seconds.items())
    return Table(f"{RUNS:,} runs", ("work", "milliseconds", "of reading every record"), rows)
