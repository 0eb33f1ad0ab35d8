"""Bits per byte."""

from typing import TYPE_CHECKING

from oratory.training.running_text.metric import BlockSums
from oratory.training.tasks.lm.metric import ClosedMetric

if TYPE_CHECKING:
    from oratory.statistics import Array


class BitsPerByte(ClosedMetric):
    """Bits that a byte of text costs, whatever the tokens are; text that they do not determine counts too."""

    name = "bits per byte"
    unit = "bits per byte"
    rank = 1
    digits = 3
    column = "bits per byte"
    recorded = "bits_per_byte"
    size = "bytes"

    def per_block(self, sums: BlockSums) -> tuple["Array", "Array"]:
        import numpy as np

        return (sums.nats + sums.spelling) / np.log(2) / sums.bytes, sums.bytes
