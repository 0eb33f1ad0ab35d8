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
    from oratory.api.atlases import atlas, stacks
    from oratory.api.calibrations import calibrate
    from oratory.api.comparisons import compare
    from oratory.api.ensembles import distill, ensemble
    from oratory.api.reproductions import reproduce
    from oratory.api.results import list_results, load_result, report
    from oratory.api.runs import beside_baselines, finetune, load_run, train
    from oratory.api.scales import scale
    from oratory.api.searches import search
    from oratory.comparisons import Comparison
    from oratory.errors import Failed, InputError
    from oratory.execution.resume import resume
    from oratory.inspect import Maps, ablate, attend, attribute, heads_of
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

__all__ = [
    "Audit",
    "Baselines",
    "Comparison",
    "Corpus",
    "Description",
    "Failed",
    "InputError",
    "Maps",
    "ModelConfig",
    "NgramCounts",
    "Run",
    "Solution",
    "Store",
    "Tokenizer",
    "Transformer",
    "ablate",
    "atlas",
    "attend",
    "attribute",
    "audit",
    "base",
    "beside_baselines",
    "calibrate",
    "check_mechanism",
    "compare",
    "count_parameters",
    "describe",
    "distill",
    "encode_classifier",
    "encode_lm",
    "ensemble",
    "explain",
    "export",
    "finetune",
    "generate",
    "heads_of",
    "list_results",
    "load_corpus",
    "load_result",
    "load_run",
    "load_tokenizer",
    "measure_baselines",
    "pretrained",
    "report",
    "reproduce",
    "resume",
    "scale",
    "search",
    "solve",
    "stacks",
    "train",
    "train_tokenizer",
]

__getattr__ = lazily(__name__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
