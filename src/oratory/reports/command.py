"""The command that makes a result again: plugins, data and all settings included."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch
from typing import Any

from oratory.comparisons import Comparison, Variant, write_seeds
from oratory.comparisons.ensembles import Ensemble
from oratory.comparisons.scales import Scale
from oratory.runs import Run
from oratory.searches.result import Search
from oratory.training.origins import origin_of


@singledispatch
def command_of(result: Any) -> str:
    """The command line for a run, a comparison, a search or a recipe."""
    raise TypeError(f"There is no command for a {type(result).__name__}.")


@command_of.register
def _(run: Run) -> str:
    record = run.record
    words = run.origin.command(run.task, record.given)
    if record.machine.processes > 1:  # Which a run's id follows from.
        words = ["torchrun", "--nproc-per-node", str(record.machine.processes), "-m", *words]
    plugins = [plugin.path or plugin.name for plugin in record.plugins]
    return joined([*words, "--seed", str(run.seed)], record.corpus.source, plugins)


@command_of.register
def _(comparison: Comparison) -> str:
    words = ["oratory", "compare", *map(_variant, comparison.variants), "--task", comparison.task.name]
    words += ["--seeds", write_seeds(comparison.seeds), *_shared(comparison.settings)]
    words += ["--metric", comparison.metric.name] if comparison.named_metric else []
    return joined(words, comparison.source, comparison.plugins)


@command_of.register
def _(found: Ensemble) -> str:
    words = ["oratory", "ensemble", *found.named, "--size", str(found.size)]
    words += [] if found.counts is None else ["--counts", f"{found.counts:g}"]
    return shlex.join([*words, *(["--metric", found.metric.name] if found.named_metric else [])])


@command_of.register
def _(found: Scale) -> str:
    words = ["oratory", "scale", *(_variant(curve) for curve in found.curves if not curve.baseline)]
    words += ["--task", found.task.name, "--seeds", write_seeds(found.seeds)]
    words += ["--sizes", ",".join(f"{size.share:g}" for size in found.sizes), *_shared(found.settings)]
    words += ["--metric", found.metric.name] if found.named_metric else []
    return joined(words, found.source, found.plugins)


@command_of.register
def _(search: Search) -> str:
    words = ["oratory", "search", *(f"{name}={value}" for name, value in search.space.items())]
    words += ["--task", search.task.name, "--method", search.method]
    words += [] if search.method == "grid" else ["--trials", str(len(search.trials))]
    words += ["--seeds", write_seeds(search.seeds)]
    words += ["--search-seed", str(search.search_seed), "--at-once", str(search.at_once)]
    words += [] if search.prune else ["--no-prune"]
    return joined([*words, *_shared(search.settings)], search.source, search.plugins)


def best_command(search: Search) -> str:
    """The command that trains with the best settings of a search; on all of train, if dev was carved from it."""
    settings = {**search.settings, **search.best.settings}
    origin = origin_of(settings)
    return joined(origin.command(search.task, settings), search.source, search.plugins if origin.takes_plugins else ())


def _variant(variant: Any) -> str:
    """A variant as the command line reads it."""
    if Variant(variant.name, variant.settings).spelled:
        return str(variant.name)
    settings = " ".join(f"{key}={value}" for key, value in variant.settings.items()) or "base"
    # A name with an equals sign would be read as a setting; it is the run that a model started from, by its id.
    return settings if "=" in variant.name else f"{variant.name}: {settings}"


def _shared(settings: Mapping[str, str]) -> list[str]:
    """The settings that all runs share, as options."""
    words, others = origin_of(settings).option(settings)
    return [*words, *set_words(others)]


def set_words(settings: Mapping[str, str]) -> list[str]:
    """Settings as options."""
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


def joined(words: Sequence[str], source: str | None, plugins: Iterable[str] = ()) -> str:
    """The words as one line, with what loads the corpus and the plugins, or a remark where nothing loads it."""
    data = [] if source is None else ["--data", source]
    more = [word for path in plugins for word in ("--plugin", path)]
    remark = "" if source is not None else "  # The corpus was made in Python, and no command loads it."
    return shlex.join([*words, *data, *more]) + remark
