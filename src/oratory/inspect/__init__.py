"""Looking inside: what attention does, and what it can be made to do.

Names that need PyTorch are loaded when they are first used; attention by hand does not need it. The function `solve`
has the name of its package, so it is imported here at once: afterwards `oratory.inspect.solve` is always the function.
"""

from typing import TYPE_CHECKING

from oratory.discovery import lazily
from oratory.inspect.solve import Certificate, Solution, solve

if TYPE_CHECKING:
    from oratory.inspect.ablation import Ablation, ablate
    from oratory.inspect.attribution import Attribution, attribute
    from oratory.inspect.checks import MapCheck, Rules, check
    from oratory.inspect.heads import Heads, heads_of
    from oratory.inspect.lens import Lens, lens_of
    from oratory.inspect.maps import attend
    from oratory.inspect.maps_facts import HeadFacts, Maps, Stage
    from oratory.inspect.subject import Subject, published

__all__ = [
    "Ablation",
    "Attribution",
    "Certificate",
    "HeadFacts",
    "Heads",
    "Lens",
    "MapCheck",
    "Maps",
    "Rules",
    "Solution",
    "Stage",
    "Subject",
    "ablate",
    "attend",
    "attribute",
    "check",
    "heads_of",
    "lens_of",
    "published",
    "solve",
]

__getattr__ = lazily(__name__)
