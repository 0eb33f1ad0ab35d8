"""`oratory baselines`."""

from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Texts"


def command(
    data: common.Data = "sotu",
    settings: common.Settings = None,
    discount: Annotated[
        float | None, typer.Option(help="One discount for every Kneser-Ney model, instead of one chosen on dev.")
    ] = None,
    json: common.Json = False,
) -> None:
    """Majority, lookup, TF-IDF with a linear SVM, and Kneser-Ney n-grams, on the same splits."""
    from oratory.settings import parse_words
    from oratory.training.baselines import measure_baselines

    given = parse_words(settings or [], ["tokenizer"])
    corpus = common.load(data)
    found = measure_baselines(corpus, given.get("tokenizer", "word"), discount)
    common.show_or_print(found, json, f"Baselines on {found.corpus}")
