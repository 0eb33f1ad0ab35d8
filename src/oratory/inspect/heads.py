"""What heads do, measured over a corpus."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from oratory.inspect.maps_facts import MEASURES, HeadFacts, heads_table
from oratory.inspect.measures import change, kinds, measure
from oratory.inspect.subject import Subject, subject_of
from oratory.inspect.watch import LayerWeights, watch
from oratory.model import Transformer
from oratory.model.sparse import allow
from oratory.runs import Run
from oratory.tables import Table, Tabled
from oratory.text import Corpus
from oratory.tokens import Tokenizer
from oratory.training.tasks.samples import TOKENS


@dataclass(frozen=True)
class Heads(Tabled):
    """Means over texts of what each head does; a share may be on several kinds of token at once."""

    name: str
    what: str
    """The texts that were looked at."""
    texts: int
    tokens: int
    after: tuple[HeadFacts, ...]
    before: tuple[HeadFacts, ...] | None
    even: dict[str, float]
    """The same measures of a head that looks evenly at all that it may see: what says nothing of training."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "what": self.what,
            "texts": self.texts,
            "tokens": self.tokens,
            "heads": [facts.to_dict() for facts in self.after],
            "before": None if self.before is None else [facts.to_dict() for facts in self.before],
            "even": dict(self.even),
        }

    def tables(self) -> list[Table]:
        about = f"{self.texts:,} {self.what}; {self.tokens:,} tokens."
        moved = " change: the share of a row's weight that training moved." if self.before is not None else ""
        note = f"{about} {' '.join(f'{name}: {said}.' for name, said in MEASURES.items())}{moved}"
        found = [heads_table(self.after, "What each head does", self.even, note)]
        if self.before is not None:
            found.append(heads_table(self.before, "What each head did before training", self.even))
        return found


def heads_of(
    given: Run | Transformer | Subject,
    corpus: Corpus,
    *,
    tokenizer: Tokenizer | None = None,
    before: bool = True,
    tokens: int = TOKENS,
) -> Heads:
    """What every head does on the test texts of a corpus, and how much training changed it where that is known."""
    subject = subject_of(given, tokenizer)
    samples = subject.samples(corpus, tokens)
    shape = (subject.config.layers, subject.config.heads)
    initial = subject.initial() if before and subject.run is not None else None
    models = [subject.model] if initial is None else [initial, subject.model]
    totals = [{name: np.zeros(shape) for name in MEASURES} for _ in models]
    moved, even = np.zeros(shape), dict.fromkeys(MEASURES, 0.0)
    for _, ids in samples.batches(lambda length: shape[1] * length**2):
        marks = _marks(subject, ids)
        layers: list[list[Tensor]] = []
        for model, total in zip(models, totals, strict=True):
            layers.append(_add(model, ids, marks, total, keep=initial is not None))
        for layer, maps in enumerate(zip(*layers, strict=True)):
            moved[layer] += change(*maps).sum(0).numpy()
        for name, values in measure(_even(subject, ids), *marks).items():
            even[name] += float(values.sum())
    found = [_facts(total, len(samples)) for total in totals]
    after = found[-1]
    if initial is not None:
        shares = (moved / len(samples)).reshape(-1)
        after = tuple(
            HeadFacts(facts.layer, facts.head, facts.measures | {"change": float(share)})
            for facts, share in zip(after, shares, strict=True)
        )
    evenly = {name: value / len(samples) for name, value in even.items()}
    first = None if initial is None else found[0]
    return Heads(subject.name, samples.what, len(samples), samples.tokens, after, first, evenly)


def _add(
    model: Transformer, ids: Tensor, marks: tuple[Tensor, Tensor], total: dict[str, NDArray[np.float64]], keep: bool
) -> list[Tensor]:
    """Add what the heads do in some texts of one length to the totals; the maps themselves where they are wanted."""
    kept: list[Tensor] = []

    def visit(seen: LayerWeights) -> None:
        weights = seen.shares.float().cpu()
        for name, values in measure(weights, *marks).items():
            total[name][seen.layer] += values.double().sum(0).numpy()
        if keep:
            kept.append(weights)

    watch(model, ids.to(model.device), None, visit)
    return kept


def _marks(subject: Subject, ids: Tensor) -> tuple[Tensor, Tensor]:
    """Which tokens are separators, and which are content words: (B, T) each."""
    found: Sequence[tuple[list[bool], list[bool]]] = [kinds(subject.tokens(row)) for row in ids.tolist()]
    return torch.tensor([row[0] for row in found]), torch.tensor([row[1] for row in found])


def _even(subject: Subject, ids: Tensor) -> Tensor:
    """The maps of a head that knows nothing: (B, 1, T, T)."""
    places = torch.arange(ids.shape[1])
    config = subject.config
    seen = allow(config.pattern, config.causal, places[:, None], places[None, :]).expand(len(places), -1).float()
    return (seen / seen.sum(-1, keepdim=True).clamp(min=1)).expand(len(ids), 1, -1, -1)


def _facts(total: dict[str, NDArray[np.float64]], texts: int) -> tuple[HeadFacts, ...]:
    layers, heads = next(iter(total.values())).shape
    return tuple(
        HeadFacts(layer, head, {name: float(values[layer, head]) / texts for name, values in total.items()})
        for layer in range(layers)
        for head in range(heads)
    )
