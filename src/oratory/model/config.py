"""The configuration of a model: frozen, complete, and the same in Python, JSON and on the command line."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_type_hints

from oratory.errors import InputError, unknown
from oratory.mechanisms import (
    REGISTRY,
    Feedforward,
    Mechanism,
    Merge,
    Norm,
    Pattern,
    Pool,
    Position,
    Registry,
    Shape,
    written_as,
)
from oratory.mechanisms.feedforward.relu import Relu
from oratory.mechanisms.merge.concat import Concat
from oratory.mechanisms.norm.layer import Layer
from oratory.mechanisms.pattern.full import Full
from oratory.mechanisms.pool.mean import Mean
from oratory.mechanisms.position.learned import Learned
from oratory.settings import convert

TASKS = ("classifier", "lm", "encoder")
INITS = ("torch", "gpt2")


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """Everything that decides what a model computes, but its weights. The defaults are the base settings."""

    task: str
    """classifier and encoder see the whole text, lm sees what stands before; encoder has no head."""
    vocabulary: int
    """Entries of the tokenizer."""
    classes: int = 0
    """Labels of a classifier."""
    layers: int = 4
    """Blocks."""
    heads: int = 2
    """Attention heads in a block."""
    kv_heads: int | None = None
    """Heads of keys and values, each shared by a group of query heads (Ainslie et al., 2023)."""
    width: int = 64
    """Columns of a token's vector."""
    head_size: int | None = None
    """Columns of a head; the width over the heads unless given."""
    context: int = 32
    """Tokens of a text in training."""
    dropout: float = 0.0
    """The share of activations set to zero in training."""
    position: Position = field(default_factory=Learned)
    pattern: Pattern = field(default_factory=Full)
    merge: Merge = field(default_factory=Concat)
    pool: Pool = field(default_factory=Mean)
    norm: Norm = field(default_factory=Layer)
    feedforward: Feedforward = field(default_factory=Relu)
    init: str = "torch"
    """Initial values: torch, the framework's defaults, or gpt2, normal with 0.02 and scaled residuals."""
    qkv_bias: bool = False
    """Whether queries, keys and values have a bias."""
    out_bias: bool = True
    """Whether the output of attention has a bias."""
    tied: bool = False
    """Whether a language model's head uses the token embedding."""
    head_bias: bool = True
    """Whether a language model's head has a bias."""
    head_hidden: int | None = 100
    """Width inside a classifier's head; none for a single linear map."""
    token_types: int = 0
    """Kinds of token (BERT's segments) that have a vector of their own."""
    embedding_norm: bool = False
    """Whether embedded tokens are normalised (BERT)."""

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise unknown("task", self.task, TASKS)
        if self.init not in INITS:
            raise unknown("init", self.init, INITS)
        for name in ("vocabulary", "layers", "heads", "width", "context"):
            if getattr(self, name) < 1:
                raise InputError(f"{name}={getattr(self, name)}: it must be at least 1.")
        for name, least in (("kv_heads", 1), ("head_size", 1), ("head_hidden", 1), ("token_types", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError(f"{name}={value}: it must be at least {least}.")
        if self.task == "classifier" and self.classes < 2:
            raise InputError(f"classes={self.classes}: a classifier needs at least 2.")
        if self.head_size is None and self.width % self.heads:
            raise InputError(
                f"width={self.width} cannot be shared out among heads={self.heads}; the width must be a multiple of it."
            )
        if self.heads % self.groups:
            raise InputError(f"kv_heads={self.kv_heads} does not divide heads={self.heads}.")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout={self.dropout}: it must be at least 0 and below 1.")
        for mechanism in self.mechanisms().values():
            mechanism.check(self.shape())

    @property
    def causal(self) -> bool:
        """Whether a token sees only what stands before it."""
        return self.task == "lm"

    @property
    def groups(self) -> int:
        """Heads of keys and values."""
        return self.heads if self.kv_heads is None else self.kv_heads

    @property
    def columns(self) -> int:
        """Columns of a head."""
        return self.width // self.heads if self.head_size is None else self.head_size

    def shape(self, seed: int = 0) -> Shape:
        """What mechanisms may know of the model."""
        return Shape(
            width=self.width,
            heads=self.heads,
            head_size=self.columns,
            layers=self.layers,
            context=self.context,
            causal=self.causal,
            seed=seed,
        )

    def mechanisms(self) -> dict[str, Mechanism]:
        """The chosen mechanism of each kind."""
        return {kind: getattr(self, kind) for kind in ("position", "pattern", "merge", "pool", "norm", "feedforward")}

    def to_dict(self) -> dict[str, Any]:
        """Plain values; mechanisms as they are written on the command line."""
        values = ((item.name, getattr(self, item.name)) for item in fields(self))
        return {name: written_as(value) if isinstance(value, Mechanism) else value for name, value in values}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], registry: Registry = REGISTRY) -> "ModelConfig":
        """The configuration that `to_dict` described. Values may also be text, as on the command line."""
        hints = get_type_hints(cls)
        made: dict[str, Any] = {}
        for name, value in values.items():
            if name not in hints:
                raise unknown("setting", name, hints)
            if isinstance(value, str):
                is_mechanism = isinstance(hints[name], type) and issubclass(hints[name], Mechanism)
                value = registry.choose(name, value) if is_mechanism else convert(value, hints[name], name)
            made[name] = value
        for name in ("task", "vocabulary"):
            if name not in made:
                raise InputError(f"A model needs the setting {name!r}.")
        return cls(**made)


def base(task: str, vocabulary: int, classes: int = 0, **changes: Any) -> ModelConfig:
    """The base settings of a task, with some changed; changes may be text, as on the command line."""
    start: dict[str, Any] = {"task": task, "vocabulary": vocabulary, "classes": classes}
    if task == "lm":
        start["feedforward"] = "relu(hidden=100)"
    return ModelConfig.from_dict(start | changes)
