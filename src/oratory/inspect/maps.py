"""Attention maps of one text, from a run or from any model.

Shapes: T tokens.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.inspect.checks import Checker, Rules
from oratory.inspect.maps_facts import HeadFacts, Maps, Stage
from oratory.inspect.measures import kinds, measure
from oratory.inspect.subject import Subject, subject_of
from oratory.inspect.watch import LayerWeights, watch
from oratory.mechanisms import written_as
from oratory.model import Transformer
from oratory.runs import Run
from oratory.tables import number
from oratory.tokens import PAD, Tokenizer

MEMORY = 2 * 1024**3
"""Bytes of maps that are kept at once."""
Visit = Callable[[int, NDArray[np.float32]], None]
"""Takes a layer and the maps (H, T, T) of all its heads."""


def attend(
    given: Run | Transformer | Subject,
    text: str | Sequence[int],
    *,
    tokenizer: Tokenizer | None = None,
    layer: int | None = None,
    head: int | None = None,
    before: bool = False,
    mean: bool = False,
    rollout: bool = False,
    pad_to: int | None = None,
    visit: Visit | None = None,
) -> Maps:
    """The attention maps of a text, from a run or from any model with its tokenizer (or ids in place of a text).

    All layers and heads, or the ones named. `before` adds the maps of the model before training, `mean` the mean over
    the heads of each layer, and `rollout` the attention of the last layer traced back to the first tokens through all
    layers and residuals (Abnar and Zuidema, 2020, arXiv:2005.00928). `pad_to` fills the text up with padding. With
    `visit`, the maps of each layer are handed to it, and none are kept: a long text then needs the memory of one layer.
    The sanity checks always run, over every layer and head.
    """
    subject = subject_of(given, tokenizer)
    ids, cut = subject.encode(text)
    config = subject.config
    layers, heads = _chosen("layer", layer, config.layers), _chosen("head", head, config.heads)
    layers = layers if visit is None else ()
    padded, keep = _padded(subject, ids, pad_to)
    _check_memory(len(layers) * len(heads) * (1 + before), len(padded))
    rules = Rules.of(config, keep)
    whole = subject.tokens([*ids, *cut], text if isinstance(text, str) else None)
    tokens = whole[: len(ids)]
    asked = MapRequest(padded, rules, layers, heads, mean, rollout, kinds(tokens), visit)
    initial = asked.stage(subject.initial(), "before") if before else None
    unk = None if subject.tokenizer is None else subject.tokenizer.unk_id
    return Maps(
        name=subject.name,
        text=text if isinstance(text, str) else " ".join(tokens),
        tokens=tokens + (PAD,) * (len(padded) - len(ids)),
        padding=len(padded) - len(ids),
        cut=whole[len(ids) :],
        unknown=0 if unk is None else ids.count(unk),
        layers=layers,
        heads=heads,
        of_layers=config.layers,
        of_heads=config.heads,
        task=subject.purpose,
        position=written_as(config.position),
        rules=rules,
        after=asked.stage(subject.model, "after"),
        before=initial,
        answer=_answer(subject, text) if isinstance(text, str) else "",
    )


def _answer(subject: Subject, text: str) -> str:
    """What the model of a run says of the text: its label, or its perplexity."""
    if subject.run is None:
        return ""
    row = subject.run.score(text)[0].row()
    if "predicted" in row:
        label = row["predicted"]
        return f"The model's answer: {label}, with {100 * row[f'p({label})']:.1f}%."
    name, value = next(iter(row.items()))
    return f"Its {name.replace('_', ' ')} of this text: {number(value, 1)}."


@dataclass
class MapRequest:
    """What was asked for, the same for every stage."""

    ids: list[int]
    rules: Rules
    layers: tuple[int, ...]
    heads: tuple[int, ...]
    mean: bool
    rollout: bool
    kinds: tuple[list[bool], list[bool]] = field(default_factory=lambda: ([], []))
    visit: Visit | None = None

    def stage(self, model: Transformer, name: str) -> Stage:
        """The maps of a model, a layer at a time."""
        length, real = len(self.ids), int(self.rules.keep.sum())
        device = model.device
        weights = np.empty((len(self.layers), len(self.heads), length, length), np.float32)
        means = np.empty((len(self.layers), length, length), np.float32) if self.mean else None
        rolled = torch.eye(length, device=device) if self.rollout else None
        separators, content = (torch.tensor([kind], device=device) for kind in self.kinds)
        checker, summary = Checker(self.rules), list[HeadFacts]()

        def visit(seen: LayerWeights) -> None:
            nonlocal rolled
            found = seen.weights[0].float().cpu().numpy()  # all heads, T, T
            checker.see(seen.layer, found, None if seen.apart is None else seen.apart[0].float().cpu().numpy())
            measured = measure(seen.shares[..., :real, :real], separators, content)
            for head in range(len(found)):
                facts = {measured_as: float(values[0, head]) for measured_as, values in measured.items()}
                summary.append(HeadFacts(seen.layer, head, facts))
            if self.visit is not None:
                self.visit(seen.layer, found)
            if seen.layer in self.layers:
                at = self.layers.index(seen.layer)
                weights[at] = found[list(self.heads)]
                if means is not None:
                    means[at] = found.mean(0)
            if rolled is not None:
                rolled = roll(rolled, seen.shares[0])

        mask = None if real == length else torch.from_numpy(self.rules.keep)[None].to(device)
        watch(model, torch.tensor([self.ids], device=device), mask, visit, compare=True)
        rollout = None if rolled is None else rolled.cpu().numpy()
        return Stage(name, weights, means, rollout, checker.checks(), tuple(summary))


def roll(rolled: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """One more layer (heads, T, T) of attention rollout: half of a token's vector is what it was, half what it saw."""
    through = weights.float().mean(0)
    through = (through + torch.eye(len(through), device=through.device)) / 2
    through = through / through.sum(-1, keepdim=True)
    return through @ rolled


def _chosen(what: str, given: int | None, count: int) -> tuple[int, ...]:
    if given is None:
        return tuple(range(count))
    if not 0 <= given < count:
        raise InputError(f"There is no {what} {given}; the model has {count}, from 0 to {count - 1}.")
    return (given,)


def _padded(subject: Subject, ids: list[int], pad_to: int | None) -> tuple[list[int], NDArray[np.bool_]]:
    """The ids with padding after them, and which of them are no padding."""
    if not ids:
        raise InputError("There is nothing to look at: no token is left.")
    length = len(ids) if pad_to is None else pad_to
    if length > subject.longest:
        raise InputError(
            f"The text cannot be padded to {length} tokens: the model takes {subject.longest} at the most."
        )
    length = max(length, len(ids))
    pad = 0 if subject.tokenizer is None else subject.tokenizer.pad_id
    return ids + [pad] * (length - len(ids)), np.arange(length) < len(ids)


def _check_memory(maps: int, length: int) -> None:
    size = maps * length * length * 4
    if size > MEMORY:
        raise InputError(
            f"{maps} maps of {length:,} x {length:,} weights take {size / 1024**3:.1f} GiB, and more than "
            f"{MEMORY // 1024**3} are not kept at once; choose a layer, a head, or a shorter text."
        )
