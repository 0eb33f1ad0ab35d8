"""The six kinds of mechanism, and what each may do.

A mechanism is a frozen dataclass that inherits from its kind. Its class name in kebab-case is its name on the command
line, its fields are its parameters, the docstring under a field is its help. Every hook is optional. A mechanism that
learns has `build(shape)`, which returns an `nn.Module` with the same hooks; the model then calls that module. What a
hook takes and gives is in `oratory.mechanisms.hooks`.

Causality belongs to the task and padding to the batch: the model applies both, whatever a mechanism allows.

Shapes: B batch, H heads, T tokens, Q queries, K keys, D width, E width of a head.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor


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


KINDS: dict[str, type[Mechanism]] = {cls.kind: cls for cls in (Position, Pattern, Merge, Pool, Norm, Feedforward)}
