"""The kinds of mechanism, and what each may do.

A mechanism is a frozen dataclass that inherits from its kind. Its class name in kebab-case is its name on the command
line, its fields are its parameters, the docstring under a field is its help. Every hook is optional. A mechanism that
learns has `build(shape)`, which returns an `nn.Module` with the same hooks; the model then calls that module. What a
hook takes and gives is in `oratory.mechanisms.hooks`.

Causality belongs to the task and padding to the batch: the model applies both, whatever a mechanism allows.

Shapes: B batch, H heads, T tokens, Q queries, K keys, D width, E width of a head, N tokens that are asked for,
S tokens of a text with those before the batch, V vocabulary, C classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor, nn


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a mechanism may know of the model it is built into."""

    width: int
    heads: int
    head_size: int
    layers: int
    context: int
    causal: bool
    seed: int = 0
    layer: int = 0
    """Which layer it is built for, where each layer has one of its own."""
    output: str = "vectors"
    """What the model returns: classes of a text, tokens that may come next, or vectors."""
    vocabulary: int = 1
    classes: int = 0
    head_bias: bool = True
    """Whether the output layer of a model of tokens has a bias."""
    head_hidden: int | None = None
    """Width of the hidden layer in a classifier's head, where it has one."""


@dataclass(frozen=True)
class Scene:
    """What a position mechanism may know when scores are made."""

    q_positions: Tensor  # B or 1, Q
    k_positions: Tensor  # B or 1, K
    scale: float
    """What scores are multiplied with."""
    causal: bool
    project_q: Callable[[Tensor], Tensor]
    """Vectors (N, D) through this layer's query projection, by head: (H, N, E)."""
    project_k: Callable[[Tensor], Tensor]
    """The same through the key projection."""

    @property
    def distance(self) -> Tensor:
        """How far each key lies before its query: (B or 1, Q, K), negative for keys to the right."""
        return self.q_positions[..., :, None] - self.k_positions[..., None, :]


@dataclass(frozen=True)
class Reading:
    """The texts that the vectors given to a head belong to, and where in them these are."""

    ids: Tensor  # B, S
    vectors: Tensor  # B, S, D: after the last block
    mask: Tensor | None = None  # B, S: false for padding
    rows: Tensor | None = None  # N: the text of each vector; None for a classifier, which has one vector for each
    columns: Tensor | None = None  # N: the token of each vector; those after it are its future
    wanted: Tensor | None = None  # N: the tokens to predict, while a model learns from them, and never otherwise


@dataclass(frozen=True)
class TrainingText:
    """What a part that counts may know of the text that a model is trained on."""

    texts: Sequence[Tensor]
    """The ids of each text; running text is one."""
    tokens: Sequence[str]
    """The vocabulary."""
    labels: Sequence[int] = ()
    """The class of each text, where texts have one."""


@dataclass(frozen=True)
class Sight:
    """What an attention mechanism may know of who may look at whom."""

    scores: Callable[[Tensor, Tensor], Tensor]
    """The scores (B, H, Q, K) of queries and keys: their products, scaled, with what the position does to them."""
    mask: Tensor  # B or 1, 1, Q or 1, K: what may be seen; a query that may see nothing is let see everything here

    def hide(self, scores: Tensor) -> Tensor:
        """Scores with minus infinity where nothing may be seen."""
        return scores.masked_fill(~self.mask, float("-inf"))


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """One interchangeable part of a transformer."""

    kind: ClassVar[str]
    name: ClassVar[str] = ""
    """The name on the command line, where it is not that of the class."""
    paper: ClassVar[str] = ""
    """Where it was published."""
    across_tokens: ClassVar[bool] = False
    """Whether it mixes the tokens of a batch outside of attention. It may then see the future, and says so here: such a
    model is not compared as a language model, and keys cannot be cached."""

    def check(self, shape: Shape) -> None:
        """Raise an InputError where the mechanism does not fit the model."""

    def serves(self, output: str, causal: bool) -> bool:
        """Whether a model that returns this can have the mechanism."""
        return True


@dataclass(frozen=True, kw_only=True)
class Embedding(Mechanism):
    """How ids become vectors. `build(shape)` returns the module.

    Hook of the module: `vectors(ids)` on (B, S), to (B, S, D). The vector of a token may depend on itself and on the
    `reach` tokens before it, and on none after it.
    """

    kind = "embedding"
    table: ClassVar[bool] = True
    """Whether the module has a `weight` of (V, D), which a head can share (tied=on)."""

    @property
    def reach(self) -> int:
        """How many tokens before a token its vector depends on."""
        return 0


