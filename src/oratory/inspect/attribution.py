"""Which tokens mattered for a class: integrated gradients and occlusion, beside the attention that each token gets.

What is explained are the log-odds of a class, f = log p / (1 - p), in nats. Both methods compare the text with a
reference of as many unknown words (padding where no word is unknown to the tokenizer), with the same special tokens.

Integrated gradients (Sundararajan et al., 2017, arXiv:1703.01365) follow the gradient along the straight line from the
vectors of the reference to those of the text. They are complete: over all tokens they sum to f(text) - f(reference), up
to the error of the sum that stands for the integral, which is said. Occlusion puts the reference in the place of one
token at a time. That attention is something else is known (Jain and Wallace, 2019, arXiv:1902.10186).

Shapes: T tokens, B texts, D width, C classes.
"""

import copy
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn

from oratory.errors import InputError, unknown
from oratory.inspect.maps import attend
from oratory.inspect.measures import SPECIAL
from oratory.inspect.subject import Subject, subject_of
from oratory.model import Transformer
from oratory.runs import Run
from oratory.tables import TITLE, Table, Tabled, percent, shortened

STEPS = 64
"""Places along the line at which gradients are taken, by the rule of Gauss and Legendre."""
AT_ONCE = 4096
"""Tokens that are computed at once."""
LONGEST = 1024
"""Tokens of a text; longer ones would take minutes."""


@dataclass(frozen=True)
class TokenShare:
    """What one token does for the class."""

    token: str
    gradients: float
    """Integrated gradients, in nats."""
    occlusion: float
    """How much the log-odds lose without it, in nats."""
    attention: float
    """The attention that it gets, as a share of all: the mean over layers, heads and tokens."""


@dataclass(frozen=True)
class Attribution(Tabled):
    """Why a text is of a class, token by token."""

    run: str
    text: str
    label: str
    probability: float
    log_odds: float
    reference: float
    """The log-odds of the reference."""
    gap: float
    """By how much the integrated gradients miss log_odds - reference; zero but for the error of the sum."""
    tokens: tuple[TokenShare, ...]
    cut: int
    """Tokens beyond the context, which were not used."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def tables(self) -> list[Table]:
        rows = tuple(
            (each.token, f"{each.gradients:+.3f}", f"{each.occlusion:+.3f}", percent(each.attention))
            for each in self.tokens
        )
        note = f"In nats for {self.label} ({percent(self.probability)}%). Integrated gradients sum to "
        note += (
            f"{self.log_odds - self.reference:+.3f}, from the log-odds {self.reference:+.3f} of as many unknown words"
        )
        note += f" to {self.log_odds:+.3f} (missed by {self.gap:+.4f}). One model says this, trained with one seed."
        columns = ("token", "gradients", "occlusion", "attention, %")
        return [Table(f"Why {self.label}: {shortened(self.text, TITLE)}", columns, rows, note=note)]


def attribute(given: Run | Subject, text: str, label: str | None = None, steps: int = STEPS) -> Attribution:
    """Which tokens of a text speak for a class: the likeliest one, or the one that is named. Needs captum."""
    if find_spec("captum") is None:
        raise InputError("Integrated gradients need captum: pip install 'oratory[web]'")
    subject = subject_of(given)
    run = subject.run
    if run is None or subject.config.output != "classes":
        raise InputError(f"{subject.name} is no classifier, so there is no class to explain.")
    if label is not None and label not in run.labels:
        raise unknown("label", label, run.labels)
    found, cut = subject.encode(text)
    if len(found) > LONGEST:
        raise InputError(f"The text has {len(found):,} tokens; up to {LONGEST:,} can be explained.")
    ids = torch.tensor([found])  # 1, T
    with torch.no_grad():
        shares = subject.model(ids).logits[0].float().softmax(-1)
    target = int(shares.argmax()) if label is None else run.labels.index(label)
    reference = _reference(subject, ids)
    gradients = _integrated(subject.model, ids, reference, target, steps)
    with torch.no_grad():
        whole, empty = _log_odds(subject.model(torch.cat([ids, reference])).logits.double(), target).tolist()
        dropped = _occluded(subject.model, ids, reference, target)
    received = torch.from_numpy(attend(subject, found).weights).double().mean((0, 1, 2))  # T
    tokens = subject.tokens(found, text)
    rows = zip(tokens, gradients.tolist(), (whole - dropped).tolist(), received.tolist(), strict=True)
    return Attribution(
        run=subject.name,
        text=text,
        label=run.labels[target],
        probability=float(shares[target]),
        log_odds=whole,
        reference=empty,
        gap=float(gradients.sum()) - (whole - empty),
        tokens=tuple(TokenShare(*row) for row in rows),
        cut=len(cut),
    )


def _log_odds(logits: Tensor, target: int) -> Tensor:
    """B: the logarithm of p / (1 - p), from logits (B, C); they may all be shifted without changing it."""
    others = torch.cat([logits[:, :target], logits[:, target + 1 :]], dim=1)
    return logits[:, target] - others.logsumexp(1)


def _reference(subject: Subject, ids: Tensor) -> Tensor:
    """The same text with every word unknown; special tokens stay."""
    tokenizer = subject.tokenizer
    assert tokenizer is not None
    nothing = tokenizer.pad_id if tokenizer.unk_id is None else tokenizer.unk_id
    special = [tokenizer.token(int(index)) in SPECIAL and index != nothing for index in ids[0]]
    return torch.where(torch.tensor([special]), ids, torch.full_like(ids, nothing))


class _Vectors(nn.Module):
    """In the place of the table of tokens: gives vectors that were put into it."""

    def __init__(self) -> None:
        super().__init__()
        self.given: Tensor | None = None

    def vectors(self, ids: Tensor) -> Tensor:
        assert self.given is not None
        return self.given


def _integrated(model: Transformer, ids: Tensor, reference: Tensor, target: int, steps: int) -> Tensor:
    """T: what every token adds to the log-odds."""
    from captum.attr import IntegratedGradients

    # A second model that shares all weights, so that nobody who uses the first at the same time sees other vectors.
    own = copy.copy(model)
    vectors = _Vectors()
    object.__setattr__(own, "_modules", {**model._modules, "tokens": vectors})

    def forward(given: Tensor) -> Tensor:
        vectors.given = given
        return _log_odds(own(ids.expand(len(given), -1)).logits, target)

    with torch.no_grad():
        start, end = model.tokens.vectors(reference), model.tokens.vectors(ids)  # 1, T, D
    rows = max(1, AT_ONCE // ids.shape[1])
    found = IntegratedGradients(forward).attribute(
        end, baselines=start, n_steps=steps, method="gausslegendre", internal_batch_size=rows
    )
    summed: Tensor = found[0].double().sum(-1)
    return summed.detach()


def _occluded(model: Transformer, ids: Tensor, reference: Tensor, target: int) -> Tensor:
    """T: the log-odds of the text without each token."""
    length = ids.shape[1]
    without = torch.where(torch.eye(length, dtype=torch.bool), reference, ids)  # T, T
    rows = max(1, AT_ONCE // length)
    parts = [_log_odds(model(without[at : at + rows]).logits.double(), target) for at in range(0, length, rows)]
    return torch.cat(parts)
