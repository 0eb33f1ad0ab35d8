"""How long `oratory --help` takes, beside a Python that does nothing."""

import subprocess
import sys

from benchmarks._time import best
from oratory.tables import Table, number


def measure() -> Table:
    def run(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)

    ours = best(lambda: run("-m", "oratory", "--help"), 7)
    nothing = best(lambda: run("-c", "pass"), 7)
    rows = (("oratory --help", number(ours, 2)), ("python -c pass", number(nothing, 2)))
    return Table("Start", ("command", "seconds"), rows)