@dataclass(frozen=True, kw_only=True)
class Position(Mechanism):
    """How a model knows the order of tokens.

    Hooks: `embed(x, positions)` on embedded tokens (B, T, D); `rotate(q, k, q_positions, k_positions)` on queries and
    keys (B, H, ., E); `bias(q, k, scene)`, added to the scaled scores (B, H, Q, K); `score(s, q, k, scene)`, which may
    do anything to the scaled scores but costs the fused kernel.
    """

    kind = "position"
    one_bias: ClassVar[bool] = False
    """Whether `bias` asks for the positions only, and not for q and k: it is then made once for all layers."""

    def used(self, layer: int) -> bool:
        """Whether a layer, counted from 0, knows positions; where not, `rotate`, `bias` and `score` are not asked."""
        return True

    def scale(self, head_size: int) -> float:
        """What dot products of queries and keys are multiplied with."""
        return float(head_size**-0.5)

    def limit(self, shape: Shape) -> int | None:
        """The longest text, where there is a limit."""
        return None


@dataclass(frozen=True, kw_only=True)
class Pattern(Mechanism):
    """Which keys a query may see.

    Hook: `allow(q_positions, k_positions)`, two integer tensors that broadcast, to a boolean one. It must not depend on
    anything else; the model works out from it which blocks of scores need not be computed at all.
    """

    kind = "pattern"


@dataclass(frozen=True, kw_only=True)
class Merge(Mechanism):
    """How the outputs of the heads become one vector.

    Hook: `merge(heads, training)` on (B, T, H, E), to the same shape; the model then joins the last two dimensions.
    """

    kind = "merge"


@dataclass(frozen=True, kw_only=True)
class Pool(Mechanism):
    """How a sequence becomes one vector.

    Hook: `pool(x, mask)` on (B, T, D) and (B, T), where the mask is true for tokens that are not padding.
    """

    kind = "pool"

    def serves(self, output: str, causal: bool) -> bool:
        return output == "classes"


@dataclass(frozen=True, kw_only=True)
class Norm(Mechanism):
    """How activations are kept in range. `build(width)` returns the module."""

    kind = "norm"

    place: str = "pre"
    """pre: before each part of a block, and once at the end; post: after each sum (as in 2017)."""
    eps: float = 1e-5
    """Added to the variance."""

    def check(self, shape: Shape) -> None:
        from oratory.errors import InputError, unknown

        if self.place not in ("pre", "post"):
            raise unknown("place of a norm", self.place, ("pre", "post"))
        if not self.eps >= 0:
            raise InputError(f"A norm needs an eps of at least 0, not {self.eps}.")


@dataclass(frozen=True, kw_only=True)
class Feedforward(Mechanism):
    """What happens to each token alone. `build(width)` returns the module."""

    kind = "feedforward"

    hidden: int | None = None
    """Width inside; four times the model's unless given."""
    bias: bool = True
    """Whether its linear maps have a bias."""

    def check(self, shape: Shape) -> None:
        from oratory.errors import InputError

        if self.hidden is not None and self.hidden < 1:
            raise InputError(f"A feed-forward part needs a hidden width of at least 1, not {self.hidden}.")


@dataclass(frozen=True, kw_only=True)
class BlockShape(Shape):
    """What a residual mechanism may know: it may need more norms and feed-forward parts like those of the block."""

    norm: Norm
    feedforward: Feedforward

    def part(self, kind: str) -> nn.Module:
        """A new `norm` or `feedforward`, as the block has it."""
        made: nn.Module = getattr(self, kind).build(self.width)
        return made


@dataclass(frozen=True, kw_only=True)
class Attention(Mechanism):
    """What turns queries, keys and values into outputs.

    Hooks: `prepare(q, k)` before positions; `values(v, first)`, where `first` is what the first layer had; `weigh(q, k,
    sight)`, which gives the weights and costs the fused kernel; `outputs(out, x, v)` on what was found (B, H, Q, E),
    given the input of attention and the own values of the tokens. With `build(shape)` each layer has a module.
    """

    kind = "attention"
    loose: ClassVar[str] = ""
    """Why its weights are not a distribution (they do not sum to one, or may be negative), if that is so; what may not
    be seen has no weight all the same."""


@dataclass(frozen=True, kw_only=True)
class Residual(Mechanism):
    """How the parts of a block are added up, and which layers a layer hears from.

    The stream is what goes from block to block, (..., D) unless the mechanism says otherwise. Hooks of the mechanism:
    `begin(x)` makes the stream from embedded tokens, and `end(x)` makes tokens of it again; `block_of(layer)` says
    which block a layer uses, its own unless given. Hooks of a layer (`build(shape)` is called for each, with a
    BlockShape): `enter(entered, left)` gives what enters the layer, from what entered each layer before it and from
    what left the embedding and each of these layers; `add(x, part, name)` adds one part, `attention` or `feedforward`,
    where `part(x)` is that part after its norm; `block(x, attention, feedforward)` does both, in place of one after the
    other.
    """

    kind = "residual"
    uniform: ClassVar[bool] = True
    """Whether every layer has as many parameters as the second."""


