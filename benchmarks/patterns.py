"""One training step at a context of 4,096 with every sparse pattern, beside full attention."""

from benchmarks.windows import LARGER, alone
from oratory.tables import Table, number

PATTERNS = (
    "full",
    "block(size=128)",
    "dilated(size=64,gap=2)",
    "window(size=128)",
    "longformer(size=128,global_tokens=4)",
    "strided(stride=64)",
)


def measure() -> Table:
    seconds = {pattern: alone(pattern, 4096, LARGER)["seconds"] for pattern in PATTERNS}
    rows = tuple((name, number(value, 3), number(value / seconds["full"], 2)) for name, value in seconds.items())
    title = "A training step: 4 layers, 8 heads, width 128, 100 characters, batch 1, two threads, 4,096 tokens"
    return Table(title, ("pattern", "seconds", "of full"), rows)
