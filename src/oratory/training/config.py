"""How a model is trained: frozen, complete, and the same in Python, JSON and on the command line (`train.lr=3e-4`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_type_hints

from oratory.errors import InputError, unknown
from oratory.settings import choose, convert, written
from oratory.training.optimizers import OPTIMIZERS, Adam, Rule
from oratory.training.schedules import SCHEDULES, Constant, Schedule

PREFIX = "train."
"""What stands before these settings wherever they stand beside those of the model."""

KEEP = ("last", "best")
ITEMS = ("windows", "lines")
PRECISIONS = ("auto", "float32", "bfloat16", "float16")
BASE: dict[str, dict[str, Any]] = {"classifier": {"epochs": 15}, "lm": {"iterations": 500, "eval_every": 100}}
"""What differs between the tasks at the base settings."""

CHOICES: dict[str, dict[str, type]] = {"optimizer": OPTIMIZERS, "schedule": SCHEDULES}
WORDS = {"keep": KEEP, "items": ITEMS, "precision": PRECISIONS}


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Everything that decides how a model is trained. The defaults are the base settings."""

    lr: float = 1e-3
    """The learning rate."""
    batch: int = 16
    """Items of an update."""
    epochs: int | None = None
    """How often every item is used; or say iterations."""
    iterations: int | None = None
    """Updates; or say epochs."""
    eval_every: int | None = None
    """Updates from one evaluation to the next; none for an evaluation behind every epoch."""
    eval_train: bool = True
    """Whether train is measured at every evaluation, or only at the last one."""
    stride: int | None = None
    """Tokens from one window to the next when perplexity is measured; half of the context unless given."""
    optimizer: Rule = field(default_factory=Adam)
    schedule: Schedule = field(default_factory=Constant)
    weight_decay: float = 0.0
    """Of matrices; norms and biases do not decay."""
    clip: float | None = None
    """The largest norm of the gradient."""
    accumulate: int = 1
    """Parts in which a batch is computed, to need less memory; the result is the same."""
    smoothing: float = 0.0
    """Label smoothing: the share of the target that is spread over all classes."""
    word_dropout: float = 0.0
    """The share of input tokens that training replaces by the unknown token."""
    bucketing: bool = False
    """Whether items of like length share a batch."""
    items: str = "windows"
    """What a language model learns from: windows of one stream, or single lines."""
    truncate: int | None = None
    """Tokens of a line that are used, where items are lines; the context unless given."""
    patience: int | None = None
    """Evaluations without a gain on dev before training stops."""
    keep: str = "last"
    """The weights that are kept: the last ones, or the best ones on dev."""
    precision: str = "auto"
    """Numbers: float32, or mixed with bfloat16 or float16; auto is mixed on a GPU."""
    device: str = "auto"
    """cpu, cuda, mps; auto takes the best there is."""
    threads: int | None = None
    """Threads of the processor; the framework decides unless given."""
    save_every: float = 20.0
    """Seconds from one checkpoint to the next; decides nothing about the result."""

    def __post_init__(self) -> None:
        for name, known in WORDS.items():
            if getattr(self, name) not in known:
                raise unknown(f"{PREFIX}{name}", getattr(self, name), known)
        for name in ("batch", "epochs", "iterations", "eval_every", "stride", "accumulate", "patience", "threads"):
            self._at_least(name, 1)
        self._at_least("truncate", 2)
        for name in ("lr", "clip"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise InputError(f"{PREFIX}{name}={value}: it must be above 0.")
        for name in ("weight_decay", "save_every"):
            self._at_least(name, 0)
        for name in ("smoothing", "word_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"{PREFIX}{name}={getattr(self, name)}: it must be at least 0 and below 1.")
        self._check_together()

    def _at_least(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if value is not None and not value >= least:
            raise InputError(f"{PREFIX}{name}={value}: it must be at least {least}.")

    def _check_together(self) -> None:
        if (self.epochs is None) == (self.iterations is None):
            given = "neither" if self.epochs is None else "both"
            raise InputError(f"Of train.epochs and train.iterations one must be given, not {given}.")
        if self.iterations is not None and self.eval_every is not None and self.eval_every > self.iterations:
            raise InputError(
                f"train.eval_every={self.eval_every} is more than train.iterations={self.iterations}: nothing would be "
                "measured on the way."
            )
        if self.iterations is not None and self.schedule.rising(self.iterations) >= self.iterations:
            raise InputError(
                f"The warm-up of {self.schedule.warmup:g} steps does not end within train.iterations={self.iterations}."
            )
        if self.accumulate > self.batch:
            raise InputError(
                f"train.accumulate={self.accumulate} parts cannot be made of train.batch={self.batch} items."
            )
        if self.truncate is not None and self.items != "lines":
            raise InputError("train.truncate is for single lines; say train.items=lines too.")

    @property
    def needs_dev(self) -> bool:
        """Whether something is chosen on dev."""
        return self.patience is not None or self.keep == "best"

    def check_task(self, task: str, context: int) -> None:
        """Refuse what makes no sense with the task and the model."""
        if task != "lm":
            for name in ("items", "stride", "truncate"):
                if getattr(self, name) != getattr(_PLAIN, name):
                    raise InputError(f"{PREFIX}{name} is for language models; the task is {task}.")
        if self.bucketing and task == "lm" and self.items == "windows":
            raise InputError("train.bucketing=on has no use: all windows are of one length.")
        for name in ("stride", "truncate"):
            value = getattr(self, name)
            if value is not None and value > context:
                raise InputError(f"{PREFIX}{name}={value} is more than context={context}.")

    def to_dict(self) -> dict[str, Any]:
        """Plain values; choices as they are written on the command line."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        for name, choices in CHOICES.items():
            called = next(key for key, cls in choices.items() if cls is type(values[name]))
            values[name] = written(values[name], called)
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "TrainConfig":
        """The configuration that `to_dict` described. Values may also be text, as on the command line."""
        hints = get_type_hints(cls)
        made: dict[str, Any] = {}
        for name, value in values.items():
            if name not in hints:
                raise unknown("setting", f"{PREFIX}{name}", [f"{PREFIX}{known}" for known in hints])
            if isinstance(value, str):
                called = f"{PREFIX}{name}"
                choices = CHOICES.get(name)
                value = choose(value, choices, called) if choices else convert(value, hints[name], called)
            made[name] = value
        return cls(**made)


_PLAIN = TrainConfig(epochs=1)


def base_training(task: str, **changes: Any) -> TrainConfig:
    """The base settings of a task, with some changed; changes may be text, as on the command line."""
    start = dict(BASE[task])
    for one, other in (("epochs", "iterations"), ("iterations", "epochs")):
        if one in changes and other not in changes:
            start.pop(other, None)
    if "iterations" not in start and "iterations" not in changes:
        start.pop("eval_every", None)
    iterations = changes.get("iterations")
    if iterations is not None and "eval_every" not in changes and "eval_every" in start:
        # Fewer updates than one interval of the base settings: measured at the end of them.
        start["eval_every"] = min(start["eval_every"], max(1, convert(str(iterations), int, "train.iterations")))
    return TrainConfig.from_dict(start | changes)
