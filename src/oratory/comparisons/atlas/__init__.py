"""The atlas: every mechanism against the base settings, as one family of comparisons."""

from oratory.comparisons.atlas.design import AtlasDesign, AtlasEntry, entries_of
from oratory.comparisons.atlas.facts import Atlas, AtlasRow, Effect
from oratory.comparisons.atlas.make import design_of, load_atlas, make_atlas
from oratory.comparisons.atlas.record import AtlasRecord
from oratory.comparisons.atlas.stacks import Stacks, make_stacks
from oratory.comparisons.atlas.survey import survey

__all__ = [
    "Atlas",
    "AtlasDesign",
    "AtlasEntry",
    "AtlasRecord",
    "AtlasRow",
    "Effect",
    "Stacks",
    "design_of",
    "entries_of",
    "load_atlas",
    "make_atlas",
    "make_stacks",
    "survey",
]
