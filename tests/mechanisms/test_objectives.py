"""What is added to the loss, against the formula written out."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from oratory.batches import IGNORE
from oratory.errors import InputError
from oratory.mechanisms import REGISTRY
from oratory.mechanisms.kinds import IGNORED
from oratory.model import ModelConfig, Transformer
from oratory.model.head import Targets

IDS = torch.arange(12).view(2, 6) % 9
WANTED = torch.tensor([[1, 2, 3, 4, 5, 6], [7, 8, 0, IGNORE, IGNORE, IGNORE]])
MASK = WANTED != IGNORE


def model(objective: str, **settings: Any) -> Transformer:
    base = {"output": "tokens", "causal": True, "vocabulary": 9, "layers": 1, "heads": 2, "width": 16, "context": 6}
    return Transformer(ModelConfig.from_dict(base | {"objective": objective} | settings), 1)


def loss(made: Transformer) -> Tensor:
    found: Tensor | None = made(IDS, MASK, targets=Targets(WANTED, 9)).loss
    assert found is not None
    return found


def test_both_rooms_ignore_the_same() -> None:
    assert IGNORED == IGNORE


def test_z_loss() -> None:
    usual, made = model("none"), model("z-loss(weight=0.1)")
    logits = made.eval()(IDS, MASK).logits[MASK].detach()
    wanted = 0.1 * float((logits.exp().sum(-1).log() ** 2).sum()) / 9
    assert (loss(made.train()) - loss(usual.train())).item() == pytest.approx(wanted, rel=1e-4)


def test_multi_token() -> None:
    usual, made = model("none"), model("multi-token(more=2,weight=0.5)")
    hidden = made.eval()(IDS, MASK).hidden.detach()
    more: Any = made.objective
    total = 0.0
    for row, at, ahead in [(r, t, k) for r in range(2) for t in range(6) for k in (1, 2)]:
        if at + ahead < 6 and MASK[row, at + ahead]:
            x = hidden[row, at]
            logits = made.head(x + more.norms[ahead - 1](more.maps[ahead - 1](x)))
            total += cross_entropy(logits, WANTED[row, at + ahead]).item()
    assert (loss(made.train()) - loss(usual.train())).item() == pytest.approx(0.5 * total / 9, rel=1e-4)


def test_past_decoding() -> None:
    usual, made = model("none"), model("past-decoding(weight=0.5)")
    hidden = made.eval()(IDS, MASK).hidden.detach()
    last: Any = made.objective
    weights, total = made.head.weight, 0.0
    with torch.no_grad():
        last.bias.normal_(generator=torch.Generator().manual_seed(3))
        for row, at in [(r, t) for r in range(2) for t in range(1, 6)]:
            if MASK[row, at]:
                p = made.head(hidden[row, at]).softmax(-1)
                mixed = sum(p[token] * weights[token] for token in range(9))
                decoded = weights @ torch.tanh(last.map(mixed)) + last.bias
                total += cross_entropy(decoded, WANTED[row, at - 1]).item()
    assert (loss(made.train()) - loss(usual.train())).item() == pytest.approx(0.5 * total / 9, rel=1e-5, abs=1e-5)


def test_past_decoding_of_one_token_has_no_past() -> None:
    usual, made = model("none"), model("past-decoding")
    one = Targets(torch.tensor([[3], [4]]), 2)
    assert torch.equal(*(each.train()(IDS[:, :1], targets=one).loss for each in (usual, made)))


@pytest.mark.parametrize("head", ["adaptive", "mixture-of-softmaxes"])
def test_z_loss_is_refused_where_it_would_do_nothing(head: str) -> None:
    assert REGISTRY.choose("head", head).normalised
    logits = model("none", head=head).eval()(IDS).logits
    torch.testing.assert_close(logits.logsumexp(-1), torch.zeros(2, 6), atol=1e-5, rtol=0)
    with pytest.raises(InputError, match=f"z-loss would change nothing: head={head} gives log-probabilities"):
        model("z-loss", head=head)


def test_every_head_that_gives_log_probabilities_says_so() -> None:
    for name in REGISTRY["head"]:
        chosen = REGISTRY.choose("head", name)
        if chosen.serves("tokens", True) and not chosen.hybrid and not chosen.normalised:
            sums = model("none", head=name).train()(IDS).logits.logsumexp(-1)
            assert sums.abs().min() > 1e-3, name


def test_past_decoding_needs_an_output_layer_of_rows() -> None:
    with pytest.raises(InputError, match="needs one row of weights for each token, and head=adaptive has none"):
        model("past-decoding", head="adaptive")


@pytest.mark.parametrize("name", ["z-loss", "multi-token", "past-decoding"])
def test_it_is_for_training_only(name: str) -> None:
    usual, made = model("none").eval(), model(name).eval()
    assert torch.equal(loss(made), loss(usual))
    assert torch.equal(made(IDS).logits, usual(IDS).logits)


def test_an_encoder_cannot_predict_what_follows() -> None:
    with pytest.raises(InputError, match="sees it already"):
        model("multi-token", causal=False)
    with pytest.raises(InputError, match="that predict what follows"):
        model("past-decoding", causal=False)
    assert model("z-loss", causal=False).objective is not None
