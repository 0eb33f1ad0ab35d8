"""Each key by itself."""

from dataclasses import dataclass

from torch import Tensor

from oratory.mechanisms.kinds import Attention, Sight


@dataclass(frozen=True, kw_only=True)
class Sigmoid(Attention):
    """Each key has the weight sigmoid(s - log n), whatever the others have, where n is how many keys the query sees.

    The paper takes the length of the text for n; here the future and padding do not count, so that neither can change
    anything.
    """

    paper = "Ramapuram et al., 2024 (arXiv:2409.04431)"
    loose = "each key is weighed by itself, so rows need not sum to one"

    def weigh(self, q: Tensor, k: Tensor, sight: Sight) -> Tensor:
        scores = sight.scores(q, k)
        seen = sight.mask.expand(*sight.mask.shape[:2], q.shape[2], k.shape[2]).sum(-1, keepdim=True).to(q.dtype)
        return sight.hide(scores - seen.log()).sigmoid()
