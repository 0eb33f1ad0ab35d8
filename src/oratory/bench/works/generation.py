"""Generating text, token by token."""

from functools import partial

from oratory.bench.work import OURS, Contender, Work

BASE, LONG = 31, 1000
"""Tokens: at the base settings as many as the positions have room for."""


def _contenders(context: int, tokens: int) -> list[Contender]:
    from oratory.bench.ours import generation
    from oratory.bench.theirs import generating

    settings = {"context": str(context)}
    return [Contender(OURS, partial(generation, settings, tokens)), *generating(settings, tokens)]


WORKS = (
    Work("generation", f"Generating {BASE} tokens, base settings", partial(_contenders, 32, BASE), 3),
    Work("generation-long", f"Generating {LONG:,} tokens, context 1,024", partial(_contenders, 1024, LONG), 1),
)
