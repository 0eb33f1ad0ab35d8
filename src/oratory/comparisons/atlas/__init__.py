"""The atlas: every mechanism against the base settings, as one family of comparisons."""

from oratory.comparisons.atlas.design import AtlasDesign, AtlasEntry, entries_of
from oratory.comparisons.atlas.facts import Atlas, AtlasRow, Effect
from oratory.comparisons.atlas.kept import atlas_entries, atlases_in
from oratory.comparisons.atlas.make import load_atlas, load_design, make_atlas, survey
from oratory.comparisons.atlas.stacks import Stacks, make_stacks

__all__ = [
    "Atlas",
    "AtlasDesign",
    "AtlasEntry",
    "AtlasRow",
    "Effect",
    "Stacks",
    "atlas_entries",
    "atlases_in",
    "entries_of",
    "load_atlas",
    "load_design",
    "make_atlas",
    "make_stacks",
    "survey",
]
