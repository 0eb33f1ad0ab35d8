"""TensorBoard: event files in the run's own folder."""

import json
import time
from pathlib import Path
from typing import Any

from torch.utils.tensorboard.summary import hparams
from torch.utils.tensorboard.writer import SummaryWriter

from oratory.exports.track.figures import MetricsRow, final, labels
from oratory.runs import Run

FOLDER = "tensorboard"


class Book:
    """Writes `tensorboard/` in the folder of a run."""

    every = 1

    def __init__(self) -> None:
        self.step = -1

    def open(self, run: Run, note: dict[str, Any], runs: Path | None) -> dict[str, Any]:
        folder = run.folder / FOLDER
        self.place = f"tensorboard --logdir {folder.parent.parent}"
        there = note["rows"] > 0 and any(folder.glob("events.out.tfevents.*"))
        rows, self.step = (note["rows"], int(note.get("step", -1))) if there else (0, -1)
        _wait_for_a_later_name(folder)
        # What an earlier process wrote beyond its note is hidden by this, and written again.
        self.writer: Any = SummaryWriter(str(folder), purge_step=self.step + 1)
        if not there:
            about = {**labels(run), "settings": run.settings}
            self.writer.add_text("run", f"```\n{json.dumps(about, indent=1)}\n```", 0)
        self.note = {"rows": rows, "step": self.step}
        return self.note

    def write(self, rows: list[MetricsRow]) -> None:
        for row in rows:
            self.step = row["step"]
            for name, value in row.items():
                if name != "step":
                    self.writer.add_scalar(name, value, self.step)
        self.writer.flush()
        self.note["step"] = self.step

    def close(self, run: Run, how: str) -> None:
        if how == "finished":
            figures = final(run)
            for name, value in figures.items():
                self.writer.add_scalar(name, value, run.step)
            given = {name: value for name, value in run.settings.items() if isinstance(value, bool | int | float | str)}
            for summary in hparams({**given, "seed": run.seed}, figures):  # type: ignore[no-untyped-call]
                self.writer.file_writer.add_summary(summary)
        self.writer.close()


def _wait_for_a_later_name(folder: Path) -> None:
    """Files are read in the order of their names, which begin with the second; an earlier process must come first."""
    names = [path.name.split(".") for path in folder.glob("events.out.tfevents.*")]
    newest = max((int(parts[3]) for parts in names if parts[3].isdecimal()), default=0)
    while newest <= time.time() < newest + 1:
        time.sleep(0.05)
