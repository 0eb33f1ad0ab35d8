"""Weights & Biases: offline in the run's own folder, unless WANDB_MODE says otherwise."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

os.environ.setdefault("WANDB_ERROR_REPORTING", "false")  # It would report its own errors to its makers.

import wandb

from oratory.exports.track.figures import MetricsRow, final, labels
from oratory.runs import Run

PROJECT = "oratory"
OPEN: dict[str, Any] = {}
"""Runs of this process that were not closed, by id; one that continues must be closed before."""


class Book:
    """Writes `wandb/` in the folder of a run; to send it to a server: wandb sync."""

    every = 1

    def open(self, run: Run, note: dict[str, Any], runs: Path | None) -> dict[str, Any]:
        rows = self._kept(run, note)
        about = labels(run)
        self.own: Any = wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT),
            id=run.id,
            name=run.id,
            dir=run.folder,
            resume="allow",
            group=run.record.group[:10],
            job_type=run.task.name,
            tags=[f"{name}:{value}"[:64] for name, value in about.items() if name != "run"],
            config={**run.settings, **about},
            settings=wandb.Settings(
                mode=os.environ.get("WANDB_MODE", "offline"),  # type: ignore[arg-type]
                init_timeout=60,
                reinit="create_new",  # A run that the caller has open stays open.
                silent=True,
                console="off",
                disable_git=True,
                disable_code=True,
                x_disable_stats=True,
                x_disable_machine_info=True,
                x_save_requirements=False,
            ),
        )
        OPEN[run.id] = self.own
        sent = None if self.own.offline else self.own.url  # Asked for offline, it warns.
        self.place = str(sent or f"{run.folder / 'wandb'} (not sent anywhere; wandb sync sends it)")
        # Its own steps take one row each, and none from before. Ours are a column, and the axis of the others.
        self.own.define_metric("step", hidden=True)
        self.own.define_metric("*", step_metric="step")
        if self.own.resumed:  # A server says how many rows it has.
            rows = min(rows, self.own.starting_step)
        here = Path(self.own.settings.sync_dir).name if self.own.offline else None
        self.note = {"rows": rows, "from": rows, "open": here}
        return self.note

    def _kept(self, run: Run, note: dict[str, Any]) -> int:
        """How many rows there are, after the last process. It writes with delay: of one that was killed, rows are lost.

        What such a process left is removed, to be written again.
        """
        if run.id in OPEN:
            OPEN.pop(run.id).finish(exit_code=1)
        elif note.get("open"):
            _remove(run.folder / "wandb" / Path(note["open"]).name)
            return int(note["from"])
        return int(note["rows"])

    def write(self, rows: list[MetricsRow]) -> None:
        for row in rows:
            self.own.log(row)

    def close(self, run: Run, how: str) -> None:
        if how == "finished":
            self.own.summary.update(final(run))
        OPEN.pop(run.id, None)
        self.own.finish(exit_code=0 if how == "finished" else 1)
        self.note["open"] = None


def _remove(folder: Path) -> None:
    """Remove a folder that a helper of the killed process may still write to; under another name it adds nothing."""
    away = folder.with_name(f".{folder.name}")
    with suppress(OSError):
        folder.rename(away)
    shutil.rmtree(away, ignore_errors=True)
