"""Head ablation: the loss when one head is switched off, against the loss of the whole model on the same texts.

Michel et al., 2019 (arXiv:1905.10650).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.inspect.subject import Subject, subject_of
from oratory.inspect.watch import refuse_without_attention
from oratory.model import Transformer
from oratory.model.attention import SelfAttention
from oratory.runs import Run
from oratory.statistics import LEVEL, Array, Difference, holm, paired
from oratory.statistics.clustered import summed
from oratory.tables import Table, Tabled, number, plural
from oratory.text import Corpus
from oratory.tokens import Tokenizer
from oratory.training.tasks.samples import TOKENS


@dataclass(frozen=True)
class HeadLoss:
    """What the loss does without one head."""

    layer: int
    head: int
    loss: float
    difference: float
    """Nats more than those of the whole model."""
    interval: tuple[float, float] | None
    """Of 95%, over what counts as one."""
    p: float | None
    """After Holm over all heads."""

    @property
    def shown(self) -> bool:
        """Whether a difference is shown."""
        return self.p is not None and self.p < LEVEL

    @property
    def verdict(self) -> str:
        if not self.shown:
            return "no verdict" if self.p is None else "no difference shown"
        return "loss rises" if self.difference > 0 else "loss falls"

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "verdict": self.verdict}


@dataclass(frozen=True)
class Ablation(Tabled):
    """Every head switched off once. This says what one trained model uses, not what an architecture needs."""

    name: str
    what: str
    texts: int
    tokens: int
    unit: str
    """What counts as one: a text, or a group of them."""
    loss: float
    """Of the whole model, in nats."""
    heads: tuple[HeadLoss, ...]

    def to_dict(self) -> dict[str, Any]:
        facts = {"name": self.name, "what": self.what, "texts": self.texts, "tokens": self.tokens, "unit": self.unit}
        return {**facts, "loss": self.loss, "heads": [head.to_dict() for head in self.heads]}

    def tables(self) -> list[Table]:
        rows = tuple(
            (
                f"layer {each.layer} head {each.head}",
                each.verdict,
                number(each.loss, 4),
                f"{each.difference:+.4f}",
                "–" if each.interval is None else f"{each.interval[0]:+.4f} to {each.interval[1]:+.4f}",
                "–" if each.p is None else f"{each.p:.2g}",
            )
            for each in self.heads
        )
        note = f"Whole model: {self.loss:.4f} nats; {self.texts:,} {self.what}. Intervals of 95% for new "
        note += f"{plural(self.unit)}, on the same texts with and without the head; p after Holm over all heads. One"
        note += " model, so one seed."
        columns = ("without", "verdict", "loss", "difference", "interval", "p")
        return [Table("The loss without a head", columns, rows, words=2, note=note)]


def ablate(
    given: Run | Transformer | Subject, corpus: Corpus, *, tokenizer: Tokenizer | None = None, tokens: int = TOKENS
) -> Ablation:
    """The loss on the test texts of a corpus with each head switched off in turn."""
    subject = subject_of(given, tokenizer)
    config, task = subject.config, subject.task
    if task is None:
        raise InputError(f"{subject.name} has no loss on {corpus.name}: it is for no task.")
    refuse_without_attention(subject.model)
    if len(set(config.blocks)) < config.layers:
        raise InputError(f"Layers of {subject.name} share their heads, so none can be switched off in one of them.")
    samples = subject.samples(corpus, tokens)
    assert subject.tokenizer is not None
    whole = task.losses(subject.model, samples, subject.tokenizer)
    places = [(layer, head) for layer in range(config.layers) for head in range(config.heads)]
    without = []
    for layer, head in places:
        with silenced(subject.model, layer, head):
            without.append(task.losses(subject.model, samples, subject.tokenizer))
    unit, owners = samples.counted()
    found = [_more(each - whole, owners, len(places)) for each in without]
    adjusted = holm([each.p for each in found])
    heads = tuple(
        HeadLoss(layer, head, float(values.mean()), each.mean, each.interval, p)
        for (layer, head), values, each, p in zip(places, without, found, adjusted, strict=True)
    )
    return Ablation(subject.name, samples.what, len(samples), samples.tokens, unit, float(whole.mean()), heads)


def _more(nats: Array, owners: NDArray[np.int64], comparisons: int) -> Difference:
    """The mean of what each text has more. The units take the place of seeds: this one model is a sample over them."""
    means, sizes = summed(nats, np.ones(len(nats)), owners)
    # A unit of many texts counts for more, so that the mean over units is that over texts.
    values = nats.mean() + (means - nats.mean()) * sizes / sizes.mean()
    return paired(values[:, None], np.zeros((len(values), 1)), better="lower", comparisons=comparisons)


@contextmanager
def silenced(model: Transformer, layer: int, head: int) -> Iterator[None]:
    """The model with a head that gives zeros; whatever merges the heads merges zeros in its place."""
    attention = model.blocks[layer].attention
    assert isinstance(attention, SelfAttention)
    # Where the model keeps it: among its modules if it learns, else among its other attributes.
    home: dict[str, Any] = attention._modules if "merge" in attention._modules else vars(attention)
    before = home["merge"]
    home["merge"] = _Silenced(before, head)
    try:
        yield
    finally:
        home["merge"] = before


class _Silenced(nn.Module):
    """A merge that sees zeros from one head."""

    def __init__(self, inner: Any, head: int) -> None:
        super().__init__()
        self.inner = inner
        self.head = head

    def merge(self, heads: Tensor, training: bool) -> Tensor:
        heads = heads.clone()
        heads[:, :, self.head] = 0
        if hasattr(self.inner, "merge"):
            heads = self.inner.merge(heads, training)
        return heads
