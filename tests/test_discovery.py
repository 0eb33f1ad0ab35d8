"""A module that is loaded alone brings nothing with it, and leaves the library as if it had not been looked at."""

import subprocess
import sys

import pytest

from oratory.discovery import import_alone

SCRIPT = """
import sys
from oratory.tokens.words import split
assert split("We can't, gonna.") == ["We", "ca", "n't", ",", "gon", "na", "."]
assert not [name for name in ("nltk", "scipy", "sklearn", "pandas") if name in sys.modules]
import nltk
assert nltk.NLTKWordTokenizer().tokenize("We can't.") == ["We", "ca", "n't", "."]
"""


def test_words_are_parted_without_the_rest_of_nltk() -> None:
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


def test_a_library_that_is_loaded_is_taken_as_it_is() -> None:
    import nltk.tokenize.destructive as whole

    assert import_alone("nltk.tokenize.destructive") is whole


@pytest.mark.parametrize("name", ["there_is_no_such_library.part", "jinja2.no_such_part"])
def test_what_is_not_there_is_said(name: str) -> None:
    kept = {one: sys.modules.pop(one) for one in list(sys.modules) if one.partition(".")[0] == name.partition(".")[0]}
    try:
        with pytest.raises(ModuleNotFoundError):
            import_alone(name)
        assert not [one for one in sys.modules if one.partition(".")[0] == name.partition(".")[0]]
    finally:
        sys.modules.update(kept)
