import subprocess
import sys
from importlib.metadata import version

import oratory
from oratory.discovery import names_by_module


def test_public_names_are_there_and_documented() -> None:
    for name in oratory.__all__:
        found = getattr(oratory, name)
        assert found.__doc__, name
    assert set(oratory.__all__) <= set(dir(oratory))
    assert sorted(name for names in names_by_module("oratory").values() for name in names) == sorted(oratory.__all__)


def test_version_is_that_of_the_installation() -> None:
    assert oratory.__version__ == version("oratory")


def test_importing_costs_nothing() -> None:
    code = "import sys, oratory; print(sorted({'numpy', 'torch', 'sklearn', 'rich', 'nltk'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
