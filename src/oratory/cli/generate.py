"""`oratory generate`."""

from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "A trained model"


def command(
    run: common.RunName,
    prompt: Annotated[list[str] | None, typer.Argument(help="Words to begin with.")] = None,
    tokens: Annotated[int, typer.Option(help="New tokens, at most.")] = 50,
    temperature: Annotated[
        float, typer.Option(help="Below 1 probable tokens become more probable, above 1 less.")
    ] = 1.0,
    top_k: Annotated[int | None, typer.Option(help="Draw from this many most probable tokens only.")] = None,
    top_p: Annotated[
        float | None, typer.Option(help="Draw from the most probable tokens that together have this probability.")
    ] = None,
    greedy: Annotated[bool, typer.Option("--greedy", help="Always take the most probable token.")] = False,
    seed: Annotated[int, typer.Option(help="The seed of the drawing.")] = 0,
    samples: Annotated[int, typer.Option(min=1, help="How many texts; each has the next seed.")] = 1,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """New text from a trained language model."""
    from oratory.tokens.unknown import unknown_note, unknown_words

    common.load_plugins(plugin)
    found = common.load_run(run, runs)
    words = " ".join(prompt or [])
    options = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "greedy": greedy}
    texts = [found.generate(words, tokens, seed=each, **options) for each in range(seed, seed + samples)]
    unknown = unknown_note(unknown_words(found.tokenizer, words))
    if unknown:
        common.note(unknown)
    limit = found.positions
    if limit is not None and any(len(found.tokenizer.encode(text)) > limit for text in texts):
        common.note(f"The positions of this model end at {limit}: each later token was given the {limit} before it.")
    if json:
        shown = {"run": found.id, "prompt": words, "text": texts[0], "texts": texts}
        common.print_json(common.with_state(found, shown))
        return
    for text in texts:
        common.say(text if samples == 1 else f"{text}\n")
