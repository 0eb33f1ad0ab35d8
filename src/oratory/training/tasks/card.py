"""What the card of a published model says about its task."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TaskCard:
    """The sentences and figures of one trained model, as Markdown."""

    pipeline: str
    """What transformers calls such models."""
    made_for: str
    """What the model is, to begin a sentence with."""
    use: str
    """Python that uses it, where `PIPELINE` is the pipeline that was loaded."""
    sizes: str
    """How much of the corpus there was to learn from and to measure."""
    figures: str
    """A sentence on the figures, and their table."""
    limits: tuple[str, ...]
    """What a user must not expect, a sentence each."""
