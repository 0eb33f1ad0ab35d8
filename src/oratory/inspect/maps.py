"""Attention maps of one text: facts that pictures, pages and files are made of.

Shapes: L layers and H heads that were asked for, T tokens.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.inspect.checks import Check, Checker, Rules, table
from oratory.inspect.measures import MEASURES, SHARES, kinds, measure
from oratory.inspect.subject import Subject, subject_of
from oratory.inspect.watch import Seen, watch
from oratory.mechanisms import written_as
from oratory.model import Transformer
from oratory.runs import Run
from oratory.tables import Table, Tabled, number, percent
from oratory.tokens import PAD, Tokenizer

Array = NDArray[np.float32]
MEMORY = 2 * 1024**3
"""Bytes of maps that are kept at once."""
COMPRESSED = 64 * 1024**2
"""Bytes of maps up to which a file of arrays is worth compressing."""


@dataclass(frozen=True)
class HeadFacts:
    """What one head does; `measures` has the names of `MEASURES`, and `change` where the initial model was seen too."""

    layer: int
    head: int
    measures: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        return {"layer": self.layer, "head": self.head, **self.measures}


@dataclass(frozen=True, eq=False)
class Stage:
    """The maps of a model at one time."""

    name: str
    """before or after training."""
    weights: Array  # L, H, T, T
    mean: Array | None  # L, T, T: over all heads of the layer
    rollout: Array | None  # T, T
    checks: tuple[Check, ...]
    """Over every layer and head, also those that were not asked for."""
    summary: tuple[HeadFacts, ...]
    """What every head does in this text."""


@dataclass(frozen=True, eq=False)
class Maps(Tabled):
    """Every row of a map is a query, every column a key; layers, heads and tokens are counted from 0."""

    name: str
    """The run, or the model."""
    text: str
    tokens: tuple[str, ...]
    """As the model got them, padding at the end."""
    padding: int
    """How many of them are padding."""
    cut: tuple[str, ...]
    """Tokens at the end of the text for which the model has no room."""
    unknown: int
    """Tokens that stand for text which is not in the vocabulary."""
    layers: tuple[int, ...]
    heads: tuple[int, ...]
    of_layers: int
    """Layers that the model has."""
    of_heads: int
    task: str
    position: str
    rules: Rules
    after: Stage
    before: Stage | None = None

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Before, where it was asked for, and after."""
        return (self.after,) if self.before is None else (self.before, self.after)

    @property
    def weights(self) -> Array:
        """The maps of the model as it is: (L, H, T, T)."""
        return self.after.weights

    @property
    def mask(self) -> NDArray[np.bool_]:
        """T: false for padding."""
        return self.rules.keep

    @property
    def checks(self) -> tuple[Check, ...]:
        """The verdicts of all stages."""
        return tuple(check for stage in self.stages for check in stage.checks)

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    def sentences(self) -> list[str]:
        """What a reader must know of the text beside the maps."""
        said = []
        if self.padding:
            said.append(f"{self.padding} of {len(self.tokens)} tokens are padding, at the end.")
        if self.cut:
            shown = " ".join(self.cut[:12]) + (" …" if len(self.cut) > 12 else "")
            said.append(
                f"Truncated: there is room for {len(self.tokens)} tokens; {len(self.cut)} are left out ({shown})."
            )
        if self.unknown:
            said.append(f"{self.unknown} tokens are unknown to the vocabulary.")
        return said

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints; weights are in the arrays."""
        stages = {stage.name: stage for stage in self.stages}
        return {
            "name": self.name,
            "text": self.text,
            "tokens": list(self.tokens),
            "layers": self.of_layers,
            "heads": self.of_heads,
            "shown": {"layers": list(self.layers), "heads": list(self.heads)},
            "padding": self.padding,
            "cut": list(self.cut),
            "unknown": self.unknown,
            "task": self.task,
            "position": self.position,
            "pattern": self.rules.pattern,
            "passed": self.passed,
            "checks": [{**check.to_dict(), "stage": name} for name, stage in stages.items() for check in stage.checks],
            "summary": [
                {**facts.to_dict(), "stage": name} for name, stage in stages.items() for facts in stage.summary
            ],
        }

    def tables(self) -> list[Table]:
        checks = [table(stage.checks, f"Sanity checks {stage.name} training") for stage in self.stages]
        return [*checks, *(heads_table(stage.summary, f"Heads {stage.name} training") for stage in self.stages)]

    def npz(self) -> bytes:
        """The arrays as a file of numpy: `weights`, `tokens`, `mask`, and what else was asked for. No pickle."""
        arrays: dict[str, Any] = {
            "weights": self.weights,
            "tokens": np.array(self.tokens),
            "mask": self.mask,
            "layers": np.array(self.layers),
            "heads": np.array(self.heads),
            "cut": np.array(self.cut, dtype=np.str_),
        }
        for stage in self.stages:
            ending = "" if stage is self.after else "_before"
            found = {"weights": stage.weights, "mean": stage.mean, "rollout": stage.rollout}
            arrays |= {f"{name}{ending}": array for name, array in found.items() if array is not None}
        buffer = io.BytesIO()
        save = np.savez_compressed if self.weights.nbytes <= COMPRESSED else np.savez
        save(buffer, **arrays)
        return buffer.getvalue()


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
) -> Maps:
    """The attention maps of a text, from a run or from any model with its tokenizer (or ids in place of a text).

    All layers and heads, or the ones named. `before` adds the maps of the model before training, `mean` the mean over
    the heads of each layer, and `rollout` the attention of the last layer traced back to the first tokens through all
    layers and residuals (Abnar and Zuidema, 2020, arXiv:2005.00928). `pad_to` fills the text up with padding. The
    sanity checks always run, over every layer and head.
    """
    subject = subject_of(given, tokenizer)
    ids, cut = subject.encode(text)
    config = subject.config
    layers, heads = _chosen("layer", layer, config.layers), _chosen("head", head, config.heads)
    padded, keep = _padded(subject, ids, pad_to)
    _check_memory(len(layers) * len(heads) * (1 + before), len(padded))
    rules = Rules.of(config, keep)
    tokens = subject.tokens(ids)
    asked = _Asked(padded, rules, layers, heads, mean, rollout, kinds(tokens))
    initial = asked.stage(subject.initial(), "before") if before else None
    unk = None if subject.tokenizer is None else subject.tokenizer.unk_id
    return Maps(
        name=subject.name,
        text=text if isinstance(text, str) else " ".join(tokens),
        tokens=tokens + (PAD,) * (len(padded) - len(ids)),
        padding=len(padded) - len(ids),
        cut=subject.tokens(cut),
        unknown=0 if unk is None else ids.count(unk),
        layers=layers,
        heads=heads,
        of_layers=config.layers,
        of_heads=config.heads,
        task=config.task,
        position=written_as(config.position),
        rules=rules,
        after=asked.stage(subject.model, "after"),
        before=initial,
    )


@dataclass
class _Asked:
    """What was asked for, the same for every stage."""

    ids: list[int]
    rules: Rules
    layers: tuple[int, ...]
    heads: tuple[int, ...]
    mean: bool
    rollout: bool
    kinds: tuple[list[bool], list[bool]] = field(default_factory=lambda: ([], []))

    def stage(self, model: Transformer, name: str) -> Stage:
        """The maps of a model, a layer at a time."""
        length, real = len(self.ids), int(self.rules.keep.sum())
        device = model.tokens.weight.device
        weights = np.empty((len(self.layers), len(self.heads), length, length), np.float32)
        means = np.empty((len(self.layers), length, length), np.float32) if self.mean else None
        rolled = torch.eye(length, device=device) if self.rollout else None
        separators, content = (torch.tensor([kind], device=device) for kind in self.kinds)
        checker, summary = Checker(self.rules), list[HeadFacts]()

        def visit(seen: Seen) -> None:
            nonlocal rolled
            found = seen.weights[0].float().cpu().numpy()  # all heads, T, T
            checker.see(seen.layer, found, None if seen.apart is None else seen.apart[0].float().cpu().numpy())
            measured = measure(seen.weights[..., :real, :real], separators, content)
            for head in range(len(found)):
                facts = {measured_as: float(values[0, head]) for measured_as, values in measured.items()}
                summary.append(HeadFacts(seen.layer, head, facts))
            if seen.layer in self.layers:
                at = self.layers.index(seen.layer)
                weights[at] = found[list(self.heads)]
                if means is not None:
                    means[at] = found.mean(0)
            if rolled is not None:
                rolled = roll(rolled, seen.weights[0])

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


def heads_table(heads: Sequence[HeadFacts], title: str, even: dict[str, float] | None = None, note: str = "") -> Table:
    """What heads do, a row each; below them a head that looks evenly at all that it may see."""
    names = [name for name in (*MEASURES, "change") if name in heads[0].measures]

    def cells(measures: dict[str, float]) -> tuple[str, ...]:
        return tuple(
            percent(measures.get(name)) if name in (*SHARES, "change") else number(measures.get(name), 2)
            for name in names
        )

    rows = tuple((f"layer {each.layer} head {each.head}", *cells(each.measures)) for each in heads)
    rows += () if even is None else (("an even head", *cells(even)),)
    columns = tuple(f"{name} %" if name in (*SHARES, "change") else name for name in names)
    return Table(title, ("head", *columns), rows, note=note)


def _chosen(what: str, given: int | None, count: int) -> tuple[int, ...]:
    if given is None:
        return tuple(range(count))
    if not 0 <= given < count:
        raise InputError(f"There is no {what} {given}; the model has {count}, from 0 to {count - 1}.")
    return (given,)


def _padded(subject: Subject, ids: list[int], pad_to: int | None) -> tuple[list[int], NDArray[np.bool_]]:
    """The ids with padding behind them, and where there is none."""
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
