"""The attention explorer: where every head looks, what each layer would predict, and what a head is good for."""

from dataclasses import asdict, replace
from importlib.util import find_spec
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from oratory.errors import InputError
from oratory.inspect import Subject, ablate, attend, heads_of, lens_of, published
from oratory.inspect.subject import subject_of
from oratory.reports.maps import picture, table_of
from oratory.reports.maps_html import page as maps_page
from oratory.reports.ramp import diverging, ramp
from oratory.runs import Run
from oratory.training.origins.published.config import DEFAULT
from oratory.training.origins.published.model import PACKAGE
from oratory.web.chosen import Chosen, choices
from oratory.web.laboratory import Laboratory
from oratory.web.seen import Seen, Text
from oratory.web.view import View

PLACES = 64
"""Places of the logit lens that are sent at once."""
FILES = {"svg": "image/svg+xml", "csv": "text/csv; charset=utf-8", "html": "text/html; charset=utf-8"}
ALONE = "sandbox; default-src 'none'"
"""A file is to be kept, not to be shown among the pages here."""
Small = Annotated[int, Field(ge=0, le=100_000)]


class Looked(BaseModel):
    """A model, a text, and when."""

    model_config = ConfigDict(extra="forbid")
    run: Chosen
    step: Annotated[int, Field(ge=0, description="0 is before training; none is after it.")] | None = None
    text: Annotated[str, Field(max_length=40_000)]


class Part(Looked):
    """A part of one map."""

    layer: Small = 0
    head: Small = 0
    words: bool = False
    square: Annotated[int, Field(ge=1, le=4096, description="Tokens along one side of a cell.")] = 1
    row: Small = 0
    column: Small = 0
    mean: bool = False


class Token(Part):
    """A row and a column of one map."""

    query: Small = 0
    key: Small = 0


class Places(Looked):
    """Some places of a text."""

    first: Small = 0


class File(Looked):
    """A file of one map, or of all of them."""

    layer: Small | None = None
    head: Small | None = None
    kind: Literal["svg", "csv", "html"] = "svg"


class Attention(View):
    title = "Attention"
    about = "Where every head looks, in any text of yours. The maps are what the model computed: each is checked."
    place = 50

    def link(self, run: Run) -> str:
        return f"/attention?run={run.id}"

    def router(self, lab: Laboratory) -> APIRouter:
        router, seen = APIRouter(), Seen(lab.work)
        explorer = _Explorer(lab, seen)

        @router.get("/attention", include_in_schema=False)
        def page(request: Request) -> HTMLResponse:
            extra = {DEFAULT: "the published encoder MiniLM"} if find_spec(PACKAGE) else {}
            return lab.page(request, "attention.html", view=self, models=choices(lab.store) | extra)

        @router.get("/api/attention/colours")
        def colours() -> dict[str, Any]:
            """The colour scales of maps and of differences."""
            papers = {"light": False, "dark": True}
            return {name: {"ramp": ramp(dark), "diverging": diverging(dark)} for name, dark in papers.items()}

        @router.post("/api/attention/maps")
        def maps(asked: Looked) -> dict[str, Any]:
            """What is known of the maps of a text: its tokens, the checks, and what each head does."""
            return explorer.maps(asked).looked.facts

        @router.post("/api/attention/grid", response_class=Response)
        def grid(asked: Part) -> Response:
            """Every map, small, as bytes."""
            return _bytes(explorer.maps(asked).grid(asked.words))

        @router.post("/api/attention/tile", response_class=Response)
        def tile(asked: Part) -> Response:
            """A part of one map, as bytes: a header of 16 bytes, and 16 bits for every cell."""
            where = (asked.layer, asked.head, asked.words, asked.square, asked.row, asked.column, asked.mean)
            return _bytes(explorer.maps(asked).tile(*where))

        @router.post("/api/attention/token", response_class=Response)
        def token(asked: Token) -> Response:
            """Where one token looks, and who looks at it: a row and a column of a map, as bytes."""
            return _bytes(explorer.maps(asked).token(asked.layer, asked.head, asked.words, asked.query, asked.key))

        @router.post("/api/attention/lens")
        def lens(asked: Places) -> dict[str, Any]:
            """What the model would predict after each of its layers."""
            return explorer.lens(asked)

        @router.post("/api/attention/heads")
        def heads(asked: Looked) -> dict[str, Any]:
            """What each head does on the test texts of the run's corpus."""
            return explorer.measured(asked, "heads")

        @router.post("/api/attention/ablation")
        def ablation(asked: Looked) -> dict[str, Any]:
            """The loss on the same texts without each head."""
            return explorer.measured(asked, "ablation")

        @router.post("/api/attention/file", response_class=Response)
        def file(asked: File) -> Response:
            """One map, or all of them, as `oratory attend --out` writes them."""
            return explorer.file(asked)

        return router


