"""One job: a command that the page runs, what became of it, and the runs that it trains."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oratory.errors import InputError
from oratory.ids import is_id
from oratory.records import read_record, typed

FORMAT = 1
WAITING, RUNNING, STOPPING = "waiting", "running", "stopping"
DONE, FAILED, STOPPED, INTERRUPTED = "done", "failed", "stopped", "interrupted"
UNDER_WAY = (WAITING, RUNNING, STOPPING)
COMMANDS = ("compare", "finetune", "train")
OPTIONS = ("--data", "--metric", "--model", "--resume", "--seed", "--seeds", "--set", "--task")
"""What the page starts. A job that was written down with anything else, such as a plugin, is none of the page's."""
_NAMED = re.compile(r"(?P<run>[a-z]+-[0-9a-f]{10}) (?:begins|continues|is finished already)")
_COUNTED = re.compile(r"(?P<done>\d+)/(?P<total>\d+) .*: (?:failed|done|had)\b.*?(?:\((?P<run>[a-z]+-[0-9a-f]{10})\))?")
"""What `oratory train` and `oratory compare` say while they are at work, where there is no terminal."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A command and its state, as it is written down."""

    format: int = FORMAT
    id: str
    title: str
    words: tuple[str, ...]
    """The words after `oratory`, without the folder of the runs."""
    created: str
    slots: int = 1
    """How many processors it keeps busy."""
    state: str = WAITING
    message: str = ""
    """What it said last: why it failed, or how to continue it."""
    runs: tuple[str, ...] = ()
    """The runs that it has told of: the one that it trains, or those of a comparison that are there."""
    done: int = 0
    total: int = 1
    """Runs that it is to train."""

    def heard(self, line: str) -> "Job":
        """The job once it has said a line."""
        counted = _COUNTED.fullmatch(line)
        named = _NAMED.match(line)
        run = counted["run"] if counted else named["run"] if named else None
        runs = self.runs if run is None or run in self.runs else (*self.runs, run)
        if counted:
            return replace(self, runs=runs, done=int(counted["done"]), total=int(counted["total"]))
        return replace(self, runs=runs)

    @property
    def under_way(self) -> bool:
        """Whether it waits, or is at work."""
        return self.state in UNDER_WAY

    @property
    def can_continue(self) -> bool:
        """Whether the same command would go on where this one stopped."""
        return self.state in (FAILED, STOPPED, INTERRUPTED)


def read_jobs(folder: Path) -> list[Job]:
    """The jobs of a folder, the oldest first; a file that is damaged is left out."""
    found = []
    for path in folder.glob("*.json"):
        try:
            job = typed(Job, read_record(path), path)
        except InputError:
            continue
        if is_id(path.stem) and job.id == path.stem and _is_ours(job.words):
            found.append(job)
    return sorted(found, key=lambda job: (job.created, job.id))


def _is_ours(words: Sequence[str]) -> bool:
    options = [word for word in words if word.startswith("-")]
    return bool(words) and words[0] in COMMANDS and all(option in OPTIONS for option in options)


def outcome(code: int, lines: Sequence[str]) -> tuple[str, str]:
    """The state of a command that ended with a code, and the sentence that it said about that."""
    said = next((line for line in reversed(lines) if line.startswith("oratory: ")), "")
    message = said.removeprefix("oratory: ")
    if code == 0:
        return DONE, ""
    if code in (130, -2):
        return STOPPED, message
    return FAILED, message or f"It ended with code {code}."
