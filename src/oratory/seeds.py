"""One seed, many independent streams: each has a name, and is a function of the seed and that name alone.

Nothing here keeps a state, so a run that continues in the middle needs only its seed and its place.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager


def derive(seed: int, name: str) -> int:
    """A seed of its own for each name."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "big") >> 1


@contextmanager
def seeded(seed: int, name: str) -> Iterator[None]:
    """For code that draws from the framework's generator: a state of its own, with the old one restored afterwards."""
    import torch

    generator, own = torch.default_generator, derive(seed, name)
    before = generator.get_state()
    generator.manual_seed(own)
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.manual_seed_all(own)
    try:
        yield
    finally:
        generator.set_state(before)
