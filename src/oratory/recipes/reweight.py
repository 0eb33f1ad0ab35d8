"""What becomes of perplexity where heads are weighted by their norm over the batch: an experiment with trained models.

The same sentences are scored alone and among others, as in training; with the weighting switched off; and by a model
that weights each token by itself. Whether a model sees the future is tried by changing the end of a line.

Shapes: B sentences, T tokens.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.linalg import vector_norm
from torch.nn.functional import cross_entropy

from oratory.batches import IGNORE, LineItems
from oratory.comparison.statistics import Estimate, exponential, single
from oratory.errors import InputError
from oratory.mechanisms.merge.reweight import Reweight
from oratory.model import Transformer
from oratory.runs import Run
from oratory.runs.model import load_model
from oratory.runs.samples import SAMPLES
from oratory.seeds import derive
from oratory.tables import Table, Tabled, number
from oratory.text import Corpus
from oratory.tokens import START, STOP
from oratory.training.surprisal import opened

BASE, BATCH, PER_TOKEN = "base", "reweight", "reweight-per-token"
ALONE, AMONG, OFF = "alone", "among others", "alone, off at inference"
HELD_OUT = "held out"
EXPLODED = 10.0
"""Times the perplexity, from which on one may speak of an explosion."""
LINES = 32
"""Held-out lines that are scored besides the three sentences."""


@dataclass(frozen=True)
class Condition:
    """One model under one condition: nats per token of each text, by seed, and what its heads are multiplied by."""

    model: str
    how: str
    nats: Mapping[str, tuple[float, ...]]
    weight: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        perplexity = {text: exponential(_mean(values).mean) for text, values in self.nats.items()}
        weight = _mean(self.weight).mean if self.weight else None
        return {"model": self.model, "how": self.how, "perplexity": perplexity, "weight": weight}


@dataclass(frozen=True)
class Explained(Tabled):
    """What the experiment shows."""

    conditions: tuple[Condition, ...]
    leaks: Mapping[str, tuple[float, ...]]
    """Nats by which tokens of the first half change when the second half of a line is another; by model and seed."""
    batch: int

    def of(self, model: str, how: str) -> Condition:
        return next(found for found in self.conditions if (found.model, found.how) == (model, how))

    def ratio(self, one: tuple[str, str], other: tuple[str, str]) -> Estimate:
        """How many times another condition's perplexity one has on held-out lines: nats, over paired seeds."""
        left, right = self.of(*one).nats[HELD_OUT], self.of(*other).nats[HELD_OUT]
        return _mean([a - b for a, b in zip(left, right, strict=True)])

    def sentences(self) -> list[str]:
        """The conclusion, from the figures."""
        among = (BATCH, AMONG)
        by, alone = _mean(self.of(*among).weight).mean, _mean(self.of(BATCH, ALONE).weight).mean
        off = "further" if abs(math.log(by)) > abs(math.log(by / alone)) else "nearer"
        per_token = (PER_TOKEN, ALONE)
        small = exponential(self.ratio((BATCH, ALONE), among).mean) < EXPLODED
        leaks = {name: f"{_mean(values).mean:.3f}" for name, values in self.leaks.items()}
        return [
            f"Alone, a held-out sentence has {_times(self.ratio((BATCH, ALONE), among))} the perplexity that the "
            f"re-weighted model gives it among {self.batch - 1} others, as in training"
            + (": the cause that R3 met, but far from the size of its millions." if small else "."),
            f"Among others its heads are multiplied by {by:,.1f} on average, alone by {alone:,.1f}, because the norm "
            "sums over all tokens of the batch: a sentence alone meets weights that training never saw.",
            f"Switched off at inference, it has {_times(self.ratio((BATCH, OFF), among))} that perplexity: a weight of "
            f"1 is {off} from {by:,.1f} than {alone:,.1f} is.",
            f"Weighted per token, a sentence alone has {_times(self.ratio(per_token, (PER_TOKEN, AMONG)))} the "
            f"perplexity that it has among others, and {_times(self.ratio(per_token, (BASE, ALONE)))} the base's.",
            "The norm over the batch runs over later tokens too. With another second half of a line, tokens of the "
            f"first half change by {leaks[BATCH]} nats (base {leaks[BASE]}, per token {leaks[PER_TOKEN]}): what it is "
            "said to predict, it has partly seen.",
        ]

    def to_dict(self) -> dict[str, Any]:
        return {
            "batch": self.batch,
            "conditions": [condition.to_dict() for condition in self.conditions],
            "leaks": {model: _mean(values).mean for model, values in self.leaks.items()},
            "conclusion": self.sentences(),
        }

    def tables(self) -> list[Table]:
        texts = list(self.conditions[0].nats)
        columns = ("model", "sentences", *texts, "heads times")
        rows = tuple(
            (
                condition.model,
                condition.how,
                *(_figure(exponential(_mean(condition.nats[text]).mean)) for text in texts),
                number(_mean(condition.weight).mean, 1) if condition.weight else "–",
            )
            for condition in self.conditions
        )
        note = (
            f"Perplexity, geometric mean over seeds; {HELD_OUT}: {LINES} held-out lines. {' '.join(self.sentences())}"
        )
        return [Table("A sentence alone, among others, and switched off", columns, rows, words=2, note=note)]


