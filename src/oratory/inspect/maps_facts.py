"""What was seen of attention in one text: facts that pictures, pages and files are made of.

Shapes: L layers and H heads that were asked for, T tokens.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.inspect.checks import MapCheck, Rules, table
from oratory.tables import Table, Tabled, counted, number, percent

Array = NDArray[np.float32]
MEASURES = {
    "entropy": "how evenly a row is spread, in nats; 0 is one key alone",
    "distance": "how far away the weight lies, in tokens",
    "self": "share on the token itself: the diagonal",
    "previous": "share on the token before it",
    "first": "share on the first token",
    "separator": "share on punctuation and special tokens",
    "content": "share on words that are not English function words",
    "stripe": "share on the one column that gets most: a vertical stripe",
}
SHARES = ("self", "previous", "first", "separator", "content", "stripe")
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
    checks: tuple[MapCheck, ...]
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
    """Tokens whose text is not in the vocabulary."""
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
    answer: str = ""
    """What the model says of the text, in a sentence; nothing where no run, or ids, were given."""

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
    def checks(self) -> tuple[MapCheck, ...]:
        """The verdicts of all stages."""
        return tuple(check for stage in self.stages for check in stage.checks)

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    def sentences(self) -> list[str]:
        """What a reader must know of the text beside the maps."""
        said = [self.answer] if self.answer else []
        if self.padding:
            said.append(f"{self.padding} of {len(self.tokens)} tokens are padding, at the end.")
        if self.cut:
            shown = " ".join(self.cut[:12]) + (" …" if len(self.cut) > 12 else "")
            said.append(
                f"Truncated: there is room for {len(self.tokens)} tokens; {len(self.cut)} are left out ({shown})."
            )
        if self.unknown:
            said.append(f"{counted(self.unknown, 'token')} unknown to the vocabulary.")
        if any(check.declared for check in self.checks):
            said.append(
                f"Rows of these maps are no distributions: {self.rules.loose}. What "
                "heads do is measured on the sizes of the weights, as shares of their row."
            )
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
            "answer": self.answer,
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

    def _repr_html_(self) -> str:
        """The maps themselves, and their checks."""
        return f"{self.plot()._repr_html_()}{self.tables()[0].html()}"

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
