"""Parts that are shut at first."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from oratory.mechanisms.kinds import BlockShape, Residual
from oratory.mechanisms.parts import Gates, one_gate


@dataclass(frozen=True, kw_only=True)
class Rezero(Residual):
    """Each part is multiplied by a learned number that starts at zero: x + a f(norm(x)). So a deep model is the
    identity at first. The paper leaves the norm out, which here is as `norm` says.
    """

    name: ClassVar[str] = "rezero"
    paper = "Bachlechner et al., 2020 (arXiv:2003.04887)"

    def build(self, shape: BlockShape) -> nn.Module:
        return Gates(one_gate(torch.zeros(1)))
