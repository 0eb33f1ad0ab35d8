"""To be imported by the server from which the tests fork the program: all of it, and what its commands import later."""

import pkgutil
from contextlib import suppress
from importlib import import_module

import oratory

LATER = (
    "matplotlib.backends.backend_agg",
    "nltk.tokenize",
    "optuna",
    "pydantic.type_adapter",
    "sklearn.svm",
    "torch._dynamo",
    "torch.profiler",
    "transformers",
    "typst",
)
"""What commands import when they run."""

for found in pkgutil.walk_packages(oratory.__path__, "oratory."):
    if not found.name.endswith("__main__"):
        import_module(found.name)
for name in LATER:
    with suppress(ImportError):
        import_module(name)
import_module("oratory.tokens.words").split("The rules of words are loaded here.")
for helper in ("tests.execution.training", "tests.several"):
    import_module(helper)
