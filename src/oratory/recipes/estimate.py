"""How long a recipe takes on this machine, before it is begun.

Where the store has runs like those that are missing, their recorded seconds count. Where it has none, a probe does: a
few updates of the base language model are timed here, and a recipe says how many of them a run of it is worth.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, median
from typing import Any

from oratory.comparison.local import cores
from oratory.mechanisms.pool.cls import Cls
from oratory.model import base
from oratory.recipes.recipe import Recipe
from oratory.runs import Store
from oratory.runs.entry import Entry, as_text
from oratory.tokens import CLS, with_special
from oratory.training.config import PREFIX, base_training
from oratory.training.finetune import finetune_settings, read_settings

UPDATES = 12
"""In a probe."""
WARM = 3
WHOLE = 2000
"""Updates of a classifier at the base settings, about."""
TEXTS = 3400
"""Of an epoch of sotu."""
MEASURED = 0.5
"""Epochs of fine-tuning in the time that it takes to measure all splits before and after it, about."""
NOT_COMPARED = ("vocabulary", "classes", "train.device", "train.threads", "train.save_every")


@dataclass(frozen=True)
class Wanted:
    """A run of a recipe: what decides it but the corpus, and its seed."""

    task: str
    fingerprint: str
    settings: tuple[tuple[str, str], ...]
    seed: int
    work: float


@dataclass(frozen=True)
class TimeEstimate:
    """Seconds on this machine, and what they rest on."""

    seconds: float
    runs: int
    """To be trained."""
    had: int
    """That the store has already."""
    recorded: int
    """Of those to be trained, how many are estimated from recorded runs."""
    workers: int
    probe: float | None
    """Seconds of an update of the base language model, where that was needed."""

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    def sentence(self) -> str:
        """The estimate in words, and how it was made."""
        if not self.runs:
            return f"All {self.had} runs are in the store."
        at_once = f", {self.workers} at once" if self.workers > 1 else ""
        said = f"About {duration(self.seconds)}: {self.runs} runs to train{at_once}, {self.had} in the store."
        if self.recorded:
            said += f" {self.recorded} of them are estimated from the recorded seconds of runs like them"
            said += "." if self.probe is None else ", the others from a probe."
        if self.probe is not None:
            said += f" Probe: an update of the base language model takes {1000 * self.probe:.0f} ms here."
        return said


def wanted(recipe: Recipe, fingerprint: str, seeds: Sequence[int]) -> list[Wanted]:
    """Every run of a recipe."""
    made = []
    for variant in recipe.variants:
        settings = recipe.of(variant)
        resolved = _published(recipe.task, settings) if recipe.published else _resolved(recipe.task, settings)
        work = recipe.work * (_epochs(recipe.task, settings) if recipe.published else _share(recipe))
        made += [Wanted(recipe.task, fingerprint, resolved, seed, work) for seed in seeds]
    return made


def _epochs(task: str, settings: Mapping[str, str]) -> float:
    """How many epochs fine-tuning takes, and what it takes to measure the model before and after them."""
    _, training = read_settings(task, settings)
    if training.iterations is not None:
        return MEASURED + training.iterations * training.batch / TEXTS
    return MEASURED + (training.epochs or 1)


def _share(recipe: Recipe) -> float:
    """How much shorter or longer training is than the recipe's own, where that was changed."""
    changes = recipe.changes or {}
    training = base_training(recipe.task)
    if "train.iterations" in changes:
        return int(changes["train.iterations"]) / (training.iterations or WHOLE)
    return int(changes["train.epochs"]) / (training.epochs or 1) if "train.epochs" in changes else 1.0


def estimate(jobs: Sequence[Wanted], store: Store, workers: int | None = None) -> TimeEstimate:
    """The time of all these runs; one that several recipes share is counted once."""
    known: dict[tuple[str, str, tuple[tuple[str, str], ...]], dict[int | None, float]] = {}
    for entry in store.entries() if store.folder.is_dir() else []:
        if entry.status == "finished" and entry.seconds is not None:
            key = entry.task, entry.fingerprint, _of_entry(entry)
            known.setdefault(key, {})[entry.seed] = entry.seconds
    seconds, recorded, had = 0.0, 0, 0
    unique = {(job.task, job.fingerprint, job.settings, job.seed): job for job in jobs}
    probed = 0.0
    for job in unique.values():
        found = known.get((job.task, job.fingerprint, job.settings), {})
        if job.seed in found:
            had += 1
        elif found:
            recorded += 1
            seconds += fmean(found.values())
        else:
            probed += job.work
    took = probe() if probed else None
    at_once = workers or max(1, cores())
    total = seconds + probed * (took or 0.0)
    return TimeEstimate(total / at_once, len(unique) - had, had, recorded, at_once, took)


@cache
def probe() -> float:
    """Seconds of one update of the base language model, on random tokens and one thread; the median of a few."""
    import torch
    from torch.nn.functional import cross_entropy

    from oratory.model import Transformer

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model = Transformer(base("lm", vocabulary=5755))
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        ids = torch.randint(0, 5755, (16, 33), generator=torch.Generator().manual_seed(0))
        times = []
        for _ in range(WARM + UPDATES):
            began = time.perf_counter()
            optimizer.zero_grad()
            logits = model(ids[:, :-1]).logits
            cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            times.append(time.perf_counter() - began)
        return median(times[WARM:])
    finally:
        torch.set_num_threads(threads)


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def _resolved(task: str, settings: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Every setting that decides a run, as its record will have it; no tokenizer is trained for this."""
    changes = dict(settings)
    tokenizer = changes.pop("tokenizer", "word")
    given = {name.removeprefix(PREFIX): changes.pop(name) for name in settings if name.startswith(PREFIX)}
    training = base_training(task, **given).to_dict()
    config = base(task, vocabulary=2, classes=2 if task == "classifier" else 0, **changes)
    if task == "classifier" and isinstance(config.pool, Cls):
        tokenizer = with_special(tokenizer, CLS)
    values = {
        "tokenizer": tokenizer,
        **config.to_dict(),
        **{f"{PREFIX}{key}": value for key, value in training.items()},
    }
    return _plain(values)


def _published(task: str, settings: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The same for a published model, which is not looked for: what was chosen about it, and how it is trained."""
    chosen, training = read_settings(task, settings)
    values = {"model": settings["model"], **vars(chosen)}
    return _plain(values | {f"{PREFIX}{key}": value for key, value in training.to_dict().items()})


def _of_entry(entry: Entry) -> tuple[tuple[str, str], ...]:
    settings = entry.settings
    if "model" not in settings:
        return _plain(settings)
    chosen = {name: settings.get(name) for name in finetune_settings()}
    # A record has the rate that the model came with; here it counts that none was given.
    return _plain(chosen | ({"dropout": None} if settings.get("published_dropout") else {}))


def _plain(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, as_text(value)) for name, value in values.items() if name not in NOT_COMPARED))
