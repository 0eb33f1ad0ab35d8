"""The configuration of a model: frozen, complete, and the same in Python, JSON and on the command line."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property, partial
from typing import Any, get_type_hints

from oratory.errors import InputError, unknown
from oratory.mechanisms import (
    KINDS,
    REGISTRY,
    Attention,
    BlockShape,
    Embedding,
    Feedforward,
    Head,
    Mechanism,
    Merge,
    Mixer,
    Norm,
    Objective,
    Pattern,
    Pool,
    Position,
    Registry,
    Residual,
    Shape,
    written_as,
)
from oratory.mechanisms.plugins import Plugin, plugin_of
from oratory.settings import convert

OUTPUTS = ("classes", "tokens", "vectors")
INITS = ("torch", "gpt2")
SIZES = ("width", "heads", "layers", "context", "causal", "output", "vocabulary", "classes", "head_bias", "head_hidden")
"""What mechanisms may know of a model besides the size of its heads."""
PLACES = ("embedding", "attention", "residual")
"""Where dropout is."""
DROPOUTS = ("dropout", *(f"{place}_dropout" for place in PLACES))


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """Everything that decides what a model computes, but its weights. The defaults are the base settings.

    Mechanisms are loaded when a configuration is made, and not before: the names of settings are known without torch.
    """

    output: str
    """What the model returns: classes of a text, tokens that may come next, or vectors."""
    causal: bool = False
    """Whether a token sees only the tokens before it."""
    vocabulary: int
    """How many entries the tokenizer has."""
    classes: int = 0
    """How many labels a classifier tells apart."""
    layers: int = 4
    """How many blocks of attention and feed-forward follow each other."""
    heads: int = 2
    """How many attention heads a block has."""
    kv_heads: int | None = None
    """How many heads of keys and values the query heads share (Ainslie et al., 2023); none for as many as heads."""
    width: int = 64
    """How many numbers the vector of a token has."""
    head_size: int | None = None
    """How many numbers a head works with; none for the width divided by the heads."""
    context: int = 32
    """How many tokens the model sees at once in training."""
    dropout: float = 0.0
    """The share of activations that training sets to zero: those of embeddings, attention weights, and residuals."""
    embedding_dropout: float | None = None
    """The share of embedded activations that training sets to zero; none for that of dropout."""
    attention_dropout: float | None = None
    """The share of attention weights that training sets to zero; none for that of dropout."""
    residual_dropout: float | None = None
    """The share of what attention and feed-forward add that training sets to zero; none for that of dropout."""
    embedding: Embedding = field(default_factory=partial(REGISTRY.choose, "embedding", "tokens"))
    """How ids become vectors."""
    position: Position = field(default_factory=partial(REGISTRY.choose, "position", "learned"))
    """How the model knows the order of tokens."""
    pattern: Pattern = field(default_factory=partial(REGISTRY.choose, "pattern", "full"))
    """Which tokens a token may look at."""
    merge: Merge = field(default_factory=partial(REGISTRY.choose, "merge", "concat"))
    """How the outputs of the heads become one vector."""
    pool: Pool = field(default_factory=partial(REGISTRY.choose, "pool", "mean"))
    """How the vectors of a text become one vector, which is classified."""
    norm: Norm = field(default_factory=partial(REGISTRY.choose, "norm", "layer"))
    """How activations are kept in range, and where in a block."""
    feedforward: Feedforward = field(default_factory=partial(REGISTRY.choose, "feedforward", "relu"))
    """What is computed for each token by itself."""
    attention: Attention = field(default_factory=partial(REGISTRY.choose, "attention", "softmax"))
    """What turns queries, keys and values into outputs."""
    residual: Residual = field(default_factory=partial(REGISTRY.choose, "residual", "add"))
    """How the parts of a block are added up, and which layers a layer hears from."""
    mixer: Mixer = field(default_factory=partial(REGISTRY.choose, "mixer", "none"))
    """What looks at other tokens besides attention, or in place of it."""
    objective: Objective = field(default_factory=partial(REGISTRY.choose, "objective", "none"))
    """What is added to the loss of a model of tokens in training."""
    head: Head = field(default_factory=partial(REGISTRY.choose, "head", "linear"))
    """How vectors become predictions."""
    init: str = "torch"
    """Initial values: torch for the framework's defaults, gpt2 for normal ones (0.02) with scaled residuals."""
    qkv_bias: bool = False
    """Whether the maps to queries, keys and values have a bias."""
    out_bias: bool = True
    """Whether the map after attention has a bias."""
    tied: bool = False
    """Whether the output layer of a language model shares its weights with the token embedding."""
    head_bias: bool = True
    """Whether the output layer of a language model has a bias."""
    head_hidden: int | None = 100
    """Width of the hidden layer in a classifier's head; none for a single linear map."""
    token_types: int = 0
    """How many kinds of token have a vector of their own, as the segments of BERT; 0 for none."""
    embedding_norm: bool = False
    """Whether embedded tokens are normalised, as in BERT."""

    def __post_init__(self) -> None:
        if self.output not in OUTPUTS:
            raise unknown("output", self.output, OUTPUTS)
        if self.init not in INITS:
            raise unknown("init", self.init, INITS)
        if self.output == "classes" and self.classes < 2:
            raise InputError(f"classes={self.classes}: a classifier needs at least 2.")
        check_sizes({item.name: getattr(self, item.name) for item in fields(self)})
        shape = self.block_shape(0, 0)
        for mechanism in self.mechanisms().values():
            mechanism.check(shape)
        for part in (self.embedding, self.head):
            if self.tied and self.output == "tokens" and not part.table:
                raise InputError(
                    f"tied=on needs one row of weights for each token, and {part.kind}={written_as(part)} has none."
                )
        if self.output == "tokens":
            self._check_objective()
        if self.mixer.instead:
            self._check_instead()

    def _check_objective(self) -> None:
        """Refuse an objective that the head gives nothing to work on."""
        objective, head = (f"{kind}={written_as(getattr(self, kind))}" for kind in ("objective", "head"))
        if self.objective.unnormalised and self.head.normalised:
            raise InputError(
                f"{objective} would change nothing: {head} gives log-probabilities, which are normalised already. Take "
                "head=linear, or leave the objective out."
            )
        if self.objective.table and not self.head.table:
            raise InputError(f"{objective} needs one row of weights for each token, and {head} has none.")

    def _check_instead(self) -> None:
        """Refuse what would change nothing, because it belongs to an attention that is not there."""
        usual = {item.name: item.default_factory for item in fields(self) if callable(item.default_factory)}
        for kind in ("pattern", "merge", "attention"):
            if getattr(self, kind) != usual[kind]():
                raise InputError(
                    f"mixer={written_as(self.mixer)} takes the place of attention, so {kind}="
                    f"{written_as(getattr(self, kind))} would change nothing; leave it out."
                )
        position = self.position.build(self.shape()) if hasattr(self.position, "build") else self.position
        if works_in_attention(position):
            raise InputError(
                f"mixer={written_as(self.mixer)} takes the place of attention, so position="
                f"{written_as(self.position)} would change nothing; take learned, sinusoidal or none."
            )

    def dropout_of(self, place: str) -> float:
        """The share that training sets to zero at the embedding, the attention or the residual."""
        own: float | None = getattr(self, f"{place}_dropout")
        return self.dropout if own is None else own

    @property
    def drops(self) -> bool:
        """Whether there is dropout anywhere."""
        return any(map(self.dropout_of, PLACES))

    @property
    def kind(self) -> str:
        """What a token may see and what the model gives, in words."""
        return f"{'causal' if self.causal else 'bidirectional'} model of {self.output}"

    @cached_property
    def groups(self) -> int:
        """Heads of keys and values."""
        return self.heads if self.kv_heads is None else self.kv_heads

    @cached_property
    def columns(self) -> int:
        """Columns of a head."""
        return self.width // self.heads if self.head_size is None else self.head_size

    @cached_property
    def longest(self) -> int | None:
        """The most tokens that a text may have, where its positions end somewhere."""
        return self.position.limit(self.shape())

    def shape(self, seed: int = 0, layer: int = 0) -> Shape:
        """What mechanisms may know of the model."""
        return Shape(**self._sizes(), seed=seed, layer=layer)

    def block_shape(self, seed: int, layer: int) -> BlockShape:
        """What a residual mechanism may know of a layer."""
        return BlockShape(**self._sizes(), seed=seed, layer=layer, norm=self.norm, feedforward=self.feedforward)

    def _sizes(self) -> dict[str, Any]:
        named = {name: getattr(self, name) for name in SIZES}
        return {**named, "head_size": self.columns}

    def mechanisms(self) -> dict[str, Mechanism]:
        """The chosen mechanism of each kind."""
        return {kind: getattr(self, kind) for kind in KINDS}

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        """The block that each layer uses: its own, unless layers share some."""
        found = getattr(self.residual, "block_of", None)
        return tuple(range(self.layers)) if found is None else tuple(int(found(layer)) for layer in range(self.layers))

    @cached_property
    def across_tokens(self) -> bool:
        """Whether a mechanism says that it mixes the tokens of a batch."""
        return any(mechanism.across_tokens for mechanism in self.mechanisms().values())

    def to_dict(self) -> dict[str, Any]:
        """Plain values; mechanisms as they are written on the command line."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: written_as(value) if isinstance(value, Mechanism) else value for name, value in values.items()}

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
        for name in ("output", "vocabulary"):
            if name not in made:
                raise InputError(f"A model needs the setting {name!r}.")
        return cls(**made)


def works_in_attention(position: Any) -> bool:
    """Whether what a position mechanism builds has a hook that attention asks."""
    return any(hasattr(position, hook) for hook in ("rotate", "bias", "score"))


def usual_sizes() -> dict[str, Any]:
    """The defaults of all that is no mechanism."""
    return {item.name: item.default for item in fields(ModelConfig) if item.default is not MISSING}


def check_sizes(values: Mapping[str, Any]) -> None:
    """Refuse sizes and shares that no model has. Only plain values are asked for, so torch is not needed."""
    least = {"vocabulary": 1, "layers": 1, "heads": 1, "width": 1, "context": 1}
    least |= {"kv_heads": 1, "head_size": 1, "head_hidden": 1, "token_types": 0}
    for name, lowest in least.items():
        value = values.get(name)
        if value is not None and value < lowest:
            raise InputError(f"{name}={value}: it must be at least {lowest}.")
    width, heads, groups = values["width"], values["heads"], values["kv_heads"]
    if values["head_size"] is None and width % heads:
        raise InputError(f"width={width} cannot be shared out among heads={heads}; the width must be a multiple of it.")
    if groups is not None and heads % groups:
        raise InputError(f"kv_heads={groups} does not divide heads={heads}.")
    for name in DROPOUTS:
        share = values[name]
        if share is not None and not 0 <= share < 1:
            raise InputError(f"{name}={share}: it must be at least 0 and below 1.")


def plugins_of(config: ModelConfig) -> tuple[Plugin, ...]:
    """The files of users' own mechanisms that a model is made of."""
    found = (plugin_of(type(mechanism)) for mechanism in config.mechanisms().values())
    return tuple(
        sorted({plugin for plugin in found if plugin is not None}, key=lambda plugin: (plugin.path.name, plugin.sha256))
    )
