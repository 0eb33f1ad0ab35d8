"""MLflow: a database beside the runs, or the server that MLFLOW_TRACKING_URI names."""

import logging
import os
import re
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")  # Training waits meanwhile.
os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "20")
os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # A machine without git is no matter to us.

from mlflow.entities import Metric, Param, RunTag
from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient

from oratory.exports.track.figures import MetricsRow, final, labels
from oratory.runs import Run

EXPERIMENT = "oratory"
FILE = "mlflow.db"
MOST = 500
"""Metrics in one call; servers take 1000."""
STATUS = {"finished": "FINISHED", "interrupted": "KILLED", "failed": "FAILED"}


class Book:
    """Writes to one run of MLflow, whose id is in the note."""

    every = 10  # Every figure is a row of a table there, which costs much more than a line of a file.

    def open(self, run: Run, note: dict[str, Any], runs: Path | None) -> dict[str, Any]:
        logging.getLogger("mlflow").setLevel(logging.WARNING)
        folder = (runs or run.folder.parent).resolve()
        address = os.environ.get("MLFLOW_TRACKING_URI")
        where = address or f"sqlite:///{folder / FILE}"
        self.client = MlflowClient(tracking_uri=where)
        self.place = f"mlflow ui --backend-store-uri {where}"
        if note.get("id") and note.get("address") == address and self._goes_on(note["id"]):
            self.id = str(note["id"])
            return note
        self.id = self._new(run, None if address else folder)
        return {"rows": 0, "id": self.id, "address": address}

    def _goes_on(self, name: str) -> bool:
        try:
            if self.client.get_run(name).info.lifecycle_stage != "active":
                return False
        except MlflowException as error:
            if error.error_code == "RESOURCE_DOES_NOT_EXIST":
                return False
            raise
        self.client.update_run(name, status="RUNNING")
        return True

    def _new(self, run: Run, folder: Path | None) -> str:
        experiment = self.client.get_experiment_by_name(EXPERIMENT)
        if experiment is None:
            place = (folder / "mlflow").as_uri() if folder else None
            number = self.client.create_experiment(EXPERIMENT, artifact_location=place)
        else:
            number = experiment.experiment_id
        made: str = self.client.create_run(number, run_name=run.id).info.run_id
        params = [Param(name, str(value)) for name, value in run.settings.items()]
        tags = [RunTag(f"oratory.{name}", value) for name, value in labels(run).items()]
        self.client.log_batch(made, params=params, tags=tags)
        return made

    def write(self, rows: list[MetricsRow]) -> None:
        now = int(time.time() * 1000)
        self._log(
            [
                Metric(_allowed(name), float(value), now, row["step"])
                for row in rows
                for name, value in row.items()
                if name != "step"
            ]
        )

    def _log(self, metrics: list[Metric]) -> None:
        for start in range(0, len(metrics), MOST):
            self.client.log_batch(self.id, metrics=metrics[start : start + MOST])

    def close(self, run: Run, how: str) -> None:
        if how == "finished":
            now = int(time.time() * 1000)
            figures = final(run).items()
            self._log([Metric(_allowed(name), value, now, run.step) for name, value in figures])
        self.client.set_terminated(self.id, STATUS[how])


def _allowed(name: str) -> str:
    """Names may hold letters, digits and a few signs only."""
    return re.sub(r"[^\w\-. :/]", "_", name, flags=re.ASCII)
