"""Keeping the record of a run in progress: metrics, checkpoints, and in the end the result."""

import json
import math
import os
import shutil
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.torch import save
from torch import Tensor

from oratory.errors import InputError
from oratory.files import digest_of, write_bytes
from oratory.model.contract import ModelContract, check_trained
from oratory.runs.checkpoint import Checkpoint, latest_checkpoint, write_checkpoint
from oratory.runs.lines import Lines, read_lines, written_line
from oratory.runs.record import CHECKPOINTS, ITEMS, METRICS, MODEL, TIMES, TOKENIZER
from oratory.runs.run import Run, snapshot_name
from oratory.training.events import Measured, Stepped
from oratory.training.loop import Diverged, Fit
from oratory.training.tasks.task import Scores


class Recorder:
    """Writes the record of one run, and continues one that was stopped."""

    def __init__(self, run: Run, kept: Iterable[str] = ()) -> None:
        self.run = run
        self.kept = (TOKENIZER, *kept)
        """Files that were written before training."""
        self.checkpoints = run.folder / CHECKPOINTS
        self.checkpoint: Checkpoint | None
        before = {name: read_lines(run.folder / name) for name in (METRICS, TIMES)}
        self.checkpoint, self.refused = latest_checkpoint(self.checkpoints, partial(_check_lines, run.folder, before))
        self.remarks = tuple(
            f"{run.folder / name}, line {lines.damaged} is damaged; what is from there on is written again."
            for name, lines in before.items()
            if lines.damaged is not None
        )
        facts = self.checkpoint.facts if self.checkpoint else {}
        self.before = float(facts.get("seconds", 0.0))
        """Seconds of training before this process."""
        self.began = time.monotonic()
        self.measured_at = float(facts.get("measured_at", 0.0))
        self.saved = time.monotonic()
        # Lines after the checkpoint will be written again, by the same steps with the same figures.
        self.metrics = _Lines(run.folder / METRICS, int(facts.get("metrics", 0)))
        self.times = _Lines(run.folder / TIMES, int(facts.get("times", 0)))

    @property
    def seconds(self) -> float:
        """Seconds of training so far, over all processes that took part one after the other."""
        return self.before + time.monotonic() - self.began

    def note(self, event: Stepped | Measured) -> None:
        """Write down what happened."""
        if isinstance(event, Stepped):
            norm = event.norm if math.isfinite(event.norm) else None  # With float16, of an update that was left out.
            self.metrics.add({"step": event.step, "loss": event.loss, "norm": norm, "lr": event.lr})
            return
        self.metrics.add({"step": event.step, "epoch": event.epoch, "train_loss": event.loss, **event.scores.row()})
        self.times.add({"step": event.step, "seconds": self.seconds - self.measured_at})
        self.measured_at = self.seconds
        self.metrics.flush()
        self.times.flush()

    def due(self, every: float) -> bool:
        """Whether it is time for a checkpoint."""
        return time.monotonic() - self.saved >= every

    def save(self, fit: Fit) -> None:
        """Write a checkpoint of this moment."""
        tensors, facts = fit.state()
        facts |= {"seconds": self.seconds, "measured_at": self.measured_at}
        facts |= {"metrics": self.metrics.keep(), "times": self.times.keep()}
        try:
            write_checkpoint(self.checkpoints, fit.step, separate(tensors), facts, self.refused)
        except InputError as error:
            raise InputError(
                f"{error} What was saved before is whole: put this right, and the same command continues from there."
            ) from None
        self.refused = {}
        self.saved = time.monotonic()

    def snapshot(self, fit: Fit) -> None:
        """Keep the weights of this step beside those of the end. A run that comes here again writes the same."""
        write_bytes(self.run.folder / snapshot_name(fit.step), save(separate(fit.model.state_dict())))

    def finish(self, fit: Fit) -> Run:
        """Write the result; the record says `finished` only when all the rest is there."""
        assert fit.scores is not None
        self.metrics.keep()
        self.times.keep()
        write_bytes(self.run.folder / MODEL, save(separate(fit.model.state_dict())))
        _write_items(self.run.folder / ITEMS, fit.scores)
        # Those of a run that was told to keep them when it was continued are fewer.
        wanted = map(snapshot_name, sorted(snapshot_steps(fit.steps, fit.config.snapshots)))
        shown = [name for name in wanted if (self.run.folder / name).exists()]
        names = (MODEL, ITEMS, METRICS, TIMES, *self.kept, *shown)
        run = self.run.write(
            status="finished",
            finished=now(),
            seconds=self.seconds,
            step=fit.step,
            result=fit.scores.to_dict(),
            contract=_of_trained(self.run.record.contract, fit),
            files={name: digest_of(self.run.folder / name) for name in names},
        )
        shutil.rmtree(self.checkpoints, ignore_errors=True)
        return run

    def stop(self, fit: Fit) -> Run:
        """Write down that the run was asked to stop."""
        self.save(fit)
        return self.run.write(status="interrupted", seconds=self.seconds, step=fit.step)

    def diverged(self, fit: Fit, error: Diverged) -> Run:
        """Keep the last good state, and the batch that the run broke on."""
        batch = fit.learning.items.batch(error.items)
        kept = {"step": error.step, "items": error.items.tolist(), "ids": batch.ids.tolist()}
        write_bytes(self.run.folder / "diverged.json", json.dumps(kept).encode())
        if all(bool(value.isfinite().all()) for value in fit.model.state_dict().values()):
            self.save(fit)  # Else the last good state is that of the checkpoint before.
        return self.run.write(status="diverged", seconds=self.seconds, step=fit.step, message=str(error))

    def close(self) -> None:
        """Close the files."""
        self.metrics.close()
        self.times.close()


