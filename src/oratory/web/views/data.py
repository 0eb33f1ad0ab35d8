"""A corpus: its splits, its audit, the texts that leak with their twins, and the baselines."""

import shlex
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from oratory import api
from oratory.comparisons.scales.record import ScaleRecord
from oratory.comparisons.standing import BASELINES
from oratory.errors import unknown
from oratory.reports.document import Section, document_of
from oratory.tables import Table
from oratory.text import Audit, audit, describe
from oratory.text.load import DEFAULT
from oratory.text.recorded import RecordedCorpus
from oratory.text.twins import Twins, held_out, twins_of
from oratory.training.baselines import Baselines, measure_baselines
from oratory.web.corpora import corpora
from oratory.web.kept import Kept
from oratory.web.kinds import Id
from oratory.web.laboratory import Laboratory
from oratory.web.pictures import as_image
from oratory.web.view import View

CORPORA = 8
"""Corpora whose audits, twins and baselines stay in memory."""
SHOWN = 50
"""Leaked texts of one answer."""

Data = Annotated[str, Query(max_length=1000, description="A corpus of the list at /api/data.")]


class DataView(View):
    title = "Data"
    about = "What is in a corpus, what test shares with train, and what simple models score on it."
    place = 70

    def router(self, lab: Laboratory) -> APIRouter:
        router = APIRouter()
        audits: Kept[Audit] = Kept(CORPORA)
        twins: Kept[Twins] = Kept(CORPORA)
        baselines: Kept[Baselines] = Kept(CORPORA)

        @router.get("/data", include_in_schema=False)
        def page(request: Request) -> HTMLResponse:
            return lab.page(request, "data.html", view=self, known=corpora(lab.store), same_as="oratory audit sotu")

        @router.get("/api/data")
        def known() -> list[dict[str, str]]:
            """The corpora that can be looked at."""
            return [{"data": data, "about": about} for data, about in corpora(lab.store).items()]

        @router.get("/api/data/show")
        def show(data: Data = DEFAULT) -> dict[str, Any]:
            """Splits, labels, sizes and examples of a corpus: what `oratory data show` says."""
            corpus = lab.corpus(data)
            found = lab.work.do(lambda: describe(corpus))
            shown = {"held_out": held_out(corpus), "tables": _tables(found.tables()), "commands": _commands(data)}
            return {**found.to_dict(), **shown}

        @router.get("/api/data/audit")
        def audited(data: Data = DEFAULT) -> dict[str, Any]:
            """Leakage, duplicates and conflicts of a corpus: what `oratory audit` says."""
            corpus = lab.corpus(data)
            found = lab.work.do(lambda: audits.get(corpus.fingerprint, lambda: audit(corpus)))
            return {**found.to_dict(), "sentences": found.sentences(), "tables": _tables(found.tables())}

        @router.get("/api/data/twins")
        def leaked(
            data: Data = DEFAULT,
            held: Annotated[str, Query(max_length=200, description="Such as test, dev, or text NAME.")] = "test",
            first: Annotated[int, Query(ge=0, le=10**9)] = 0,
            find: Annotated[str, Query(max_length=200, description="Only texts that have this in them.")] = "",
            near: Annotated[bool, Query(description="Only those that are almost the same.")] = False,
        ) -> dict[str, Any]:
            """The held-out texts that train has, or almost has, each with its twin."""
            corpus = lab.corpus(data)
            found = lab.work.do(lambda: twins.get((corpus.fingerprint, held), lambda: twins_of(corpus, held)))
            wanted = find.casefold()
            chosen = [each for each in found.found if wanted in each.text.casefold() and not (near and each.exact)]
            some = [each.to_dict() for each in chosen[first : first + SHOWN]]
            return {"items": found.items, "exact": found.exact, "matching": len(chosen), "first": first, "twins": some}

        @router.get("/api/data/baselines")
        def measured(data: Data = DEFAULT) -> dict[str, Any]:
            """What the baselines score on a corpus: what `oratory baselines` says. They are measured once, and kept."""
            corpus = lab.corpus(data)
            measure = lambda: measure_baselines(corpus, keep=lab.runs / BASELINES)  # noqa: E731
            found = lab.work.do(lambda: baselines.get(corpus.fingerprint, measure))
            return {**found.to_dict(), "tables": _tables(found.tables())}

        @router.get("/api/data/scales")
        def scales(data: Data = DEFAULT) -> dict[str, Any]:
            """The studies of scale on a corpus: who wins at which size. They are made by `oratory scale`."""
            corpus = lab.corpus(data)
            made = [
                name for name in ScaleRecord.names(lab.store) if _scale(lab, name).fingerprint == corpus.fingerprint
            ]
            command = lab.command("scale", "base", "--data", data)
            return {"command": command, "scales": [_described(lab, name) for name in made]}

        @router.get("/api/data/scales/{name}.svg", include_in_schema=False)
        def plot(name: Id, dark: bool = False) -> Response:
            [figure] = _curves(lab, name).figures
            return Response(as_image(figure, dark), media_type="image/svg+xml")

        return router


def _scale(lab: Laboratory, name: str) -> RecordedCorpus:
    known = ScaleRecord.names(lab.store)
    if name not in known:
        raise unknown("study of scale", name, known)
    return ScaleRecord.read(name, lab.store).corpus


def _curves(lab: Laboratory, name: str) -> Section:
    """The part of a study's report that has the plot."""
    _scale(lab, name)
    document = lab.document((name,), lambda: document_of(api.load_result(name, lab.runs)))
    return next(section for section in document.sections if section.figures)


def _described(lab: Laboratory, name: str) -> dict[str, Any]:
    section = _curves(lab, name)
    [figure] = section.figures
    return {
        "id": name,
        "sentences": list(section.sentences),
        "caption": figure.caption,
        "tables": _tables(list(section.tables)),
        "command": lab.command("report", name),
    }


def _tables(tables: list[Table]) -> list[dict[str, Any]]:
    """Tables as `table` of common.js takes them."""
    return [
        {"title": each.title, "columns": each.columns, "rows": each.rows, "words": each.words, "note": each.note}
        for each in tables
    ]


def _commands(data: str) -> dict[str, str]:
    """The commands that say the same, by the part of the page."""
    asked = {"show": ["data", "show"], "audit": ["audit"], "baselines": ["baselines"]}
    return {part: shlex.join(["oratory", *words, data]) for part, words in asked.items()}
