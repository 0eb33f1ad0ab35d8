"""The logit lens: what a model would predict if it ended after an earlier layer.

The vectors after each block go through the last norm and the head of the model, as those after the last block do
(nostalgebraist, 2020). Early layers were not trained to be read like this, so that a layer without a good prediction
need not lack what the prediction is made of (Belrose et al., 2023, arXiv:2303.08112).

Shapes: T tokens, D width, V entries of the vocabulary, or classes.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from oratory.errors import InputError
from oratory.inspect.subject import Subject, subject_of
from oratory.inspect.watch import vectors
from oratory.mechanisms import Reading
from oratory.model import Transformer
from oratory.runs import Run
from oratory.tables import Table, Tabled, percent, shortened
from oratory.tokens import Tokenizer
from oratory.training.running_text.guess import Guess

GUESSES = 5
LETTERS = 14
"""The most letters of a guess in a table."""


@dataclass(frozen=True)
class LensCell:
    """What one layer predicts at one place, most probable first."""

    guesses: tuple[Guess, ...]
    right: Guess | None
    """What really stands there, and how probable the layer finds it; None where nobody knows."""


@dataclass(frozen=True)
class Lens(Tabled):
    """Predictions by layer and place: first of the embedded tokens, then of every layer."""

    name: str
    text: str
    places: tuple[str, ...]
    """The token at each place; of a classifier, the text is one place."""
    predicts: str
    """What is predicted at a place."""
    layers: tuple[str, ...]
    cells: tuple[tuple[LensCell, ...], ...]
    """By layer, then by place."""
    cut: int = 0
    """Tokens at the end of the text for which the model has no room."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def tables(self) -> list[Table]:
        rows = tuple(
            (place, *(_shown(layer[at].guesses[0]) for layer in self.cells), _right(self.cells[-1][at]))
            for at, place in enumerate(self.places)
        )
        note = f"The most probable {self.predicts} after each layer, and its probability in percent; right: what the"
        note += " text has. Early layers were not trained to be read like this."
        return [Table("Logit lens", ("place", *self.layers, "right"), rows, words=len(self.layers) + 2, note=note)]


@torch.no_grad()
def lens_of(
    given: Run | Transformer | Subject,
    text: str | Sequence[int],
    *,
    tokenizer: Tokenizer | None = None,
    guesses: int = GUESSES,
    places: range | None = None,
) -> Lens:
    """What a model would predict after each of its layers, at every place of a text or at some of them."""
    subject = subject_of(given, tokenizer)
    model, config = subject.model, subject.config
    if model.head is None:
        raise InputError(f"{subject.name} has no head, so that nothing is predicted from its vectors.")
    ids, cut = subject.encode(text)
    tokens = subject.tokens(ids, text if isinstance(text, str) else None)
    classes = config.output == "classes"
    chosen = [0] if classes else list(range(len(ids)) if places is None else places[: len(ids)])
    wanted: list[int | None] = [None]
    if not classes:
        right = [*ids[1:], None] if config.causal else ids
        wanted, tokens = [right[place] for place in chosen], tuple(tokens[place] for place in chosen)
    given_ids = torch.tensor([ids], device=model.device)
    found = vectors(model, given_ids)
    read = _Reading(subject, guesses, given_ids)
    return Lens(
        name=subject.name,
        text=text if isinstance(text, str) else " ".join(tokens),
        places=("the whole text",) if classes else tokens,
        predicts="class" if classes else "next token" if config.causal else "token at this place",
        layers=("embedding", *(f"layer {layer}" for layer in range(config.layers))),
        cells=tuple(read.cells(each, None if classes else chosen, wanted) for each in found),
        cut=len(cut),
    )


@dataclass(frozen=True)
class _Reading:
    """Reads predictions off vectors."""

    subject: Subject
    guesses: int
    ids: Tensor  # 1, T

    def cells(self, hidden: Tensor, places: list[int] | None, wanted: list[int | None]) -> tuple[LensCell, ...]:
        """What vectors (1, T, D) predict at some places; without places, for the text as a whole."""
        probabilities = self._logits(hidden, places).float().softmax(-1)  # places, V
        best = probabilities.topk(min(self.guesses, probabilities.shape[-1]), -1)
        return tuple(
            LensCell(
                tuple(self._guess(int(index), float(p)) for index, p in zip(indices, values, strict=True)),
                None if right is None else self._guess(right, float(row[right])),
            )
            for indices, values, row, right in zip(best.indices, best.values, probabilities, wanted, strict=True)
        )

    def _logits(self, hidden: Tensor, places: list[int] | None) -> Tensor:
        model = self.subject.model
        hidden = hidden if model.norm is None else model.norm(hidden)
        asked = torch.zeros_like(self.ids, dtype=torch.bool)
        asked[0, places or []] = True
        return model.logits(hidden, Reading(self.ids, hidden), places=asked)

    def _guess(self, index: int, probability: float) -> Guess:
        subject = self.subject
        if subject.config.output == "classes":
            labels = () if subject.run is None else subject.run.labels
            return Guess(labels[index] if labels else str(index), probability, index)
        return Guess(subject.tokens([index])[0], probability, index)


def _shown(guess: Guess) -> str:
    return f"{shortened(guess.text, LETTERS)} {percent(guess.probability)}"


def _right(cell: LensCell) -> str:
    return "–" if cell.right is None else _shown(cell.right)