def snapshot_steps(steps: int, count: int) -> frozenset[int]:
    """The steps after which weights are kept: evenly between the beginning and the end, which are there anyway."""
    return frozenset(round(number * steps / (count + 1)) for number in range(1, count + 1)) - {0, steps}


class _Lines:
    """A file of JSON lines that is cut back to what a checkpoint knows of, and added to from there."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        try:
            path.touch()
            os.truncate(path, size)
            self.file: IO[bytes] = path.open("ab")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}.") from None

    def add(self, entry: dict[str, Any]) -> None:
        self._do(lambda: self.file.write(written_line(entry)))

    def flush(self) -> None:
        self._do(self.file.flush)

    def keep(self) -> int:
        """Make sure that all lines are on the disk; how many bytes they are."""
        self._do(self.file.flush)
        self._do(lambda: os.fsync(self.file.fileno()))
        return self.path.stat().st_size

    def close(self) -> None:
        with suppress(OSError):  # A full disk was reported when the file was written to.
            self.file.close()

    def _do(self, action: Any) -> None:
        try:
            action()
        except OSError as error:
            raise InputError(
                f"{self.path} cannot be written: {error.strerror}. What was saved before is whole: put this right, and "
                "the same command continues from there."
            ) from None


def _check_lines(folder: Path, found: Mapping[str, Lines], checkpoint: Checkpoint) -> None:
    """Refuse a checkpoint that is from after a damaged line, which only training can write again."""
    for name, lines in found.items():
        if int(checkpoint.facts.get(Path(name).stem, 0)) > lines.size:
            where = f"line {lines.damaged} is damaged" if lines.damaged else "lines are missing"
            raise InputError(f"{checkpoint.path.name} is from after what is whole of {folder / name}: {where}.")


def _of_trained(contract: Mapping[str, Any] | None, fit: Fit) -> dict[str, Any] | None:
    """What the contract finds of the trained model; None for a model that is not made of mechanisms."""
    return None if contract is None else check_trained(ModelContract.of_values(contract), fit.model).to_dict()


def _write_items(path: Path, scores: Scores) -> None:
    """Write the results item by item, as Parquet."""
    sink = pa.BufferOutputStream()
    pq.write_table(scores.items(), sink, compression="zstd")
    write_bytes(path, sink.getvalue().to_pybytes())


def separate(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Tensors that share no memory, as the file format wants them; tied weights do."""
    return {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}


def now() -> str:
    """The time, for a record."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