def refuse_post(name: str, shape: Shape) -> None:
    """For residuals that have no place for norms after their sums."""
    from oratory.errors import InputError

    if isinstance(shape, BlockShape) and shape.norm.place == "post":
        raise InputError(f"residual={name} has norms before its parts; a norm with place=post does not fit it.")


@dataclass(frozen=True, kw_only=True)
class Mixer(Mechanism):
    """What looks at other tokens besides attention, on its way in, or in place of attention.

    Hook: `mix(x, keep)` on the input of attention (B, T, D) after its norm, to the same shape; `keep` (B, T) is false
    for padding, whose vectors are zero, or None. When a text is generated it gets all tokens so far.
    """

    kind = "mixer"
    instead: ClassVar[bool] = False
    """Whether it takes the place of attention; the model then has no attention weights."""


IGNORED = -100
"""The target of a place that predicts nothing, as the framework has it."""


@dataclass(frozen=True, kw_only=True)
class Objective(Mechanism):
    """What is added to the loss of a model of tokens, in training only.

    Hook: `added(hidden, targets, logits, count)`: vectors (B, T, D) after the last norm, the token that each place is
    to predict (B, T; IGNORED where none is), the output layer as a function, and how many targets the whole update has.
    It gives a number, which is added to the loss.
    """

    kind = "objective"
    table: ClassVar[bool] = False
    """Whether it needs an output layer with a `weight` of (V, D)."""
    unnormalised: ClassVar[bool] = False
    """Whether it asks for logits before any softmax, and would change nothing where a head gives log-probabilities."""

    def serves(self, output: str, causal: bool) -> bool:
        return output == "tokens"


@dataclass(frozen=True, kw_only=True)
class Head(Mechanism):
    """How vectors become logits, whose softmax is the prediction. `build(shape)` returns the module.

    Hooks of the module: `logits(x, reading)` on the vectors (N, D) of tokens, to (N, V), or on pooled vectors (B, D)
    of texts, to (B, C). A head that needs the vectors alone has a `forward(x)` in its place. `learn_from(text)` is
    called once before training, on what looks at the training text; what it finds belongs into buffers.
    `choose_on_dev(nats)` chooses what is not learned: `nats()` gives the surprisal of every token of dev. A module that
    has `plain_in_training` is an output layer like any other while it learns, which is much faster.
    """

    kind = "head"
    table: ClassVar[bool] = True
    """Whether the module has a `weight` of (V, D), which can be that of the embedding (tied=on)."""
    normalised: ClassVar[bool] = False
    """Whether its logits are log-probabilities already, in training too."""
    hybrid: ClassVar[str] = ""
    """What it holds besides a neural network, such as an n-gram model. The name of such a head begins with hybrid-."""
    leaves_out: ClassVar[bool] = False
    """Whether training takes the tokens to predict out of its counts, as a reading names them."""
    needs_dev: ClassVar[bool] = False
    """Whether something is chosen on dev, so that one is held out of train where a corpus has none."""

    @property
    def reach(self) -> int:
        """How many tokens before a token, and vectors of them, it looks at."""
        return 0

    def serves(self, output: str, causal: bool) -> bool:
        return output == "tokens"

    def check(self, shape: Shape) -> None:
        from oratory.errors import InputError
        from oratory.mechanisms.registry import name_of

        if shape.output == "vectors" or self.serves(shape.output, shape.causal):
            return
        raise InputError(f"head={name_of(type(self))} is for {self._served()}, and this is {_model(*_of(shape))}.")

    def _served(self) -> str:
        return " and ".join(f"{noun}s" for model, noun in MODELS.items() if self.serves(*model))


MODELS = {
    ("classes", False): "classifier",
    ("tokens", True): "language model",
    ("tokens", False): "masked language model",
}
"""The models that there are: what they return, whether they are causal, and what they are called."""


def _of(shape: Shape) -> tuple[str, bool]:
    return shape.output, shape.causal and shape.output == "tokens"


def _model(output: str, causal: bool) -> str:
    return f"a {MODELS[output, causal]}"


KINDS: dict[str, type[Mechanism]] = {
    cls.kind: cls
    for cls in (
        *(Embedding, Position, Pattern, Merge, Pool, Norm, Feedforward),
        *(Attention, Residual, Mixer, Objective, Head),
    )
}
"""By name. A model has a setting for each, and this is the one place that lists them."""
