"""A classifier: what it says of a text and why, what it was taught that is like it, and where it errs."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from oratory.baselines.nearest import NearestTexts
from oratory.errors import InputError
from oratory.inspect.attribution import attribute
from oratory.inspect.classified import Classified, classified, splits_of
from oratory.runs import Run
from oratory.text.normal import one_line
from oratory.web.chosen import EACH_ALONE, choices
from oratory.web.kept import Kept
from oratory.web.kinds import Id
from oratory.web.laboratory import Laboratory
from oratory.web.view import View

LONGEST = 4000
"""Characters of a text."""
INDEXES = 3
RUNS = 6
"""Corpora that are indexed, and runs whose items are in memory."""
SHOWN = 50
"""Texts of one answer."""
TASK = "classifier"


class Typed(BaseModel):
    """A text that somebody typed."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(max_length=LONGEST)]
    label: Annotated[str, Field(max_length=500)] | None = None
    """The class to explain; the likeliest where none is named."""


class ClassifierView(View):
    title = "Classifier"
    about = "What a trained classifier says of a text, which tokens mattered, and which texts it takes for which."
    place = 58

    def link(self, run: Run) -> str | None:
        return f"/classifier?run={run.id}" if run.task.name == TASK else None

    def router(self, lab: Laboratory) -> APIRouter:
        router = APIRouter()
        indexes: Kept[NearestTexts] = Kept(INDEXES)
        results: Kept[Classified] = Kept(RUNS)

        def trained(name: str) -> Run:
            run = lab.models.run(name)
            if run.task.name != TASK:
                raise InputError(f"The run {run.id} is no classifier: its task is {run.task.name}.")
            return run

        def items(name: str, split: str) -> Classified:
            run = trained(name)
            key = (run.id, tuple(run.record.files.items()), split)
            return results.get(key, lambda: classified(run, lab.corpus_of(run), split))

        def near(run: Run, text: str) -> dict[str, Any]:
            corpus = lab.corpus_of(run)
            index = indexes.get(corpus.fingerprint, lambda: NearestTexts(corpus.need_classifier()))
            return index.of(text).to_dict()

        @router.get("/classifier", include_in_schema=False)
        def page(request: Request) -> HTMLResponse:
            models = choices(lab.store, lambda entry: entry.task == TASK)
            return lab.page(request, "classifier.html", view=self, models=models)

        @router.get("/api/classifier")
        def runs() -> list[dict[str, Any]]:
            """The finished classifiers."""
            found = [entry for entry in lab.store.entries() if entry.task == TASK and entry.status == "finished"]
            return [{"run": entry.id, "corpus": entry.corpus, "seed": entry.seed} for entry in found]

        @router.get("/api/classifier/{name}")
        def about(name: Id) -> dict[str, Any]:
            """The labels of a classifier, and the splits whose items are recorded."""
            run = trained(name)
            return {"run": run.id, "labels": run.labels, "splits": splits_of(run), "corpus": run.record.corpus.name}

        @router.post("/api/classifier/{name}/score")
        def score(name: Id, typed: Typed) -> dict[str, Any]:
            """The probability of every class: what `oratory score` says."""
            run = trained(name)
            [found] = lab.work.do(lambda: run.score(typed.text))
            at_once = run.at_once(typed.text)
            return {**found.to_dict(), "note": f"{at_once} {EACH_ALONE}" if at_once else ""}

        @router.post("/api/classifier/{name}/nearest")
        def nearest(name: Id, typed: Typed) -> dict[str, Any]:
            """The texts of train that are most like a text, and whether train has it."""
            run = trained(name)
            return lab.work.do(lambda: near(run, one_line(typed.text)))

        @router.post("/api/classifier/{name}/why")
        def why(name: Id, typed: Typed) -> dict[str, Any]:
            """Which tokens mattered: what `oratory score --why` says."""
            run = trained(name)
            return lab.work.do(lambda: attribute(run, typed.text, typed.label)).to_dict()

        @router.get("/api/classifier/{name}/confusion")
        def confusion(name: Id, split: Annotated[str, Query(max_length=20)] = "test") -> dict[str, Any]:
            """Labels and predictions on a split, and the calibration there, from the recorded results."""
            return lab.work.do(lambda: items(name, split).to_dict())

        @router.get("/api/classifier/{name}/items")
        def cell(
            name: Id,
            label: Annotated[str, Query(max_length=500)],
            predicted: Annotated[str, Query(max_length=500)],
            split: Annotated[str, Query(max_length=20)] = "test",
            seen: bool | None = None,
            first: Annotated[int, Query(ge=0, le=10**9)] = 0,
        ) -> dict[str, Any]:
            """The texts of one cell of the confusion matrix, the most confident first."""
            found = lab.work.do(lambda: items(name, split).cell(label, predicted, seen))
            return {"matching": len(found), "items": [each.to_dict() for each in found[first : first + SHOWN]]}

        return router
