"""What the baselines of one task score."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oratory.tables import Tabled

if TYPE_CHECKING:
    from oratory.pictures import Drawn


class TaskBaselines(Tabled):
    """What each baseline of a task scores on test; a task has its own facts, tables and pictures of them."""

    tokenizer: str | None
    """The settings of the tokenizer whose tokens were counted; None where tokens do not matter."""
    models: Mapping[str, Any]
    """By the name of the baseline; empty where the corpus has no test for the task."""

    def about(self) -> dict[str, Any]:
        """What else there is to know, for the top of the JSON, where each name stands once."""
        return {}

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Every baseline as plain values."""

    def pictures(self) -> "list[Drawn]":
        """The baselines for a report."""
        return []
