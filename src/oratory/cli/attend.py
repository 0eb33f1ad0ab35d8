"""`oratory attend`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oratory.cli import _common as common

if TYPE_CHECKING:
    from oratory.inspect import Ablation, Heads, Maps, Subject
    from oratory.text import Corpus

PANEL = "A trained model"


def command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run, minilm, or the folder of a published model.")],
    text: Annotated[str | None, typer.Argument(help="A text, in quotes.")] = None,
    layer: Annotated[int | None, typer.Option(help="Only this layer, counted from 0.")] = None,
    head: Annotated[int | None, typer.Option(help="Only this head, counted from 0.")] = None,
    step: Annotated[
        int | None, typer.Option(help="The weights of this step (train.snapshots keeps some); 0 is before training.")
    ] = None,
    before: Annotated[bool, typer.Option("--before", help="Also the model before training.")] = False,
    mean: Annotated[bool, typer.Option("--mean", help="Also the mean over the heads of each layer.")] = False,
    rollout: Annotated[bool, typer.Option("--rollout", help="Also attention traced back through all layers.")] = False,
    pad_to: Annotated[int | None, typer.Option(help="Pad the text to this many tokens.")] = None,
    lens: Annotated[bool, typer.Option("--lens", help="Also what each layer would predict: the logit lens.")] = False,
    heads: Annotated[bool, typer.Option("--heads", help="What each head does on the test texts of a corpus.")] = False,
    ablate: Annotated[bool, typer.Option("--ablate", help="The loss on the same texts without each head.")] = False,
    data: Annotated[str | None, typer.Option(help="For --heads, --ablate: a corpus other than the run's.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="A file to write: .png, .svg, .pdf, .html (interactive), .csv or .npz (arrays).")
    ] = None,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Attention maps of a text and their sanity checks; what heads do over a corpus.

    Without --out nothing is written: the checks and a summary of each head are printed. A file of --mean or --rollout
    shows these in place of the heads; a page has all. With --heads or --ablate and no text, --out is their picture
    (.svg, .png) or report (.html, .pdf, .md, .tex, .csv). Exit code 1 when a check fails.
    """
    from oratory.errors import InputError

    if text is None and not heads and not ablate:
        raise InputError("Say what to look at: a text, or --heads, or --ablate.")
    if text is None and lens:
        raise InputError("--lens looks at a text; give one.")
    if out is not None and text is not None:
        from oratory.reports.maps import kind_of

        kind_of(out)
    elif out is not None:
        _check_out(out, heads and ablate)
    common.load_plugins(plugin)
    subject = _subject(run, runs).at_step(step)

    from oratory.inspect import lens_of

    corpus = _corpus(subject, data) if heads or ablate else None
    options = {"layer": layer, "head": head, "before": before, "mean": mean, "rollout": rollout, "pad_to": pad_to}
    facts: dict[str, Any] = {} if text is None else _attend(subject, text, options, out, json)
    looked = {"lens": lens_of(subject, text)} if lens and text is not None else {}
    measured = {} if corpus is None else _measure(subject, corpus, heads, ablate)
    if out is not None and text is None:
        from oratory.reports.heads import write_heads

        write_heads(list(measured.values()), out)
        common.note(f"Written: {out}")
    if json:
        shown = facts | {name: found.to_dict() for name, found in {**looked, **measured}.items()}
        common.print_json(shown if subject.run is None else common.with_state(subject.run, shown))
    else:
        for found in (*looked.values(), *measured.values()):
            common.show(found, found.name)
    _fail(facts)


def _attend(subject: "Subject", text: str, options: dict[str, Any], out: Path | None, json: bool) -> dict[str, Any]:
    """The maps: written where a file is wanted, shown where JSON is not."""
    from oratory.inspect import attend

    if subject.run is not None and (sentence := subject.run.at_once(text)):
        common.note(sentence)
    maps = attend(subject, text, **options)
    for sentence in maps.sentences():
        common.note(sentence)
    if out is not None:
        from oratory.reports.maps import write_maps

        write_maps(maps, out)
        common.note(f"Written: {out} ({out.stat().st_size / 1000:,.0f} kB)")
    if not json:
        common.show(maps, _heading(maps))
    return maps.to_dict()


def _heading(maps: "Maps") -> str:
    from oratory.tables import counted

    sizes = {"layer": maps.of_layers, "head": maps.of_heads, "token": len(maps.tokens)}
    return f"{maps.name}: {', '.join(counted(number, noun) for noun, number in sizes.items())}"


def _measure(subject: "Subject", corpus: "Corpus", heads: bool, ablate: bool) -> "dict[str, Heads | Ablation]":
    """What was asked for, by its name in the JSON."""
    from oratory.inspect import ablate as without
    from oratory.inspect import heads_of

    found: dict[str, Heads | Ablation] = {"behaviour": heads_of(subject, corpus)} if heads else {}
    return found | {"ablation": without(subject, corpus)} if ablate else found


def _subject(name: str, runs: Path | None) -> "Subject":
    """A run of the store; minilm, or a folder with config.json, is a published model."""
    from oratory.files import exists
    from oratory.training.origins.published.config import DEFAULT

    found = None if name == DEFAULT or exists(Path(name) / "config.json") else common.load_run(name, runs)
    from oratory.inspect import published
    from oratory.inspect.subject import subject_of

    return published(name) if found is None else subject_of(found)


def _corpus(subject: "Subject", data: str | None) -> "Corpus":
    from oratory.errors import InputError
    from oratory.text import load_corpus

    if subject.run is not None:
        return common.corpus_of(subject.run, data)
    if data is None:
        raise InputError(f"{subject.name} is a published model; name a corpus with --data.")
    return load_corpus(data)


def _check_out(out: Path, both: bool) -> None:
    """Refuse a name that says nothing, before anything is computed."""
    from oratory.errors import InputError
    from oratory.reports.heads import PICTURES, REPORTS

    kind = out.suffix.lower()
    if kind not in (*PICTURES, *REPORTS):
        raise InputError(f"{out} must end in {', '.join((*PICTURES, *REPORTS)[:-1])} or {REPORTS[-1]}.")
    if both and kind in PICTURES:
        raise InputError(f"{out} can hold one picture: ask for --heads or --ablate, or write a report such as .html.")


def _fail(facts: dict[str, Any]) -> None:
    """Exit code 1, with the checks that failed and where."""
    from oratory.errors import Failed

    broken = [check for check in facts.get("checks", []) if not check["passed"]]
    if broken:
        said = "; ".join(
            f"{check['name']} ({check['stage']} training, layer {check['layer']}, "
            f"{'' if check['head'] is None else 'head ' + str(check['head']) + ', '}row {check['row']})"
            for check in broken
        )
        raise Failed(f"Not passed: {said}.")