class _Explorer:
    """What the API computes."""

    def __init__(self, lab: Laboratory, seen: Seen) -> None:
        self._lab = lab
        self._seen = seen

    def trained(self, asked: Looked) -> Subject:
        """The model that was asked for, as it is after training."""
        if asked.run == DEFAULT:
            made: Subject = self._seen.get((DEFAULT,), lambda: published(DEFAULT))
            return made
        return subject_of(self._lab.models.run(asked.run))

    def subject(self, asked: Looked) -> Subject:
        """The model that was asked for, as it was then."""
        return self.trained(asked).at_step(asked.step)

    def maps(self, asked: Looked) -> Text:
        trained = self.trained(asked)
        return Text(self._seen, _key(trained, asked, asked.text), trained, asked.step, asked.text)

    def lens(self, asked: Places) -> dict[str, Any]:
        subject, places = self.subject(asked), range(asked.first, asked.first + PLACES)
        found = self._lab.work.do(lambda: lens_of(subject, asked.text, places=places))
        more = subject.config.output == "tokens" and len(subject.encode(asked.text)[0]) > places.stop
        return {**found.to_dict(), "first": asked.first, "more": more}

    def measured(self, asked: Looked, what: Literal["heads", "ablation"]) -> dict[str, Any]:
        """Tables on the test texts; made once for each model."""
        subject = self.subject(asked)
        run = subject.run
        if run is None:
            raise InputError(f"{subject.name} has no corpus of its own; oratory attend --{what} --data takes any.")

        def make() -> list[dict[str, Any]]:
            corpus = self._lab.corpus_of(run)
            if what == "heads":
                return [asdict(table) for table in heads_of(subject, corpus).tables()]
            # Heads are switched off in a model of our own: others compute with the one that is kept.
            own = subject if asked.step not in (None, run.step) else replace(subject, model=run.load_model())
            return [asdict(table) for table in ablate(own, corpus).tables()]

        return {"tables": self._seen.get(_key(subject, asked, what), make)}

    def file(self, asked: File) -> Response:
        subject = self.subject(asked)
        maps = self._lab.work.do(lambda: attend(subject, asked.text, layer=asked.layer, head=asked.head))
        if asked.kind == "svg":
            made = self._lab.draw(lambda: picture(maps, ".svg"))
        else:
            write = table_of if asked.kind == "csv" else maps_page
            made = self._lab.work.do(lambda: write(maps)).encode("utf-8", "replace")
        one = "" if asked.layer is None or asked.head is None else f"-layer-{asked.layer}-head-{asked.head}"
        named = f'attachment; filename="attention-{maps.name}{one}.{asked.kind}"'
        headers = {"content-disposition": named, "content-security-policy": ALONE}
        return Response(made, media_type=FILES[asked.kind], headers=headers)


def _key(subject: Subject, asked: Looked, *more: Any) -> tuple[Any, ...]:
    """What a result depends on: the files of a run may be others when it is trained again."""
    run = subject.run
    if run is None:
        return (asked.run, asked.step, *more)
    step = None if asked.step == run.step else asked.step
    return (run.id, tuple(run.record.files.values()), step, *more)


def _bytes(content: bytes) -> Response:
    return Response(content, media_type="application/octet-stream")
