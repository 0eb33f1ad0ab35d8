"""The two errors that people see."""

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(Exception):
    """Something the user can put right: what was wrong, where, and what would be right.

    The command line prints the sentence and exits with 2; a caller in Python catches it by name.
    """


class Failed(Exception):  # noqa: N818 - not every failure is an error
    """A check failed or a run diverged, through no fault in how it was asked for.

    The command line prints the sentence and exits with the code.
    """

    exit_code = 1


def unknown(what: str, given: str, known: Iterable[str]) -> InputError:
    """The error for a name that is not one of `known`, with the nearest one that is."""
    names = sorted(known)
    folded = {name.casefold(): name for name in names}
    near = get_close_matches(given.casefold(), folded, n=1, cutoff=0.5)
    hint = f" Did you mean {folded[near[0]]!r}?" if near else ""
    return InputError(f"There is no {what} {given!r}.{hint} Known: {', '.join(names) or 'none'}.")
