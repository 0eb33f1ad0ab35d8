"""The pages of the reference that are written when the docs are built, from the program itself.

MkDocs calls `on_files`. `pages` needs no MkDocs, so that the tests can read the pages too.
"""

import inspect
import json
import re
import tomllib
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.image import imsave

import oratory
from oratory.cli import build
from oratory.comparisons.atlas.facts import AtlasRow
from oratory.comparisons.atlas.stacks import Together, together_table
from oratory.discovery import names_by_module
from oratory.mechanisms import REGISTRY
from oratory.mechanisms.kinds import KINDS, MODELS
from oratory.mechanisms.plugins import plugin_of
from oratory.model import ModelConfig
from oratory.model.contract import usual_model
from oratory.model.promises import ids_for, model_of
from oratory.recipes.names import recipe_names
from oratory.recipes.read import load_any_recipe
from oratory.records import checked
from oratory.reports.atlas import CAPTION, picture_of
from oratory.reports.drawers import draw
from oratory.reports.markdown import table
from oratory.reports.ramp import colormap
from oratory.settings import about
from oratory.tables import Table
from oratory.text.sources import SOURCES
from oratory.training.explain import SettingFacts, explain
from oratory.training.origins import origins
from oratory.training.setting import settings_in, shown
from oratory.training.tasks import tasks

PAGES: dict[str, Callable[[], Iterator[str]]] = {}
"""What writes each page, by the path of the page."""
TOKENS = 20
"""Of the text whose map the page of a mechanism shows."""


def page(name: str) -> Callable[[Callable[[], Iterator[str]]], Callable[[], Iterator[str]]]:
    """Register a function that yields the blocks of a page."""

    def registered(blocks: Callable[[], Iterator[str]]) -> Callable[[], Iterator[str]]:
        PAGES[f"reference/{name}.md"] = blocks
        return blocks

    return registered


def pages() -> dict[str, str]:
    """The text of every page by its path: those of the navigation, and one for each mechanism."""
    found = {path: "\n\n".join(blocks()) + "\n" for path, blocks in PAGES.items()}
    for kind in KINDS:
        for name, cls in REGISTRY[kind].items():
            if plugin_of(cls) is None:
                found[f"reference/{page_of(kind, name)}"] = "\n\n".join(_mechanism(kind, name, cls)) + "\n"
    return found


def page_of(kind: str, name: str) -> str:
    """Where the page of a mechanism is, seen from the reference."""
    return f"mechanisms/{kind}-{name}.md"


def atlases() -> list[dict[str, Any]]:
    """The atlases that are committed: what `oratory atlas --json` printed."""
    return _committed("*.json")


def stacks() -> dict[str, dict[str, Any]]:
    """What `oratory atlas --stack ATLAS --json` printed, by the id of the atlas."""
    return {found["atlas"]: found for found in _committed("together/*.json")}


