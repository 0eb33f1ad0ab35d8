"""Oratory: a laboratory for small transformers.

    import oratory as ora

    corpus = ora.load_corpus("sotu")
    ora.audit(corpus)
    ora.measure_baselines(corpus)
    comparison = ora.compare("position=learned", "position=rope", task="lm", seeds=10)
    ora.report(comparison, "positions.html")

Names are loaded when they are first used, so that importing Oratory costs nothing.
"""

from typing import TYPE_CHECKING

from oratory.discovery import lazily

if TYPE_CHECKING:
    from oratory.api import (
        atlas,
        attend,
        beside_baselines,
        calibrate,
        compare,
        distill,
        ensemble,
        finetune,
        list_results,
        load_result,
        load_run,
        report,
        reproduce,
        resume,
        scale,
        search,
        stacks,
        train,
    )
    from oratory.comparisons import Comparison
    from oratory.errors import Failed, InputError
    from oratory.inspect import Maps, ablate, attribute, heads_of
    from oratory.inspect.solve import Solution, solve
    from oratory.model import ModelConfig, Transformer, count_parameters, generate, pretrained
    from oratory.model.contract import check_mechanism
    from oratory.runs import Run, Store
    from oratory.text import Audit, Corpus, Description, audit, describe, export, load_corpus
    from oratory.tokens import Tokenizer, encode_classifier, encode_lm, load_tokenizer, train_tokenizer
    from oratory.tokens.ngrams import NgramCounts
    from oratory.training.baselines import Baselines, measure_baselines
    from oratory.training.explain import explain
    from oratory.training.tasks import base

__version__ = "0.2.0"

_ROOMS = {
    "errors": ("Failed", "InputError"),
    "text": ("Audit", "Corpus", "Description", "audit", "describe", "export", "load_corpus"),
    "tokens": ("Tokenizer", "encode_classifier", "encode_lm", "load_tokenizer", "train_tokenizer"),
    "tokens.ngrams": ("NgramCounts",),
    "model": ("ModelConfig", "Transformer", "count_parameters", "generate", "pretrained"),
    "model.contract": ("check_mechanism",),
    "training.baselines": ("Baselines", "measure_baselines"),
    "training.explain": ("explain",),
    "training.tasks": ("base",),
    "runs": ("Run", "Store"),
    "comparisons": ("Comparison",),
    "inspect": ("Maps", "ablate", "attribute", "heads_of"),
    "inspect.solve": ("Solution", "solve"),
    "api": (
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
        "report",
        "reproduce",
        "resume",
        "scale",
        "search",
        "stacks",
        "train",
    ),
}

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
    "count_parameters",
    "generate",
    "pretrained",
    "check_mechanism",
    "Baselines",
    "NgramCounts",
    "measure_baselines",
    "explain",
    "base",
    "Run",
    "Store",
    "Comparison",
    "Maps",
    "ablate",
    "attend",
    "attribute",
    "heads_of",
    "Solution",
    "solve",
    "atlas",
    "beside_baselines",
    "calibrate",
    "compare",
    "distill",
    "ensemble",
    "finetune",
    "list_results",
    "load_result",
    "load_run",
    "report",
    "reproduce",
    "resume",
    "scale",
    "search",
    "stacks",
    "train",
]


__getattr__ = lazily(__name__, _ROOMS)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
