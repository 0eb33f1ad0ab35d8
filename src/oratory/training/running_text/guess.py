"""What a model finds probable."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from oratory.training.running_text.scored import ScoredTokens
    from oratory.training.tasks.task import Trained


@dataclass(frozen=True)
class Guess:
    """A token, or a class, with its probability."""

    text: str
    probability: float
    id: int
    """Its number in the vocabulary, or among the classes."""


@dataclass(frozen=True)
class ExpectedTokens:
    """A text with what was expected in place of every token."""

    text: "ScoredTokens"
    ranks: tuple[int, ...]
    """1 where the token was the most probable one."""
    guesses: tuple[tuple[Guess, ...], ...]
    """For every token, the most probable ones first."""


@dataclass(frozen=True)
class NextToken:
    """One token more."""

    token: Guess
    guesses: tuple[Guess, ...]
    """What else could come, the most probable first; probabilities are those at the temperature."""
    text: str
    """The prompt and all that was made, with this token."""
    ends: bool
    """Whether the model ends the text with it."""


@dataclass(frozen=True)
class Beam:
    """One way to go on."""

    tokens: tuple[Guess, ...]
    """Each with its probability after those before it."""
    probability: float
    """Of all of them together."""


class CountedModel(Protocol):
    """Counts of a training text that score single texts, over the tokens of a run."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str:
        """Of the tokenizer."""
        ...

    def alternatives(self, run: "Trained", line: str, most: int) -> ExpectedTokens:
        """What `Task.alternatives` gives, by the counts in place of the model of the run."""
        ...