def _committed(pattern: str) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted((Path(__file__).parent / "atlas").glob(pattern))]


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to those that are files."""
    from mkdocs.structure.files import File

    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files


@page("settings")
def settings() -> Iterator[str]:
    yield "# Settings"
    yield (
        "Every setting has one name: on the command line (`key=value`), in Python, in recipes and in the record of a "
        "run. `oratory settings` prints this page, `oratory settings KEY` one setting. A value in the column *default* "
        "after the name of a task, or after *published*, is what such runs begin with instead."
    )
    found = explain()
    for entry in found.tables():
        yield _with_heading(entry)
    yield "The values of the mechanisms are [on a page of their own](mechanisms.md)."
    for setting in found.settings:
        if setting.choices and setting.name not in KINDS:
            yield from _details(setting)


@page("mechanisms")
def mechanisms() -> Iterator[str]:
    yield "# Mechanisms"
    yield (
        "The parts of a transformer that can be swapped, by kind. `oratory mechanisms` prints them. "
        "[A mechanism of your own](../how-to/mechanisms.md) is one file."
    )
    for kind, cls in KINDS.items():
        (facts,) = (one for one in explain(kind).settings if one.choices)
        yield from _details(facts, inspect.getdoc(cls) or "")
        own = [name for name, found in REGISTRY[kind].items() if plugin_of(found) is None]
        yield "A page for each: " + ", ".join(f"[{name}]({page_of(kind, name)})" for name in own) + "."


def _mechanism(kind: str, name: str, cls: Any) -> Iterator[str]:
    """The page of one mechanism: formula, paper, parameters, map, contract, parity, and its rows of the atlases."""
    yield f"# `{kind}={name}`"
    yield _prose(inspect.cleandoc(cls.__doc__ or ""))
    if cls.paper:
        yield f"Paper: {cls.paper}."
    rows = tuple((one.name, one.meaning, one.values, one.default) for one in settings_in(cls))
    if rows:
        yield table(Table("Parameters", ("parameter", "meaning", "values", "default"), rows, words=4))
    yield "## Map"
    yield _map_of(kind, name, cls)
    yield "## Contract"
    said = [getattr(cls, "loose", "")] if getattr(cls, "loose", "") else []
    said += ["it takes the place of attention, so there are no weights"] if getattr(cls, "instead", False) else []
    said += ["it mixes the tokens of a batch, and may see the future"] if cls.across_tokens else []
    kept = "It keeps every promise of [the contract](../../how-to/mechanisms.md#the-contract), as the tests show"
    yield f"{kept}{', but one that it declares: ' + '; '.join(said) if said else ''}."
    parity = tomllib.loads((Path(__file__).parent / "parity.toml").read_text())
    yield f"Compared in the tests, within 1e-5, with: {parity[kind][name]}."
    yield from _rows_of(kind, name)
    yield "[All mechanisms](../mechanisms.md)"


@cache
def _map_of(kind: str, name: str, cls: Any) -> str:
    """The weights of a small model before training, with the mechanism below and without it above."""
    if getattr(cls, "instead", False):
        return "It takes the place of attention, so there is no map."
    output, causal = next(model for model in (("tokens", True), *MODELS) if cls().serves(*model))
    usual = usual_model(output, causal)
    drawn = [_weights(usual), _weights(replace(usual, **{kind: cls()}))]
    gap = np.full((TOKENS, 1), np.nan)
    rows = [np.hstack([part for one in each for part in (one, gap)][:-1]) for each in drawn]
    image = np.vstack([rows[0], np.full((2, rows[0].shape[1]), np.nan), rows[1]])
    buffer = BytesIO()
    imsave(buffer, np.kron(image, np.ones((4, 4))), cmap=colormap(), vmin=0, vmax=1, format="png")
    same = " The two are the same here." if np.array_equal(*drawn) else ""
    what = f"The four heads of the last layer of a small {MODELS[output, causal]} before training"
    return (
        f'<img alt="Attention maps with and without {kind}={name}" '
        f'src="data:image/png;base64,{b64encode(buffer.getvalue()).decode()}">\n\n'
        f"{what}: a row is a token that looks, a column one that is looked at, and the darker, the more. Above the "
        f"base settings, below `{kind}={name}`; every parameter has noise added, so that what starts at zero "
        f"shows.{same}"
    )


def _weights(config: ModelConfig) -> Any:
    """The maps of the last layer for a text of some tokens: heads, queries, keys."""
    with torch.no_grad():
        found = model_of(config)(ids_for(config, 1, TOKENS), weights=True).weights[-1][0]
    return found.abs().clamp(max=1).numpy()


def _rows_of(kind: str, name: str) -> Iterator[str]:
    """What the committed atlases say of a mechanism."""
    for atlas in atlases():
        for row in atlas["rows"]:
            if (row["kind"], row["mechanism"]) == (kind, name):
                yield "## Atlas"
                yield table(_atlas_table(atlas, [row], f"{atlas['task']} on {atlas['corpus']['name']}"))
                yield "[The whole atlas](../atlas.md) says how these figures were made."


@page("atlas")
def atlas_page() -> Iterator[str]:
    yield "# The atlas"
    yield (
        "Which mechanisms help a small transformer? `oratory atlas` judges every one against the base settings; "
        "[how to read it](../how-to/atlas.md). The tables here are the data that is committed in `docs/atlas`."
    )
    found = atlases()
    if not found:
        yield "No atlas is committed yet."
    for atlas in found:
        yield f"## {atlas['task']} on {atlas['corpus']['name']}"
        versions = ", ".join(f"{name} {version}" for name, version in atlas["versions"].items())
        settings = ", ".join(f"`{name}={value}`" for name, value in atlas["settings"].items())
        yield (
            f"Made on {atlas['made']} with {len(atlas['seeds'])} seeds and {settings or 'the base settings'}; kinds: "
            f"{', '.join(atlas['only']) or 'all'}. {_base_scores(atlas)} "
            f"{versions}. Corpus fingerprint {atlas['corpus']['fingerprint']}. "
            f"{atlas['in_train']} {atlas['new_items']}"
        )
        yield f"```\n{atlas['command']}\n```"
        yield from _atlas_pictures(atlas)
        yield table(_atlas_table(atlas, [*atlas["rows"], *atlas["controls"]], "Every mechanism, the best first"))
        if together := stacks().get(atlas["atlas"]):
            yield from _together(together)


def _atlas_pictures(atlas: dict[str, Any]) -> Iterator[str]:
    """The effects and costs of an atlas, drawn from its data."""
    metric = tasks()[atlas["task"]].metric(name=atlas["metric"])
    entries = _objects(AtlasRow, (*atlas["rows"], *atlas["controls"]))
    for family in atlas["base"]["means"]:
        drawn = b64encode(draw(picture_of(entries, metric, family)).encode()).decode()
        yield f'<img alt="Effects and costs of every mechanism, {family}" src="data:image/svg+xml;base64,{drawn}">'
        yield f"{family.capitalize()}. {CAPTION}"


def _together(found: dict[str, Any]) -> Iterator[str]:
    """Pairs of the best mechanisms, and the stack."""
    metric = tasks()[found["comparison"]["task"]].metric(name=found["metric"])
    best, stack = (", ".join(f"`{name}`" for name in found[which]) for which in ("best", "stack"))
    yield "### Together"
    yield (f"The best {len(found['best'])} of different kinds on dev are {best}. The stack that dev chose is {stack}.")
    yield f"```\noratory atlas --stack {found['atlas']} --best {len(found['best'])}\n```"
    yield table(together_table(_objects(Together, found["rows"]), metric, len(found["seeds"])))


def _objects(cls: Any, rows: Iterable[dict[str, Any]]) -> list[Any]:
    """Rows of the committed data as the program has them; their name follows from the rest."""
    return [checked(cls, {key: row[key] for key in row if key != "name"}) for row in rows]


def _base_scores(atlas: dict[str, Any]) -> str:
    """What the base settings score, which says whether there was something to learn."""
    metric = tasks()[atlas["task"]].metric(name=atlas["metric"])
    said = [f"{metric.show_value(value)} ({family})" for family, value in atlas["base"]["means"].items()]
    return f"The base settings score {' and '.join(said)}: {metric.column}."


def _atlas_table(atlas: dict[str, Any], rows: list[dict[str, Any]], title: str) -> Table:
    """Rows of an atlas as a table."""
    metric = tasks()[atlas["task"]].metric(name=atlas["metric"])
    cells = []
    for row in rows:
        effects = row["effects"]
        effect = effects.get("tuned", effects.get("as given"))
        more = (shown(row["parameters"]), "–" if row["cost"] is None else f"{row['cost']:.1f}")
        if effect is None:
            cells.append((row["name"], f"{row['status']}: {row['reason']}", "", "", "", "", *more))
            continue
        interval = metric.show_difference_interval(tuple(effect["interval"]) if effect["interval"] else None)
        chances = ("–" if p is None else f"{p:.3f}" for p in (effect["holm"], effect["discovery"]))
        text = effect["text"] + (f"; {row['reason']}" if row["reason"] else "")
        cells.append((row["name"], text, metric.show_difference(effect["difference"]), interval, *chances, *more))
    columns = ("mechanism", "verdict", "difference", "95% interval", "p (Holm)", "q (FDR)", "parameters", "cost")
    note = f"{metric.column}; cost: processor time of an update, times that of the base settings."
    return Table(title, columns, tuple(cells), words=2, note=note)


@page("tasks")
def tasks_and_origins() -> Iterator[str]:
    yield "# Tasks, metrics and origins"
    yield (
        "A task says what a model is trained for, a metric what variants are compared by, an origin where a model "
        "comes from. Each is an object that is found by being in its folder; "
        "[a new one](../explanation/architecture.md#what-something-new-needs) is one file or folder."
    )
    columns = ("metric", "what it is", "better", "compares different tokenizers")
    for task in tasks().values():
        yield f"## Task `{task.name}`"
        yield _prose(about(type(task)))
        metrics = tuple(
            (one.name, about(type(one)), one.better, "no" if one.same_tokens else "yes")
            for one in task.metrics.values()
        )
        yield table(Table(f"Metrics of a {task.noun}; the first that applies is used", columns, metrics, words=4))
    yield "## Origins"
    rows = tuple(
        (origin.name, about(type(origin)), ", ".join(name for name, task in tasks().items() if origin.serves(task)))
        for origin in origins()
    )
    yield table(Table("Where models come from", ("origin", "what it is", "for"), rows, words=3))


@page("sources")
def sources() -> Iterator[str]:
    yield "# Sources of corpora"
    yield (
        "What `--data` takes: a name, or a name with parameters. `oratory data list` prints it. "
        "[Use your own text](../how-to/corpora.md) explains the layouts."
    )
    for name, cls in SOURCES.items():
        yield f"## `{name}`"
        yield _prose(inspect.getdoc(cls) or "")
        rows = tuple((one.name, one.meaning, one.values, one.default) for one in settings_in(cls))
        yield table(Table("Parameters", ("parameter", "meaning", "values", "default"), rows, words=4))


@page("recipes")
def recipes() -> Iterator[str]:
    yield "# Recipes"
    yield (
        "What `oratory reproduce NAME` runs. [The reference experiments](../explanation/experiments.md) says how to "
        "read the results."
    )
    rows = tuple((name, load_any_recipe(name).title) for name in recipe_names())
    yield table(Table("Recipes", ("name", "what"), rows, words=2))


@page("commands")
def commands() -> Iterator[str]:
    from typer.main import get_command

    yield "# Command line"
    yield (
        "Results go to stdout, remarks to stderr. `--json` prints one JSON document and nothing else. Exit code 0 is "
        "done, 1 a check that failed or a run that diverged, 2 wrong usage or bad input, 130 Ctrl-C."
    )
    yield from _commands(get_command(build()), "oratory")


@page("api")
def api() -> Iterator[str]:
    yield "# Python"
    yield (
        "Everything here is a name of the package: `import oratory as ora`, then `ora.compare(...)`. The commands call "
        "the same functions."
    )
    for room, names in names_by_module("oratory").items():
        yield f"## `{room}`"
        for name in names:
            found = getattr(oratory, name)
            yield f"::: {found.__name__ if inspect.ismodule(found) else f'{found.__module__}.{found.__qualname__}'}"


def _commands(command: Any, name: str) -> Iterator[str]:
    """A command with its options, or every command of a group."""
    if hasattr(command, "commands"):
        for part, inner in sorted(command.commands.items()):
            yield from _commands(inner, f"{name} {part}")
        return
    yield f"## `{name}`"
    yield _prose(inspect.cleandoc(command.help or ""))
    rows = tuple(_parameter(parameter) for parameter in command.params if parameter.name != "help")
    if rows:
        yield table(Table("Arguments and options", ("name", "meaning", "default"), rows, words=3))


def _parameter(parameter: Any) -> tuple[str, str, str]:
    """The row of an argument or an option."""
    is_option = parameter.param_type_name == "option"
    usual = (parameter.metavar or parameter.name.upper()) + "..." * (parameter.nargs != 1)
    names = ", ".join([*parameter.opts, *parameter.secondary_opts]) if is_option else usual
    needed = "must be given" if parameter.required else ""
    default = parameter.default
    return names, parameter.help or "", needed if default is None or default is False else shown(default)


def _details(setting: SettingFacts, lead: str = "") -> Iterator[str]:
    """The values of a setting that is a choice."""
    yield f"## `{setting.name}`"
    yield _prose(lead or setting.meaning)
    yield from map(table, setting.details())


def _with_heading(entry: Table) -> str:
    heading, _, rest = table(entry).partition("\n")
    return f"## {heading.strip('*')}\n{rest}"


def _prose(text: str) -> str:
    """Our own docstrings are Markdown already; only what looks like an element is not."""
    return re.sub(r"(`[^`]*`)|<", lambda found: found[1] or "&lt;", text)
