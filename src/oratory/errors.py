"""The two errors that people see."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

LISTED = 20
"""Names that are few enough to be listed all."""
NEAREST = 5
NO_MEMORY = "This needs more memory than there is; shorter texts, or a smaller model or batch, need less."


class InputError(Exception):
    """Something the user can put right: what was wrong, where, and what would be right.

    The command line prints the sentence and exits with 2; a caller in Python catches it by name.
    """


class Failed(Exception):  # noqa: N818 - not every failure is an error
    """A check failed or a run diverged, through no fault in how it was asked for.

    The command line prints the sentence and exits with the code.
    """

    exit_code = 1


@contextmanager
def remedied(remedy: str) -> Iterator[None]:
    """Add what helps to the sentence of an InputError."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{error} {remedy}") from None


def unknown(what: str, given: str, known: Iterable[str]) -> InputError:
    """The error for a name that is not one of `known`, with the nearest one that is."""
    names = sorted(known)
    near, hint = nearest(given, names), did_you_mean(given, names)
    if len(names) > LISTED:
        others = f" The nearest of {len(names)}: {', '.join(near)}." if len(near) > 1 else ""
        some = "" if near else f" There are {len(names)}, such as {', '.join(names[:NEAREST])}."
        return InputError(f"There is no {what} {given!r}.{hint}{others}{some}")
    return InputError(f"There is no {what} {given!r}.{hint} Known: {', '.join(names) or 'none'}.")


def nearest(given: str, known: Iterable[str]) -> list[str]:
    """The names that are most like the one that was given, in small or capital letters; for lr, train.lr is the first.

    A name with a dot is known by its last part too.
    """
    folded = {name.casefold(): name for name in sorted(known)}
    wanted = given.casefold()
    same = [name for key, name in folded.items() if key.rpartition(".")[2] == wanted]
    near = [folded[key] for key in get_close_matches(wanted, folded, n=NEAREST, cutoff=0.5)]
    return list(dict.fromkeys([*same, *near]))[:NEAREST]


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """The question after a sentence about a wrong name; empty where no name is near."""
    near = nearest(given, known)
    return f" Did you mean {near[0]!r}?" if near else ""
