"""A network mixed with counts of the training text and with a cache of the text so far; the shares are chosen on dev.

    p(w) = sum over k of share_k p_k(w),
    p_cache(w) = the sum over earlier places i that were followed by w of softmax_i(sharpness x . x_i / sqrt(D))

x is the vector that predicts, x_i those that predicted before it. With a sharpness of 0 all places are alike, and the
cache is the frequency of words so far. A mixture of distributions is one: its sum is one. In training there is the
network alone, so that it does not rely on what has counted the very text that it learns from.

Shapes: N tokens, S places, D width, V vocabulary, K parts.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from oratory.mechanisms.kinds import Reading, Shape, TrainingText
from oratory.mechanisms.ngram_counts import CountedNgrams

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHARPNESS = (0.0, 0.5, 1.0, 2.0, 4.0)
"""What is tried on dev."""
STEPS = 200
"""Of expectation-maximisation, which finds the best shares, as the likelihood is concave in them."""


class MixtureHead(nn.Linear):
    """The output layer, counts of n-grams where an order is given, and a cache where it has a size.

    The shares stand in a buffer, in this order: network, counts, cache. Before they are chosen they are equal.
    """

    plain_in_training = True

    def __init__(self, shape: Shape, order: int | None, cache: int) -> None:
        super().__init__(shape.width, shape.vocabulary, bias=shape.head_bias)
        self.size = cache
        self.counted = CountedNgrams(shape.vocabulary, order) if order is not None else None
        parts = 1 + (order is not None) + (cache > 0)
        self.register_buffer("shares", torch.full((parts,), 1 / parts))
        self.register_buffer("sharpness", torch.tensor(1.0))
        self.shares: Tensor
        self.sharpness: Tensor
        if self.counted is not None:
            self.learn_from = self._count

    def _count(self, text: TrainingText) -> None:
        assert self.counted is not None
        self.counted.learn_from(torch.cat(list(text.texts)))

    def logits(self, x: Tensor, reading: Reading) -> Tensor:
        if self.training:
            found: Tensor = self(x)
            return found
        shares = self.shares.expand(len(x), -1)  # N, K
        if self.size:  # What nothing is cached for is predicted by the others.
            cached = reading.columns > 0  # type: ignore[operator]
            shares = torch.cat([shares[:, :-1], (shares[:, -1] * cached)[:, None]], dim=1)
            rest = shares.sum(1, keepdim=True)
            alone = torch.zeros_like(shares)
            alone[:, 0] = 1.0
            shares = torch.where(rest > 0, shares / rest.clamp(min=1e-30), alone)
        p = x.new_zeros(len(x), self.out_features)
        for part, make in enumerate(self._parts()):
            if bool((shares[:, part] > 0).any()):
                p = p + shares[:, part, None] * make(x, reading)
        return p.log()

    def _parts(self) -> Sequence[Callable[[Tensor, Reading], Tensor]]:
        makers: list[Callable[[Tensor, Reading], Tensor]] = [lambda x, reading: self(x).float().softmax(-1)]
        if self.counted is not None:
            makers.append(lambda x, reading: self.counted.after(reading))  # type: ignore[union-attr]
        if self.size:
            makers.append(self._cached)
        return makers

    def _cached(self, x: Tensor, reading: Reading) -> Tensor:
        """What the cache says (N, V); nothing for a token that has none before it."""
        assert reading.rows is not None
        assert reading.columns is not None
        rows, columns, keys = reading.rows, reading.columns, reading.vectors[:, :-1]  # Each is followed by a token.
        scores = x @ keys[0].T if len(keys) == 1 else (reading.vectors @ keys.transpose(1, 2))[rows, columns]
        places = torch.arange(keys.shape[1], device=x.device)
        seen = (places < columns[:, None]) & (places >= columns[:, None] - self.size)  # N, S
        scores = (scores * (self.sharpness / math.sqrt(x.shape[-1]))).masked_fill(~seen, float("-inf"))
        weights = scores.softmax(-1).masked_fill(~seen, 0.0)
        followed = reading.ids[rows][:, 1:]  # N, S
        return x.new_zeros(len(x), self.out_features).scatter_add(1, followed, weights)

    def choose_on_dev(self, nats: "Callable[[], NDArray[Any]]") -> None:
        """Choose the shares on dev, and the sharpness of the cache with them."""
        import numpy as np

        parts = len(self.shares)
        known = [np.exp(-self._alone(part, nats)) for part in range(parts - bool(self.size))]
        found = []
        for sharpness in SHARPNESS if self.size else (1.0,):
            self.sharpness.fill_(sharpness)
            probabilities = [*known, np.exp(-self._alone(parts - 1, nats))] if self.size else known
            shares, mean = best_shares(np.stack(probabilities).astype(np.float64))
            found.append((mean, sharpness, shares))
        _, sharpness, shares = min(found, key=lambda entry: entry[0])
        self.sharpness.fill_(sharpness)
        self.shares.copy_(torch.from_numpy(shares))

    def _alone(self, part: int, nats: "Callable[[], NDArray[Any]]") -> "NDArray[Any]":
        """The surprisal of dev by one part alone."""
        self.shares.zero_()
        self.shares[part] = 1.0
        return nats()


def best_shares(probabilities: "NDArray[np.float64]") -> "tuple[NDArray[np.float64], float]":
    """The shares of K parts with the least mean surprisal of tokens (K, N), and that mean, in nats."""
    import numpy as np

    shares = np.full(len(probabilities), 1 / len(probabilities))
    for _ in range(STEPS):
        mixed = shares @ probabilities
        shares = shares * (probabilities / mixed).mean(1)
    return shares / shares.sum(), float(-np.log(shares @ probabilities).mean())
