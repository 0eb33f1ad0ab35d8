"""Oratory from Python. The commands call these same functions.

import oratory as ora

run = ora.train("lm", "sotu", {"position": "rope"}, seed=1)
comparison = ora.compare("position=learned", "position=rope", task="lm", seeds=10)
ora.report(comparison, "positions.html")

Names are loaded when they are first used. No file of this room is called like a function in it: once it is loaded, it
would hide the function.
"""

from typing import TYPE_CHECKING

from oratory.discovery import lazily

if TYPE_CHECKING:
    from oratory.api.atlases import atlas, stacks
    from oratory.api.calibrations import calibrate
    from oratory.api.comparisons import compare, prepare_comparison
    from oratory.api.ensembles import distill, ensemble
    from oratory.api.reproductions import reproduce
    from oratory.api.results import list_results, load_result, name_of, report
    from oratory.api.runs import beside_baselines, finetune, load_run, prepare, train
    from oratory.api.scales import scale
    from oratory.api.searches import search
    from oratory.execution.resume import resume
    from oratory.inspect import attend

__all__ = [
    "atlas",
    "attend",
    "beside_baselines",
    "calibrate",
    "compare",
    "distill",
    "ensemble",
    "finetune",
    "list_results",
    "load_result",
    "load_run",
    "name_of",
    "prepare",
    "prepare_comparison",
    "report",
    "reproduce",
    "resume",
    "scale",
    "search",
    "stacks",
    "train",
]

__getattr__ = lazily(__name__)