def explain(runs: Mapping[str, Sequence[Run]], corpus: Corpus) -> Explained:
    """Score sentences under all conditions with the models of every seed."""
    missing = [name for name in (BASE, BATCH, PER_TOKEN) if name not in runs]
    if missing:
        raise InputError(f"This experiment needs the variant {missing[0]!r} among its runs.")
    conditions, leaks = [], {}
    for name in (BASE, BATCH, PER_TOKEN):
        found = [_Trial(run, corpus) for run in runs[name]]
        hows = (ALONE, AMONG, OFF) if name == BATCH else (ALONE, AMONG)
        for how in hows:
            scored = [trial.scores(how) for trial in found]
            nats = {text: tuple(values[text] for values, _ in scored) for text in scored[0][0]}
            weights = tuple(weight for _, weight in scored if weight is not None)
            conditions.append(Condition(name, how, nats, weights))
        leaks[name] = tuple(trial.leak() for trial in found)
    return Explained(tuple(conditions), leaks, int(runs[BASE][0].settings["train.batch"]))


class _Watched:
    """A merge that notes by what it multiplies the heads."""

    def __init__(self, merge: Any) -> None:
        self.inner = merge
        self.weights: list[float] = []

    def merge(self, heads: Tensor, training: bool) -> Tensor:
        if isinstance(self.inner, Reweight):
            norms = vector_norm(heads, dim=(0, 1, 3))
            self.weights.append(float(norms.mean()) if self.inner.at_inference else 1.0)
        out: Tensor = self.inner.merge(heads, training)
        return out


class _Trial:
    """The model of one run, the sentences, and others of the training text to stand among."""

    def __init__(self, run: Run, corpus: Corpus) -> None:
        data, tokenizer = corpus.need_lm(), run.tokenizer
        held = data.dev or next(iter(data.tests.values()))
        lines = [*SAMPLES.values(), *held[:LINES]]
        encoded = tokenizer.measure_all([f"{line}\n" for line in (*lines, *data.train)])
        text = opened(encoded.wrapped(tokenizer.find(START), tokenizer.find(STOP)), run.record["opening"], tokenizer)
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
        """By how much tokens of the first half change, on average, with the second half of another line."""
        model, _ = self._model()
        changes = []
        for index in range(self.count):
            ids = self.items.batch(np.array([index])).ids
            half = ids.shape[1] // 2
            if half < 2:
                continue
            wanted = ids.shape[1] - half
            stranger = self.items.batch(self.others.integers(self.count, len(self.items), 1)).ids[0]
            other = ids.clone()
            other[0, half:] = stranger.repeat(-(-wanted // len(stranger)))[:wanted]
            changes.append(float((_nats(model, ids) - _nats(model, other))[: half - 1].abs().mean()))
        return float(np.mean(changes)) if changes else math.nan

    def _line(self, model: Transformer, index: int, how: str) -> float:
        items = np.array([index])
        if how == AMONG:
            others: NDArray[np.int64] = self.others.integers(self.count, len(self.items), self.batch - 1)
            items = np.concatenate([items, others])
        batch = self.items.batch(items)
        with torch.no_grad():
            logits = model(batch.ids, batch.mask).logits[0].float()  # T, V
        return float(cross_entropy(logits, batch.targets[0], ignore_index=IGNORE))

    def _model(self, off: bool = False) -> tuple[Transformer, list[_Watched]]:
        """The trained model with watched merges; a model of its own, since this changes it."""
        model = load_model(self.run)
        watched = []
        for block in model.blocks:
            attention: Any = block.attention
            merge = attention.merge
            if not hasattr(merge, "merge"):
                continue
            attention.merge = _Watched(replace(merge, at_inference=False) if off else merge)
            watched.append(attention.merge)
        return model, watched


def _nats(model: Transformer, ids: Tensor) -> Tensor:
    """The surprisal of every token but the first."""
    with torch.no_grad():
        logits = model(ids[:, :-1]).logits[0].float()
    return cross_entropy(logits, ids[0, 1:], reduction="none")


def _mean(values: Sequence[float]) -> Estimate:
    return single(np.array(values, np.float64)[:, None])


def _figure(value: float) -> str:
    return number(value, 1) if value < 1e7 else f"{value:.2e}"


def _times(difference: Estimate) -> str:
    """A difference in nats as so many times."""
    if difference.interval is None:
        return f"{exponential(difference.mean):,.2f} times"
    low, high = (exponential(end) for end in difference.interval)
    return f"{exponential(difference.mean):,.2f} times (95% interval {low:,.2f} to {high:,.2f})"
