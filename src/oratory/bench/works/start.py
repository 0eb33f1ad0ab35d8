"""Starting the program, beside a Python that does nothing."""

import subprocess  # nosec B404
import sys
from functools import partial

from oratory.bench.work import Call, Contender, Work

PROGRAMS = {
    "oratory --help": ("-m", "oratory", "--help"),
    "import oratory": ("-c", "import oratory"),
    "python -c pass": ("-c", "pass"),
    "import torch": ("-c", "import torch"),
}


def _run(arguments: tuple[str, ...]) -> Call:
    return partial(subprocess.run, [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def _contenders() -> list[Contender]:
    made = [Contender(name, partial(_run, arguments), programs=True) for name, arguments in PROGRAMS.items()]
    library = partial(_run, ("-c", "import transformers"))
    return [*made, Contender("import transformers", library, "transformers", programs=True)]


WORKS = (Work("start", "Starting", _contenders, 1, "oratory --help"),)
