"""Bits per byte."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oratory.training.tasks.lm.metric import LanguageMetric

if TYPE_CHECKING:
    from oratory.baselines.scores import TextFacts
    from oratory.statistics import Array


class BitsPerByte(LanguageMetric):
    """Bits that a byte of text costs, whatever the tokens are."""

    name = "bits per byte"
    unit = "bits per byte"
    rank = 1
    digits = 3
    column = "bits per byte"

    def per_block(self, nats: "Array", tokens: "Array", size: "Array") -> tuple["Array", "Array"]:
        import numpy as np

        return nats / np.log(2) / size, size

    def of_text(self, facts: "TextFacts") -> float:
        return facts.bits_per_byte

    def of_result(self, split: Mapping[str, Any]) -> float:
        return float(split["bits_per_byte"])
