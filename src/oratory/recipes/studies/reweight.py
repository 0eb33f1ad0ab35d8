"""How perplexity changes when heads are multiplied by their norm over the batch.

The same sentences are scored alone, among others as in training, and with the weighting switched off; and by a model
that weights each token separately. To see whether a model uses later tokens, the end of each line is replaced.

Shapes: T tokens, V vocabulary.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.linalg import vector_norm
from torch.nn.functional import cross_entropy

from oratory.batches import IGNORE, LineItems
from oratory.errors import InputError
from oratory.mechanisms.merge.reweight import Reweight
from oratory.model import Transformer
from oratory.reports import Figure
from oratory.runs import Run
from oratory.runs.samples import SAMPLES
from oratory.seeds import derive
from oratory.statistics import Estimate, mean_of
from oratory.tables import Table, Tabled, number
from oratory.text import Corpus
from oratory.tokens import START, STOP
from oratory.training.tasks.lm.surprisal import opened
from oratory.training.tasks.metric import exponential

MODELS = BASE, BATCH, PER_TOKEN = "base", "reweight", "reweight-per-token"
ALONE, AMONG, OFF = "alone", "among others", "alone, off at inference"
HELD_OUT = "held out"
EXPLODED = 10.0
"""From this many times the perplexity on, the effect is as large as R3's."""
LINES = 32
"""Held-out lines that are scored besides the sample sentences."""


@dataclass(frozen=True)
class ScoredCondition:
    """What one model scores under one condition."""

    model: str
    how: str
    """The condition: alone, among others, or alone with the weighting switched off."""
    nats: Mapping[str, tuple[float, ...]]
    """Nats per token of each text, by seed."""
    weight: tuple[float, ...] = ()
    """What a head is multiplied by on average, by seed; empty for a model that does not weight its heads."""

    def to_dict(self) -> dict[str, Any]:
        perplexity = {text: exponential(mean_of(values).mean) for text, values in self.nats.items()}
        weight = mean_of(self.weight).mean if self.weight else None
        return {"model": self.model, "how": self.how, "perplexity": perplexity, "weight": weight}


@dataclass(frozen=True)
class ReweightResult(Tabled):
    """What the study found."""

    conditions: tuple[ScoredCondition, ...]
    leaks: Mapping[str, tuple[float, ...]]
    """Nats by which tokens of the first half change if the second half of a line is replaced; by model and seed."""
    batch: int
    title: ClassVar[str] = "The explanation"

    def of(self, model: str, how: str) -> ScoredCondition:
        """A model under a condition."""
        return next(found for found in self.conditions if (found.model, found.how) == (model, how))

    def ratio(self, one: tuple[str, str], other: tuple[str, str]) -> Estimate:
        """The logarithm of the ratio of two perplexities on held-out lines, over paired seeds."""
        left, right = self.of(*one).nats[HELD_OUT], self.of(*other).nats[HELD_OUT]
        return mean_of([a - b for a, b in zip(left, right, strict=True)])

    def sentences(self) -> list[str]:
        """The conclusions, which follow from the figures."""
        among = (BATCH, AMONG)
        by, alone = mean_of(self.of(*among).weight).mean, mean_of(self.of(BATCH, ALONE).weight).mean
        off = "further from" if abs(math.log(by)) > abs(math.log(by / alone)) else "nearer to"
        per_token = (PER_TOKEN, ALONE)
        small = exponential(self.ratio((BATCH, ALONE), among).mean) < EXPLODED
        leaks = {name: f"{mean_of(values).mean:.3f}" for name, values in self.leaks.items()}
        return [
            "A held-out sentence that the re-weighted model scores alone has "
            f"{_times(self.ratio((BATCH, ALONE), among))} the perplexity that it has among {self.batch - 1} others, as "
            "in training"
            + (". This is the effect that R3 saw, but it is far smaller than R3's millions." if small else "."),
            f"Among others, a head is multiplied by {by:,.1f} on average; alone, by {alone:,.1f}. The norm sums over "
            "all tokens of the batch, so a sentence alone gets weights that did not occur in training.",
            f"With the weighting switched off, the perplexity is {_times(self.ratio((BATCH, OFF), among))} that among "
            f"others: a weight of 1 is {off} {by:,.1f} than {alone:,.1f} is.",
            "The model that weights each token separately gives a sentence alone "
            f"{_times(self.ratio(per_token, (PER_TOKEN, AMONG)))} the perplexity that it has among others, and "
            f"{_times(self.ratio(per_token, (BASE, ALONE)))} the perplexity that the base model gives it.",
            "The norm over the batch also includes later tokens. If the second half of a line is replaced, the tokens "
            f"of the first half change by {leaks[BATCH]} nats (base {leaks[BASE]}, per token {leaks[PER_TOKEN]}): the "
            "model has partly seen what it has to predict.",
        ]

    def pictures(self) -> list[Figure]:
        return []

    def to_dict(self) -> dict[str, Any]:
        return {
            "batch": self.batch,
            "conditions": [condition.to_dict() for condition in self.conditions],
            "leaks": {model: mean_of(values).mean for model, values in self.leaks.items()},
            "conclusion": self.sentences(),
        }

    def tables(self) -> list[Table]:
        texts = list(self.conditions[0].nats)
        columns = ("model", "sentences", *texts, "head weight")
        rows = tuple(
            (
                condition.model,
                condition.how,
                *(_figure(exponential(mean_of(condition.nats[text]).mean)) for text in texts),
                number(mean_of(condition.weight).mean, 1) if condition.weight else "–",
            )
            for condition in self.conditions
        )
        note = (
            f"Perplexity, geometric mean over seeds; {HELD_OUT}: {LINES} held-out lines. {' '.join(self.sentences())}"
        )
        return [Table("A sentence alone, among others, and switched off", columns, rows, words=2, note=note)]


