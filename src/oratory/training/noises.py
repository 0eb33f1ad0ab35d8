"""Noise on the tokens that a model learns from: some of them are replaced by others, drawn anew for every update.

See Xie et al., Data Noising as Smoothing in Neural Network Language Models (2017, arXiv:1703.02573): what smoothing
does to counts, noise does to a network. Replacing tokens by the unknown one is `train.word_dropout`.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from oratory.errors import InputError

if TYPE_CHECKING:
    from torch import Size, Tensor

    from oratory.batches import Batch
    from oratory.tokens import Encoded


@dataclass(frozen=True)
class Drawn:
    """What noise needs to know of the training text."""

    rates: "Tensor"  # V: how often a token is replaced
    others: "Tensor"  # V: how often each token is what comes instead


@dataclass(frozen=True, kw_only=True)
class Noise:
    """What every noise has."""

    targets_too: ClassVar[bool] = False
    """Whether the token after one that is replaced is replaced too, where it is to be predicted."""

    def of(self, train: "Encoded", vocabulary: int) -> Drawn | None:
        """How often tokens are replaced, and by what, from the counts of the training text; None for no noise."""
        return None

    def noised(self, batch: "Batch", drawn: Drawn, next_tokens: bool) -> "Batch":
        """A batch with noise, from the framework's generator; `next_tokens` says that the targets are what follows."""
        import torch

        from oratory.batches import IGNORE

        chosen = torch.rand(batch.ids.shape) < drawn.rates[batch.ids]
        if batch.mask is not None:
            chosen &= batch.mask
        found = replace(batch, ids=torch.where(chosen, _draw(drawn.others, batch.ids.shape), batch.ids))
        if not (next_tokens and self.targets_too):
            return found
        followed = chosen & (batch.targets != IGNORE)
        return replace(found, targets=torch.where(followed, _draw(drawn.others, batch.ids.shape), batch.targets))


@dataclass(frozen=True, kw_only=True)
class NoNoise(Noise):
    """The text as it is."""


@dataclass(frozen=True, kw_only=True)
class _Rate(Noise):
    rate: float = 0.1
    """The share of tokens that are replaced."""

    def __post_init__(self) -> None:
        if not 0 < self.rate < 1:
            raise InputError(f"rate={self.rate}: the share of tokens that noise replaces must lie between 0 and 1.")


@dataclass(frozen=True, kw_only=True)
class Unigram(_Rate):
    """A token is replaced by one drawn as often as it occurs in train, which is like interpolating with unigrams."""

    def of(self, train: "Encoded", vocabulary: int) -> Drawn:
        import numpy as np
        import torch

        counts = np.bincount(train.ids, minlength=vocabulary)
        return Drawn(torch.full((vocabulary,), self.rate), torch.from_numpy(counts).float())


@dataclass(frozen=True, kw_only=True)
class KneserNey(_Rate):
    """A token w is replaced with probability rate x N(w, any) / c(w), and what follows it with it.

    N(w, any) counts the different tokens after w, c(w) all of them, so a token that says little of what follows is
    replaced more often. What comes instead is drawn as Kneser and Ney's lower order has it, by the number of different
    tokens that it follows. In a language model the token to be predicted is replaced too, as in the paper; rate is its
    gamma.
    """

    targets_too = True

    def of(self, train: "Encoded", vocabulary: int) -> Drawn:
        import numpy as np
        import torch

        inside = train.owners[:-1] == train.owners[1:]  # A line does not go on in the next one.
        left, right = (ids[inside].astype(np.int64) for ids in (train.ids[:-1], train.ids[1:]))
        if not len(left):
            raise InputError("train.noise=kneser-ney counts which tokens follow each other, and no line has two.")
        pairs = np.unique(left * vocabulary + right)
        after = np.bincount(pairs // vocabulary, minlength=vocabulary)
        before = np.bincount(pairs % vocabulary, minlength=vocabulary)
        counts = np.bincount(left, minlength=vocabulary)
        rates = self.rate * after / np.maximum(counts, 1)
        return Drawn(torch.from_numpy(rates).float(), torch.from_numpy(before).float())


def _draw(weights: "Tensor", shape: "Size") -> "Tensor":
    """Tokens drawn by their weights."""
    import torch

    return torch.multinomial(weights, shape.numel(), replacement=True).view(shape)


NOISES: dict[str, type] = {"none": NoNoise, "unigram": Unigram, "kneser-ney": KneserNey}
"""What `train.noise=...` can be."""
