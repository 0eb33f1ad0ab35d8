"""The sanity maps of the reports: a short text with padding and one that is too long, before and after training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from oratory.inspect import Maps, attend
from oratory.reports import Figure
from oratory.reports.maps import picture
from oratory.runs import Run
from oratory.runs.samples import SAMPLES
from oratory.tables import Table, Tabled
from oratory.text import Corpus

TEXTS = {
    # R2's own sentence.
    "short": "This is a test sentence for sanity check, it has almost thirty words in it to fill the majority of the "
    "attention map graph.",
    "long": SAMPLES["long"],
}


@dataclass(frozen=True)
class MapsResult(Tabled):
    """The maps of each variant's first seed, with their checks over all layers and heads."""

    maps: Mapping[str, Mapping[str, Maps]]
    """By variant, and by text."""
    title: ClassVar[str] = "Sanity maps"

    def _each(self) -> list[tuple[str, str, Maps]]:
        return [(variant, text, maps) for variant, found in self.maps.items() for text, maps in found.items()]

    def sentences(self) -> list[str]:
        checks = [check for _, _, maps in self._each() for check in maps.checks]
        failed = [f"{variant}, {text} text" for variant, text, maps in self._each() if not maps.passed]
        said = (
            f"{sum(check.passed for check in checks)} of {len(checks)} sanity checks passed, over all layers and heads"
        )
        return [f"{said}, before and after training.", *(f"A check failed: {where}." for where in failed)]

    def tables(self) -> list[Table]:
        rows = []
        for variant, text, maps in self._each():
            worst = {check.name: check for check in maps.after.checks}
            size = f"{len(maps.tokens) - maps.padding} + {maps.padding} padding"
            size += f", {len(maps.cut)} cut off" if maps.cut else ""
            verdicts = [check.note or ("passed" if check.passed else "FAILED") for check in worst.values()]
            rows.append((variant, text, size, *verdicts))
        columns = ("variant", "text", "tokens", *(check.name for check in self._each()[0][2].after.checks))
        return [Table("Sanity checks after training", columns, tuple(rows), words=len(columns))]

    def pictures(self) -> list[Figure]:
        """The last layer of each variant, before and after training."""
        return [
            Figure(
                f"maps-{variant}-{text}",
                picture(maps, "").decode(),
                f"{variant}, the {text} text: every head of the last layer, before and after training.",
            )
            for variant, text, maps in self._each()
        ]

    def to_dict(self) -> dict[str, Any]:
        return {variant: {text: maps.to_dict() for text, maps in found.items()} for variant, found in self.maps.items()}


def explain(runs: Mapping[str, Sequence[Run]], corpus: Corpus) -> MapsResult:
    """The maps of the last layer, for the first seed of every variant."""
    return MapsResult(
        {name: {text: _maps(found[0], line) for text, line in TEXTS.items()} for name, found in runs.items()}
    )


def _maps(run: Run, line: str) -> Maps:
    return attend(run, line, before=True, layer=run.config.layers - 1, pad_to=run.config.context)
