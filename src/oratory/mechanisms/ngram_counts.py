"""Modified Kneser-Ney as a part of a model: the whole distribution after a few tokens, with or without one event.

A model that learns on the very text that was counted would trust the counts too much: every n-gram that it meets was
counted. So while it learns, the token to predict is taken out of the counts once (leave-one-out, as in Ney, Essen and
Kneser, 1994): what remains is what the rest of the text says of it. An n-gram that was met once is then not there, and
neither is what it gave to the lower orders.

Shapes: N tokens to predict, V vocabulary, G n-grams of an order.
"""

from typing import Any

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import Reading
from oratory.tokens.ngrams import NgramCounts


class CountedNgrams(nn.Module):
    """The counts of a text in buffers, so that a saved model has them."""

    def __init__(self, vocabulary: int, order: int) -> None:
        super().__init__()
        self.vocabulary, self.order = vocabulary, order
        for n in range(1, order + 1):
            self.register_buffer(f"keys_{n}", torch.zeros(0, dtype=torch.int64))
            self.register_buffer(f"counts_{n}", torch.zeros(0, dtype=torch.int32))
        self.register_buffer("discounts", torch.zeros(order, 3))
        self.discounts: Tensor
        self._sums: dict[int, tuple[Tensor, Tensor, Tensor]] = {}

    def learn_from(self, ids: Tensor) -> None:
        """Count a text. What it cannot have, such as trigrams of two tokens, stays empty."""
        if len(ids) and int(ids.max()) >= self.vocabulary:
            raise InputError(
                f"The n-grams of this head are of {self.vocabulary:,} tokens, and the text has the token "
                f"{int(ids.max()):,}: it is of another vocabulary."
            )
        counts = NgramCounts(ids.cpu().numpy(), self.vocabulary, self.order)
        device = self.discounts.device
        for n, ((table, found), discounts) in enumerate(
            zip(counts.counted(self.order), counts.modified(self.order), strict=True), 1
        ):
            setattr(self, f"keys_{n}", torch.tensor(table.keys, device=device))
            setattr(self, f"counts_{n}", torch.tensor(found, device=device))
            self.discounts[n - 1] = torch.tensor(discounts)
        self._sums = {}

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        """Take over buffers of any length: how many n-grams there are follows from the text."""
        for name, buffer in list(self._buffers.items()):
            found = state_dict.get(f"{prefix}{name}")
            if found is not None and buffer is not None and found.shape != buffer.shape and found.dim() == 1:
                self._buffers[name] = torch.empty_like(found, device=buffer.device)
        self._sums = {}
        super()._load_from_state_dict(state_dict, prefix, *args)

    def after(self, reading: Reading) -> Tensor:
        """The distribution (N, V) after each token of a reading, without what it wants, if it says that."""
        assert reading.rows is not None
        assert reading.columns is not None
        back = torch.arange(2 - self.order, 1, device=reading.ids.device)[: self.order - 1]
        columns = reading.columns[:, None] + back  # N, order - 1
        before = reading.ids[reading.rows[:, None], columns.clamp(min=0)].masked_fill(columns < 0, -1)
        return self.probabilities(before, reading.wanted)

    def probabilities(self, before: Tensor, wanted: Tensor | None = None) -> Tensor:
        """p(. | the tokens before), as (N, V), from `before` (N, order - 1), which is -1 where there is no token.

        With `wanted` (N), each is taken out of the counts once.
        """
        histories = [self._history(before, n) for n in range(1, self.order + 1)]
        left_out = self._left_out(histories, wanted)
        p = self._unigrams(len(before), wanted, left_out[0])
        for n, history in enumerate(histories[1:], 2):
            if len(self._keys(n)):
                self._add_order(p, n, history, wanted, left_out[n - 1])
        return p

    def _unigrams(self, size: int, wanted: Tensor | None, count: Tensor | None) -> Tensor:
        """The lowest order, the same for all but what is left out."""
        counts = torch.zeros(self.vocabulary, device=self.discounts.device)
        counts[self._keys(1)] = self._counts(1).float()
        kept = (counts - self._taken(1, counts)).clamp(min=0)
        gone = torch.zeros(size, device=counts.device) if count is None else (count > 0).float()
        total, freed = counts.sum() - gone, self._taken(1, counts).sum() * torch.ones_like(gone)
        if wanted is not None and count is not None:
            less = (count - 1).clamp(min=0)
            freed = freed + gone * (self._taken(1, less) - self._taken(1, count))
        known = total > 0
        total = torch.where(known, total, 1.0)
        rest = torch.where(known, freed / total, 1.0) / self.vocabulary
        p = kept / total[:, None] + rest[:, None]
        if wanted is not None and count is not None:
            changed = (less - self._taken(1, less)).clamp(min=0) - kept[wanted]
            p[torch.arange(size, device=p.device), wanted] += gone * changed / total
        return p

    def _add_order(self, p: Tensor, n: int, history: Tensor, wanted: Tensor | None, count: Tensor | None) -> None:
        """One step of the recursion, in place: what is kept of the counts of an order, and the lower one's share."""
        starts, totals, freed_by = self._of(n)
        at = history.clamp(min=0)
        total, freed = totals[at], freed_by[at]
        if count is not None:
            gone = (count > 0).float()
            total = total - gone
            freed = freed + gone * (self._taken(n, count - 1) - self._taken(n, count))
        known = (history >= 0) & (total > 0)
        total = torch.where(known, total, 1.0)
        p *= torch.where(known, freed / total, 1.0)[:, None]
        rows, places = _spread(starts, at, known)
        words = self._keys(n)[places] % self.vocabulary
        counts = self._counts(n)[places].float()
        if count is not None and wanted is not None:
            counts = counts - ((words == wanted[rows]) & (count[rows] > 0)).float()
        kept = (counts - self._taken(n, counts)).clamp(min=0) / total[rows]
        # An n-gram is there once, so no two of these are the same place.
        p.view(-1)[rows * self.vocabulary + words] += kept

    def _left_out(self, histories: list[Tensor], wanted: Tensor | None) -> list[Tensor | None]:
        """For each order the count of the wanted n-gram where it is to be one less, else 0; None if nothing is wanted.

        It is less in a lower order only where the longer n-gram, which gave it that count, is gone, or is not known.
        """
        if wanted is None:
            return [None] * self.order
        found: list[Tensor | None] = [None] * self.order
        goes = torch.ones_like(wanted, dtype=torch.bool)
        for n in range(self.order, 0, -1):
            count = torch.zeros_like(wanted, dtype=torch.float32)
            if len(self._keys(n)):
                history = histories[n - 1]
                place = _find(self._keys(n), history * self.vocabulary + wanted, history >= 0)
                count = torch.where(place >= 0, self._counts(n)[place.clamp(min=0)].float(), 0.0)
            found[n - 1] = count * goes
            goes = goes & (count <= 1)
        return found

    def _history(self, before: Tensor, n: int) -> Tensor:
        """The number of the n - 1 tokens before, among the n-grams of that order; -1 where they were never met."""
        number = torch.zeros(len(before), dtype=torch.int64, device=before.device)
        for k in range(1, n):
            word = before[:, before.shape[1] - (n - 1) + k - 1]
            number = _find(self._keys(k), number * self.vocabulary + word, (number >= 0) & (word >= 0))
        return number

    def _of(self, n: int) -> tuple[Tensor, Tensor, Tensor]:
        """Of each history of an order: where its n-grams begin, the sum of their counts, what is taken from them."""
        if n not in self._sums:
            keys, counts = self._keys(n), self._counts(n).float()
            size = len(self._keys(n - 1)) if n > 1 else 1
            owners = keys // self.vocabulary
            starts = torch.searchsorted(owners, torch.arange(size + 1, device=keys.device))
            empty = torch.zeros(size, device=keys.device)
            totals = empty.index_add(0, owners, counts)
            self._sums[n] = starts, totals, empty.index_add(0, owners, self._taken(n, counts))
        return self._sums[n]

    def _taken(self, n: int, counts: Tensor) -> Tensor:
        """What is taken from a count."""
        one, two, more = self.discounts[n - 1]
        zero = torch.zeros_like(one)
        return torch.where(counts > 2, more, torch.where(counts > 1, two, torch.where(counts > 0, one, zero)))

    def _keys(self, n: int) -> Tensor:
        found: Tensor = getattr(self, f"keys_{n}")
        return found

    def _counts(self, n: int) -> Tensor:
        found: Tensor = getattr(self, f"counts_{n}")
        return found


def _spread(starts: Tensor, history: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
    """Every n-gram that follows from a known history: the row that asks for it, and its place."""
    first = starts[history]
    lengths = (starts[history + 1] - first) * known
    rows = torch.repeat_interleave(lengths)
    ends = lengths.cumsum(0)
    places = torch.arange(len(rows), device=rows.device) - (ends - lengths)[rows] + first[rows]
    return rows, places


def _find(keys: Tensor, wanted: Tensor, possible: Tensor) -> Tensor:
    """The index of each wanted key, or -1."""
    if not len(keys):
        return torch.full_like(wanted, -1)
    at = torch.searchsorted(keys, wanted).clamp(max=len(keys) - 1)
    return torch.where(possible & (keys[at] == wanted), at, -1)
