"""The language-model view: how surprised models are by a text, what they expected, and how they go on."""

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from oratory.comparisons.standing import BASELINES
from oratory.errors import InputError
from oratory.runs import Run
from oratory.text.normal import one_line
from oratory.training.running_text.guess import CountedModel, ExpectedTokens
from oratory.training.tasks import Task, task_of
from oratory.web.chosen import EACH_ALONE, Chosen, choices
from oratory.web.laboratory import Laboratory
from oratory.web.seen import Seen
from oratory.web.view import View

MODELS = 4
"""Runs that score a text at once."""
GUESSES = 10
MADE = 1000
"""New tokens of one text."""
OTHER_TOKENS = (
    "These models have different tokens, so there is no difference token by token; bits per byte compare them."
)
Made = Annotated[list[Annotated[int, Field(ge=0)]], Field(max_length=MADE)]


class Scored(BaseModel):
    """A text, and who scores it."""

    model_config = ConfigDict(extra="forbid")
    runs: Annotated[list[Chosen], Field(min_length=1, max_length=MODELS)]
    counts: Annotated[bool, Field(description="Also the Kneser-Ney model of the first run's corpus.")] = False
    text: Annotated[str, Field(max_length=8_000)]


class Prompt(BaseModel):
    """A text to go on with."""

    model_config = ConfigDict(extra="forbid")
    run: Chosen
    prompt: Annotated[str, Field(max_length=8_000)] = ""
    made: Made = []


class Step(Prompt):
    """How the next token is drawn."""

    temperature: Annotated[float, Field(gt=0, le=100)] = 1.0
    top_k: Annotated[int, Field(ge=1)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    greedy: bool = False
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0


class Ahead(Prompt):
    """How far a beam goes."""

    width: Annotated[int, Field(ge=1, le=12)] = 5
    ahead: Annotated[int, Field(ge=1, le=12)] = 4


class Language(View):
    title = "Language"
    about = "How surprised a language model is by each token of a text, what it expected instead, and how it goes on."
    place = 54

    def link(self, run: Run) -> str | None:
        return f"/language?runs={run.id}" if _goes_on(run.task) else None

    def router(self, lab: Laboratory) -> APIRouter:
        router, seen = APIRouter(), Seen(lab.work)

        @router.get("/language", include_in_schema=False)
        def page(request: Request) -> HTMLResponse:
            models = choices(lab.store, lambda entry: _goes_on(task_of(entry.task)))
            return lab.page(request, "language.html", view=self, models=models, most=MODELS)

        @router.post("/api/language/score")
        def score(asked: Scored) -> dict[str, Any]:
            """The surprisal of every token under several models, and what they expected in its place."""
            runs = [lab.models.run(name) for name in dict.fromkeys(asked.runs)]
            line = one_line(asked.text)
            if not line:
                raise InputError("There is nothing to score: the text is empty.")
            found = [_scored(lab, run, line) for run in runs]
            if asked.counts:
                found.append(_counted(lab, seen, runs[0], line))
            same = len({model["fingerprint"] for model in found}) == 1
            at_once = runs[0].at_once(line)
            said = [f"{at_once} {EACH_ALONE}" if at_once else "", "" if same else OTHER_TOKENS]
            return {"text": line, "models": found, "same": same, "sentence": " ".join(filter(None, said))}

        @router.post("/api/language/step")
        def step(asked: Step) -> dict[str, Any]:
            """One token more, as `oratory generate` with this seed draws it, and what else could come."""
            run, options = lab.models.run(asked.run), asked.model_dump(exclude={"run", "prompt", "made"})
            draw = partial(run.task.next_token, run, asked.prompt, asked.made, GUESSES, **options)
            return asdict(lab.work.do(draw))

        @router.post("/api/language/beam")
        def beam(asked: Ahead) -> dict[str, Any]:
            """The most probable ways to go on."""
            run = lab.models.run(asked.run)
            found = lab.work.do(lambda: run.task.beam(run, asked.prompt, asked.made, asked.width, asked.ahead))
            return {"beams": [asdict(way) for way in found]}

        return router


def _goes_on(task: Task) -> bool:
    """Whether the models of a task say what comes next."""
    return bool(task.model.get("causal"))


def _scored(lab: Laboratory, run: Run, line: str) -> dict[str, Any]:
    """What a run makes of the text."""
    return _model(run.id, run, lab.work.do(lambda: run.task.alternatives(run, line, GUESSES)))


def _counted(lab: Laboratory, seen: Seen, run: Run, line: str) -> dict[str, Any]:
    """What the counts beside a run make of the text. They are counted once, and stay in memory."""

    def make() -> CountedModel:
        return run.task.counted(run, lab.corpus_of(run), lab.runs / BASELINES)

    counted: CountedModel = seen.get(("counts", run.fingerprint, run.tokenizer.fingerprint), make)
    return _model(counted.name, run, lab.work.do(lambda: counted.alternatives(run, line, GUESSES)))


def _model(name: str, run: Run, found: ExpectedTokens) -> dict[str, Any]:
    """What one model makes of the text."""
    facts = found.text.to_dict()
    guesses = [[[guess.text, guess.probability] for guess in each] for each in found.guesses]
    about = {"name": name, "fingerprint": run.tokenizer.fingerprint, "summary": found.text.summary}
    return facts | about | {"ranks": list(found.ranks), "guesses": guesses, "vocabulary": len(run.tokenizer)}
