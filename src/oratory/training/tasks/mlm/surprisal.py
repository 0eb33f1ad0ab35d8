"""The pseudo-surprisal of every token: -ln p(token | the tokens on both sides of it), in nats.

The token itself is masked. Salazar et al., 2020 (arXiv:1910.14659), mask one token at a time, so that a text of n
tokens is read n times. With fewer passes than that, every `passes`-th token is masked at once, and a text is read
`passes` times: a token then also lacks those that are `passes`, `2 passes`, ... tokens away from it.

A text that is longer than the context is covered with windows that move on by the stride. Each token is scored once, in
the window in whose middle it is: where two windows overlap, each scores the half that is nearer to its own middle.
"""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from oratory.model import Transformer
from oratory.model.products import fast_products
from oratory.tokens import Tokenizer
from oratory.tokens.scoring import predicted
from oratory.training.loss import NotFinite
from oratory.training.running_text.windows import READ, Integers, Windows
from oratory.training.tasks.mlm.token import mask_id


class CentredWindows(Windows):
    """Windows that score the tokens in their middles: an overlap of two is divided between them."""

    opening = 0

    @staticmethod
    def cuts(offsets: Integers, size: int) -> Integers:
        return (offsets[1:] + offsets[:-1] + size) // 2

    def read(self, passes: int) -> Iterator[tuple[Integers, NDArray[np.bool_], NDArray[np.bool_]]]:
        """Every window in every pass: its places, which of them are masked, and which of these it scores."""
        for length in np.unique(self.lengths):
            alike = np.flatnonzero(self.lengths == length)
            rows = max(1, READ // int(length))
            for at in range(0, len(alike) * passes, rows):
                window, number = np.divmod(np.arange(at, min(at + rows, len(alike) * passes)), passes)
                which = alike[window]
                places = self.begins[which, None] + np.arange(length)  # B, T
                masked = places % passes == number[:, None]
                inside = (places >= self.firsts[which, None]) & (places < self.ends[which, None])
                yield places, masked, masked & inside


@torch.no_grad()
@fast_products()
def pseudo_surprisal(
    model: Transformer, ids: NDArray[np.int32], windows: CentredWindows, tokenizer: Tokenizer, passes: int
) -> NDArray[np.float32]:
    """Nats of every token that counts, at its place in `ids`; not a number for the others."""
    nats = np.full(len(ids), np.nan, np.float32)
    counts, mask = predicted(ids, tokenizer), mask_id(tokenizer)
    training, device = model.training, model.device
    model.eval()
    try:
        for places, masked, scored in windows.read(passes):
            scored = scored & counts[places]
            needed = scored.any(1)
            if not needed.any():
                continue
            places, masked, scored = places[needed], (masked & counts[places])[needed], scored[needed]
            given = torch.from_numpy(np.where(masked, mask, ids[places]).astype(np.int64)).to(device)
            logits = model(given, places=torch.from_numpy(scored).to(device)).logits.float()
            targets = torch.from_numpy(ids[places[scored]].astype(np.int64)).to(device)
            nats[places[scored]] = cross_entropy(logits, targets, reduction="none").cpu().numpy()
    finally:
        model.train(training)
    if not np.isfinite(nats[counts]).all():
        raise NotFinite("The pseudo-surprisal of a token is not a finite number.")
    return nats
