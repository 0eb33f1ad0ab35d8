"""What a visitor wants to train: checked as on the command line, and made into the words of a command."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from oratory import api
from oratory.comparisons import parse_seeds, parse_variants
from oratory.errors import InputError
from oratory.execution.local import cores
from oratory.execution.ready import refuse_broken
from oratory.runs.given import as_given
from oratory.settings import parse_words
from oratory.tables import shortened
from oratory.training.origins import all_settings, contract_of, origin_of
from oratory.training.origins.origin import MODEL
from oratory.training.origins.published.config import DEFAULT as PUBLISHED
from oratory.training.tasks import task_of
from oratory.web.laboratory import Laboratory

Text = Annotated[str, StringConstraints(max_length=500)]
Name = Annotated[str, StringConstraints(max_length=100)]
THREADS = "train.threads"
TITLE = 120


class Wanted(BaseModel):
    """A run, or a comparison where there are variants."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["run", "comparison"] = "run"
    task: Name = "classifier"
    data: Annotated[str, StringConstraints(max_length=2000)] = "sotu"
    """One of the corpora of the page."""
    model: Name = ""
    """The id of a run to start from, or a published model; empty for a model from nothing."""
    settings: dict[Name, Text] = Field(default_factory=dict, max_length=100)
    seed: int = Field(0, ge=0, le=2**31 - 1)
    """Of a run."""
    variants: list[Text] = Field(default_factory=list, max_length=50)
    """Of a comparison: the first is what the others are compared with."""
    seeds: Name = "5"
    """Of a comparison: how many, or a list such as 0,1,2."""
    metric: Name = ""
    """Of a comparison; the usual one of the task unless given."""


@dataclass(frozen=True)
class Planned:
    """A job that can be started."""

    title: str
    words: tuple[str, ...]
    slots: int = 1
    total: int = 1


def plan(lab: Laboratory, wanted: Wanted) -> Planned:
    """The command for what is wanted, or an InputError that says what is wrong with it. No text is encoded for that."""
    make = _comparison if wanted.kind == "comparison" else _run
    return lab.work.do(lambda: make(lab, wanted))


def _run(lab: Laboratory, wanted: Wanted) -> Planned:
    task = task_of(wanted.task)
    settings = _settings(lab, wanted)
    given = as_given({**({MODEL: wanted.model} if wanted.model else {}), **settings}, lab.store)
    task.need(lab.corpus(wanted.data))
    refuse_broken(contract_of(task, given))
    origin_of(given).ready(given)
    settings.setdefault(THREADS, "1")  # As many trainings at once as there are processors.
    words = ["finetune", wanted.model, "--task", task.name] if wanted.model else ["train", task.name]
    words += [*_words(settings), "--data", wanted.data, "--seed", str(wanted.seed)]
    shown = " ".join(word for word in _words(settings) if not word.startswith(THREADS)) or "base"
    title = f"{wanted.model or task.name}: {shown}, seed {wanted.seed}"
    return Planned(shortened(title, TITLE), tuple(words))


def _comparison(lab: Laboratory, wanted: Wanted) -> Planned:
    settings = _settings(lab, wanted)
    variants = [line.strip() for line in wanted.variants if line.strip()]
    if any(variant.startswith("-") for variant in variants):
        raise InputError("A variant is settings such as position=rope, and does not begin with a dash.")
    for variant in parse_variants(variants):
        _no_path(lab, variant.settings.get("tokenizer", ""), variant.settings.get(MODEL, ""))
    seeds = parse_seeds(wanted.seeds)
    design = api.prepare_comparison(
        *variants,
        task=wanted.task,
        corpus=lab.corpus(wanted.data),
        seeds=seeds,
        settings={**({MODEL: wanted.model} if wanted.model else {}), **settings},
        metric=wanted.metric or None,
        runs=lab.runs,
    )
    design.check_settings()
    words = ["compare", *variants, "--task", wanted.task, "--seeds", wanted.seeds, "--data", wanted.data]
    words += ["--model", wanted.model] if wanted.model else []
    words += [word for setting in _words(settings) for word in ("--set", setting)]
    words += ["--metric", wanted.metric] if wanted.metric else []
    title = f"{wanted.task}: {', '.join(variant.name for variant in design.variants)}; {len(seeds)} seeds"
    return Planned(shortened(title, TITLE), tuple(words), cores(), len(seeds) * len(variants))


def _settings(lab: Laboratory, wanted: Wanted) -> dict[str, str]:
    """The settings that were filled in; names and values are those of the command line."""
    filled = {name: value.strip() for name, value in wanted.settings.items() if value.strip()}
    known = [name for name in all_settings() if name != MODEL]
    found = parse_words(_words(filled), known)
    _no_path(lab, found.get("tokenizer", ""), wanted.model)
    return found


def _no_path(lab: Laboratory, tokenizer: str, model: str) -> None:
    """Refuse what would name a file of this machine, or something on a network."""
    if tokenizer.strip().startswith("pretrained"):
        raise InputError("The page reads no tokenizer from a path; on the command line, tokenizer=pretrained does.")
    if model and model != PUBLISHED and not lab.store.has(model):
        raise InputError(f"There is no run {model!r} here to start from; {PUBLISHED} is the published model at hand.")


def _words(settings: dict[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in settings.items()]