KEPT = ReweightResult


def explain(runs: Mapping[str, Sequence[Run]], corpus: Corpus) -> ReweightResult:
    """Score the sentences under every condition with the models of every seed."""
    missing = [name for name in MODELS if name not in runs]
    if missing:
        raise InputError(f"This study needs runs of the variant {missing[0]!r}.")
    # Models are compared seed by seed, so a seed that failed for one of them is left out for all.
    seeds = set.intersection(*({run.seed for run in runs[name]} for name in MODELS))
    if not seeds:
        raise InputError("This study needs a seed that every variant was trained with, and there is none.")
    conditions, leaks = [], {}
    for name in MODELS:
        models = [_SentenceScorer(run, corpus) for run in runs[name] if run.seed in seeds]
        hows = (ALONE, AMONG, OFF) if name == BATCH else (ALONE, AMONG)
        for how in hows:
            scored = [model.scores(how) for model in models]
            nats = {text: tuple(values[text] for values, _ in scored) for text in scored[0][0]}
            weights = tuple(weight for _, weight in scored if weight is not None)
            conditions.append(ScoredCondition(name, how, nats, weights))
        leaks[name] = tuple(model.leak() for model in models)
    return ReweightResult(tuple(conditions), leaks, int(runs[BASE][0].settings["train.batch"]))


class _WatchedMerge:
    """A merge that also records what it multiplies the heads by."""

    def __init__(self, merge: Any) -> None:
        self.inner = merge
        self.weights: list[float] = []

    def merge(self, heads: Tensor, training: bool) -> Tensor:
        if isinstance(self.inner, Reweight):
            norms = vector_norm(heads, dim=(0, 1, 3))
            self.weights.append(float(norms.mean()) if self.inner.at_inference else 1.0)
        out: Tensor = self.inner.merge(heads, training)
        return out


class _SentenceScorer:
    """The model of one run, the sentences to score, and lines of the training text to mix them with."""

    def __init__(self, run: Run, corpus: Corpus) -> None:
        data, tokenizer = corpus.need_lm(), run.tokenizer
        held = data.dev or next(iter(data.tests.values()))
        lines = [*SAMPLES.values(), *held[:LINES]]
        encoded = tokenizer.measure_all([f"{line}\n" for line in (*lines, *data.train)])
        text = opened(encoded.wrapped(tokenizer.find(START), tokenizer.find(STOP)), run.facts["opening"], tokenizer)
        longest = int(run.settings["train.truncate"] or run.config.context)
        self.items = LineItems(text, longest, tokenizer.pad_id)
        self.run, self.count, self.held = run, len(lines), min(LINES, len(held))
        self.others = np.random.default_rng(derive(run.seed, "others"))
        self.batch = int(run.settings["train.batch"])

    def scores(self, how: str) -> tuple[dict[str, float], float | None]:
        """Nats per token of each text, and the mean weight of a head."""
        model, watched = self._model(off=how == OFF)
        nats = [self._line(model, index, how) for index in range(self.count)]
        texts = dict(zip(SAMPLES, nats, strict=False)) | {HELD_OUT: float(np.mean(nats[-self.held :]))}
        weights = [weight for merge in watched for weight in merge.weights]
        return texts, float(np.mean(weights)) if weights else None

    def leak(self) -> float:
        """The mean change of the tokens of the first half, in nats, if the second half is that of another line."""
        model, _ = self._model()
        changes = []
        for index in range(self.count):
            ids = self.items.batch(np.array([index])).ids
            half = ids.shape[1] // 2
            if half < 2:
                continue
            length = ids.shape[1] - half
            line = self.items.batch(self.others.integers(self.count, len(self.items), 1)).ids[0]
            other = ids.clone()
            other[0, half:] = line.repeat(-(-length // len(line)))[:length]
            changes.append(float((_nats(model, ids) - _nats(model, other))[: half - 1].abs().mean()))
        return float(np.mean(changes)) if changes else math.nan

    def _line(self, model: Transformer, index: int, how: str) -> float:
        """Nats per token of one sentence."""
        items = np.array([index])
        if how == AMONG:
            others: NDArray[np.int64] = self.others.integers(self.count, len(self.items), self.batch - 1)
            items = np.concatenate([items, others])
        batch = self.items.batch(items)
        with torch.no_grad():
            logits = model(batch.ids, batch.mask).logits[0].float()  # T, V
        return float(cross_entropy(logits, batch.targets[0], ignore_index=IGNORE))

    def _model(self, off: bool = False) -> tuple[Transformer, list[_WatchedMerge]]:
        """The trained model with its merges watched. It is loaded anew, since this changes it."""
        model = self.run.load_model()
        watched = []
        for block in model.blocks:
            attention: Any = block.attention
            merge = attention.merge
            if not hasattr(merge, "merge"):
                continue
            attention.merge = _WatchedMerge(replace(merge, at_inference=False) if off else merge)
            watched.append(attention.merge)
        return model, watched


def _nats(model: Transformer, ids: Tensor) -> Tensor:
    """The surprisal of every token but the first."""
    with torch.no_grad():
        logits = model(ids[:, :-1]).logits[0].float()
    return cross_entropy(logits, ids[0, 1:], reduction="none")


def _figure(value: float) -> str:
    return number(value, 1) if value < 1e7 else f"{value:.2e}"


def _times(difference: Estimate) -> str:
    """A difference in nats as a ratio."""
    if difference.interval is None:
        return f"{exponential(difference.mean):,.2f} times"
    low, high = (exponential(end) for end in difference.interval)
    return f"{exponential(difference.mean):,.2f} times (95% interval {low:,.2f} to {high:,.2f})"
