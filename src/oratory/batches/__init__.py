"""Batches: which items come when, and how they become tensors."""

from oratory.batches.batch import IGNORE, Batch
from oratory.batches.labelled import LabelledItems
from oratory.batches.order import Order
from oratory.batches.running import LineItems, WindowItems

__all__ = ["IGNORE", "Batch", "LabelledItems", "LineItems", "Order", "WindowItems"]
