"""A corpus: its splits, its audit, the texts that leak with their twins, and the baselines."""

import shlex
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from oratory.comparisons.standing import BASELINES
from oratory.tables import Table
from oratory.text import Audit, audit, describe
from oratory.text.load import DEFAULT
from oratory.text.twins import Twins, held_out, twins_of
from oratory.training.baselines import Baselines, measure_baselines
from oratory.web.corpora import corpora
from oratory.web.kept import Kept
from oratory.web.laboratory import Laboratory
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
            with lab.work.turn():
                corpus = lab.corpus(data)
                found = describe(corpus)
            shown = {"held_out": held_out(corpus), "tables": _tables(found.tables()), "commands": _commands(data)}
            return {**found.to_dict(), **shown}

        @router.get("/api/data/audit")
        def audited(data: Data = DEFAULT) -> dict[str, Any]:
            """Leakage, duplicates and conflicts of a corpus: what `oratory audit` says."""
            with lab.work.turn():
                corpus = lab.corpus(data)
                found = audits.get(corpus.fingerprint, lambda: audit(corpus))
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
            with lab.work.turn():
                corpus = lab.corpus(data)
                found = twins.get((corpus.fingerprint, held), lambda: twins_of(corpus, held))
            wanted = find.casefold()
            chosen = [each for each in found.found if wanted in each.text.casefold() and not (near and each.exact)]
            some = [each.to_dict() for each in chosen[first : first + SHOWN]]
            return {"items": found.items, "exact": found.exact, "matching": len(chosen), "first": first, "twins": some}

        @router.get("/api/data/baselines")
        def measured(data: Data = DEFAULT) -> dict[str, Any]:
            """What the baselines score on a corpus: what `oratory baselines` says. They are measured once, and kept."""
            with lab.work.turn():
                corpus = lab.corpus(data)
                found = baselines.get(corpus.fingerprint, lambda: measure_baselines(corpus, keep=lab.runs / BASELINES))
            return {**found.to_dict(), "tables": _tables(found.tables())}

        return router


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
