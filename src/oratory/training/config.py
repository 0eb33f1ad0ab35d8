"""How a model is trained: frozen, complete, and the same in Python, JSON and on the command line (`train.lr=3e-4`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, TypeVar, get_type_hints

from oratory.errors import InputError, unknown
from oratory.settings import choose, convert, joined, written
from oratory.training.averages import AVERAGES, Average, NoAverage
from oratory.training.noises import NOISES, Noise, NoNoise
from oratory.training.optimizers import OPTIMIZERS, Adam, Rule
from oratory.training.schedules import SCHEDULES, Constant, Schedule
from oratory.training.setting import Setting, settings_in

PREFIX = "train."
"""The beginning of these settings wherever they are written beside those of a model."""

EVAL_TRAIN = f"{PREFIX}eval_train"
KEEP = ("last", "best")
PRECISIONS = ("auto", "float32", "bfloat16", "float16")
CHOICES: dict[str, dict[str, type]] = {
    "optimizer": OPTIMIZERS,
    "schedule": SCHEDULES,
    "average": AVERAGES,
    "noise": NOISES,
}
DEVICES = ("auto", "cpu", "cuda", "mps")
"""Usual devices; the framework may know others."""


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Everything that decides how a model is trained. The defaults are the base settings.

    A task with settings of its own has a subclass of this in its folder.
    """

    words: ClassVar[Mapping[str, Sequence[str]]] = {"keep": KEEP, "precision": PRECISIONS}
    """What the settings that are words can be."""

    lr: float = 1e-3
    """The learning rate."""
    batch: int = 16
    """Items in an update."""
    epochs: int | None = None
    """How often every item is used; give this or iterations."""
    iterations: int | None = None
    """How many updates are made; give this or epochs."""
    eval_every: int | None = None
    """Updates from one evaluation to the next; none for an evaluation after every epoch."""
    eval_train: bool = True
    """Whether train is measured at every evaluation, or only at the last one."""
    optimizer: Rule = field(default_factory=Adam)
    """How gradients become updates."""
    schedule: Schedule = field(default_factory=Constant)
    """How the learning rate changes along training."""
    weight_decay: float = 0.0
    """Weight decay of matrices; norms and biases do not decay."""
    clip: float | None = None
    """The largest norm of the gradient; a longer one is scaled down; none for no limit."""
    accumulate: int = 1
    """Parts in which a batch is computed, to need less memory; the update is the same."""
    smoothing: float = 0.0
    """Label smoothing: the share of the target that is spread over all classes."""
    word_dropout: float = 0.0
    """The share of input tokens that training replaces by the unknown token."""
    noise: Noise = field(default_factory=NoNoise)
    """Which tokens training replaces by others."""
    average: Average = field(default_factory=NoAverage)
    """Which average of the weights along training is measured and kept; none for those of the last update."""
    teachers: tuple[str, ...] | None = None
    """Runs whose mean probabilities are learned in place of labels, or of the tokens that follow; none for no run."""
    bucketing: bool = False
    """Whether items of similar length share a batch."""
    patience: int | None = None
    """Evaluations without an improvement on dev after which training stops; none to train to the end."""
    keep: str = "last"
    """Which weights are kept: last, or best, the best ones on dev."""
    precision: str = "auto"
    """Type of numbers: float32, or mixed with bfloat16 or float16; auto is mixed on a GPU and float32 elsewhere."""
    device: str = "auto"
    """Where to compute: cpu, cuda or mps; auto takes the fastest that is there."""
    threads: int | None = None
    """Threads of the processor; none lets the framework decide."""
    save_every: float = 20.0
    """Seconds from one checkpoint to the next; does not change the result."""
    snapshots: int = 0
    """How many times the weights are kept on the way, evenly, to look at them later; does not change the result."""

    def __post_init__(self) -> None:
        for name, known in self.words.items():
            if getattr(self, name) not in known:
                raise unknown(f"{PREFIX}{name}", getattr(self, name), known)
        for name in ("batch", "epochs", "iterations", "eval_every", "accumulate", "patience", "threads"):
            self._at_least(name, 1)
        for name in ("lr", "clip"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise InputError(f"{PREFIX}{name}={value}: it must be above 0.")
        for name in ("weight_decay", "save_every", "snapshots"):
            self._at_least(name, 0)
        for name in ("smoothing", "word_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"{PREFIX}{name}={getattr(self, name)}: it must be at least 0 and below 1.")
        if self.teachers and self.smoothing:
            raise InputError("train.smoothing has no use where train.teachers say what is learned.")
        if self.optimizer.averages and not isinstance(self.average, NoAverage):
            raise InputError("This train.optimizer keeps an average itself; take train.average=none with it.")
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

    def check_context(self, context: int) -> None:
        """Refuse what makes no sense for a model that sees this many tokens at once."""

    @property
    def needs_dev(self) -> bool:
        """Whether something is chosen on dev."""
        return chooses_on_dev(vars(self))

    def to_dict(self) -> dict[str, Any]:
        """Plain values; choices as they are written on the command line."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        for name, choices in CHOICES.items():
            called = next(key for key, cls in choices.items() if cls is type(values[name]))
            values[name] = written(values[name], called)
        if self.teachers is not None:
            values["teachers"] = joined(self.teachers)
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The configuration that `to_dict` described. Values may also be text, as on the command line."""
        types = get_type_hints(cls)
        hints = {item.name: types[item.name] for item in fields(cls)}
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


def chooses_on_dev(training: Mapping[str, Any]) -> bool:
    """Whether these settings of training, by their names without a prefix, choose something on dev."""
    return training["patience"] is not None or training["keep"] == "best"


T = TypeVar("T", bound=TrainConfig)


def training_from(kind: type[T], start: Mapping[str, Any], changes: Mapping[str, Any]) -> T:
    """The settings that a task or an origin starts from, with changes; these may be text, as in a command.

    Whoever says how many epochs does not want the iterations that were usual, and the other way round.
    """
    begun = dict(start)
    for one, other in (("epochs", "iterations"), ("iterations", "epochs")):
        if one in changes and other not in changes:
            begun.pop(other, None)
    if "iterations" not in begun and "iterations" not in changes:
        begun.pop("eval_every", None)
    iterations = changes.get("iterations")
    if iterations is not None and "eval_every" not in changes and "eval_every" in begun:
        # Fewer updates than one interval of the base settings: measured at the end of them.
        begun["eval_every"] = min(begun["eval_every"], max(1, convert(str(iterations), int, "train.iterations")))
    return kind.from_dict({**begun, **changes})


def training_settings(kinds: Iterable[type[TrainConfig]]) -> list[Setting]:
    """The settings of several kinds of training, each once, as they are written beside those of a model."""
    found: dict[str, Setting] = {}
    for kind in kinds:
        for setting in settings_in(kind, PREFIX, CHOICES, {**kind.words, "device": DEVICES}):
            found.setdefault(setting.name, setting)
    return list(found.values())


def prefixed(training: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of training by the names that they have beside those of a model."""
    return {f"{PREFIX}{name}": value for name, value in training.items()}


def split_settings(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings of training without their prefix, and all others."""
    training = {name.removeprefix(PREFIX): value for name, value in settings.items() if name.startswith(PREFIX)}
    return training, {name: value for name, value in settings.items() if not name.startswith(PREFIX)}
