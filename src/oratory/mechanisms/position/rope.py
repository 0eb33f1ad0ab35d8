"""Rotary positions."""

from dataclasses import dataclass

import torch
from torch import Tensor

from oratory.errors import InputError, unknown
from oratory.mechanisms.kept import kept
from oratory.mechanisms.kinds import Position, Shape


@dataclass(frozen=True, kw_only=True)
class Rope(Position):
    """Queries and keys are turned by an angle that grows with the position, so that their dot product depends on the
    distance only: pair i of a head turns by t base^(-2i/R), where R is how many of its columns turn.
    """

    paper = "Su et al., 2021 (arXiv:2104.09864)"

    base: float = 10000.0
    """The slowest pair turns once in about 2 pi times this many tokens."""
    share: float = 1.0
    """The share of a head's columns that turn; the others stay (GPT-NeoX)."""
    layout: str = "half"
    """half: column i pairs with column i + R/2 (GPT-NeoX, Llama); interleaved: 2i with 2i + 1 (the paper)."""

    def check(self, shape: Shape) -> None:
        if self.layout not in ("half", "interleaved"):
            raise unknown("layout of rope", self.layout, ("half", "interleaved"))
        if not 0 < self.share <= 1:
            raise InputError(f"rope(share={self.share}): the share must lie above 0 and up to 1.")
        if not self.base > 0:
            raise InputError(f"rope(base={self.base}): the base must be above 0.")
        turned = self.turned(shape.head_size)
        if turned % 2 or not turned:
            raise InputError(
                f"rope turns pairs of columns, but {turned} of the {shape.head_size} columns of a head would turn; "
                "choose width, heads and share so that this is even."
            )

    def turns(self, share: Tensor) -> Tensor:
        """By how much each pair turns from one position to the next; the share 2i/R of a pair goes from 0 towards 1."""
        return 1 / self.base**share

    def turned(self, head_size: int) -> int:
        """How many columns of a head turn."""
        return int(head_size * self.share)

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.turn(q, q_positions), self.turn(k, k_positions)

    def turn(self, x: Tensor, positions: Tensor) -> Tensor:
        """Turn the columns of heads (B, H, T, E) by the angles of positions (T)."""
        turned = self.turned(x.shape[-1])
        cos, sin = kept(positions, (self, turned, x.dtype), lambda: self._waves(positions, turned, x.dtype))  # T, R
        moving = x if turned == x.shape[-1] else x[..., :turned]
        if self.layout == "half":
            others = moving.roll(turned // 2, -1)
        else:
            others = moving.reshape(*x.shape[:-1], turned // 2, 2).flip(-1).flatten(-2)
        moved = torch.addcmul(moving * cos, others, sin)
        return moved if turned == x.shape[-1] else torch.cat([moved, x[..., turned:]], dim=-1)

    def _waves(self, positions: Tensor, turned: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """For each column the cosine of its pair, and the sine that the other column of the pair is multiplied with."""
        pair = torch.arange(0, turned, 2, device=positions.device, dtype=torch.float32)
        # In the order of the published code: what another order rounds differently grows with the position.
        angles = positions[:, None].float() * self.turns(pair / turned)  # T, R/2
        cos, sin = angles.cos().to(dtype), angles.sin().to(dtype)
        if self.layout == "half":
            return torch.cat([cos, cos], dim=-1), torch.cat([-sin, sin], dim=-1)
        return cos.repeat_interleave(2, dim=-1), torch.stack([-sin, sin], dim=-1).flatten(-2)
