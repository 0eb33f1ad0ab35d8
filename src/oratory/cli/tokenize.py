"""`oratory tokenize`."""

import time
from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Texts"


def command(
    data: common.Data = "sotu",
    settings: common.Settings = None,
    text: Annotated[list[str] | None, typer.Option(help="A text to show token by token; may be repeated.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the tokenizer to this JSON file.")] = None,
    json: common.Json = False,
) -> None:
    """Train a tokenizer on a corpus, encode the corpus, and show what a text becomes."""
    from oratory.settings import parse_words
    from oratory.tokens import train_tokenizer
    from oratory.tokens.summary import summarise

    chosen = parse_words(settings or [], ["tokenizer"]).get("tokenizer", "word")
    corpus = common.load(data)
    started = time.perf_counter()
    tokenizer = train_tokenizer(corpus, chosen)
    summary = summarise(corpus, tokenizer, chosen, text or [])
    seconds = time.perf_counter() - started
    if save is not None:
        tokenizer.save(save)
    if json:
        common.print_json({**summary.to_dict(), "seconds": round(seconds, 3)})
    else:
        common.show(summary, f"{chosen} on {corpus.name}: {len(tokenizer):,} entries, {seconds:.1f} s")
