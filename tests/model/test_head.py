"""The loss of the output layer a few rows at a time, beside the plain way."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from oratory.batches import IGNORE
from oratory.model import Targets
from oratory.model.head import CHUNK, head_loss, is_fast, plain_loss

N, D, V = 220, 16, 4001


def layer(bias: bool = True, scale: float = 1.0) -> tuple[nn.Linear, Tensor, Tensor]:
    torch.manual_seed(0)
    head = nn.Linear(D, V, bias=bias)
    hidden = (scale * torch.randn(N, D)).requires_grad_()
    return head, hidden, torch.randint(0, V, (N,))


def gradients(loss: Tensor, head: nn.Linear, hidden: Tensor) -> list[Tensor]:
    return list(torch.autograd.grad(loss, [hidden, *head.parameters()]))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("factor", [1.0, 0.25])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_loss_and_gradients_are_those_of_the_plain_way(bias: bool, factor: float, smoothing: float) -> None:
    head, hidden, wanted = layer(bias)
    assert N > 2 * CHUNK // V
    assert is_fast(head, hidden)
    targets = Targets(wanted, count=N, smoothing=smoothing)
    fast, plain = head_loss(head, hidden, targets), plain_loss(head, hidden, wanted, targets)
    assert fast.item() == pytest.approx(plain.item(), rel=1e-6)
    for ours, theirs in zip(
        gradients(factor * fast, head, hidden), gradients(factor * plain, head, hidden), strict=True
    ):
        torch.testing.assert_close(ours, theirs, atol=1e-7, rtol=1e-5)


def test_places_without_a_target_have_no_gradient() -> None:
    head, hidden, wanted = layer()
    some = wanted.clone()
    some[::3] = IGNORE
    kept = some != IGNORE
    targets = Targets(some, count=int(kept.sum()))
    fast = head_loss(head, hidden, targets)
    plain = plain_loss(head, hidden[kept], some[kept], targets)
    assert fast.item() == pytest.approx(plain.item(), rel=1e-6)
    found = gradients(fast, head, hidden)
    assert not found[0][::3].any()
    for ours, theirs in zip(found, gradients(plain, head, hidden), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-7, rtol=1e-5)


def test_a_batch_without_any_target_has_no_loss() -> None:
    head, hidden, wanted = layer()
    loss = head_loss(head, hidden, Targets(torch.full_like(wanted, IGNORE), count=1))
    assert loss.item() == 0
    assert not any(part.any() for part in gradients(loss, head, hidden))


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_a_probability_that_is_too_small_for_its_type_still_has_its_loss(smoothing: float) -> None:
    head, hidden, wanted = layer(scale=400.0)
    targets = Targets(wanted, count=1, smoothing=smoothing)
    fast, plain = head_loss(head, hidden, targets), plain_loss(head, hidden, wanted, targets)
    assert plain.item() / N > 150  # Beyond e^-103 a probability is zero.
    assert fast.item() == pytest.approx(plain.item(), rel=1e-6)


def test_what_is_not_a_number_stays_so() -> None:
    head, hidden, wanted = layer()
    with torch.no_grad():
        head.weight[7, 3] = float("nan")
    assert head_loss(head, hidden, Targets(wanted, count=N)).isnan()


def test_a_weight_that_is_shared_gets_both_gradients() -> None:
    head, _, wanted = layer()
    table = nn.Embedding(V, D)
    table.weight = head.weight
    targets = Targets(wanted, count=N)

    def both(way: Callable[[Tensor], Tensor]) -> Tensor:
        [found] = torch.autograd.grad(way(table(wanted.flip(0))), [head.weight])
        return found

    fast, plain = both(lambda x: head_loss(head, x, targets)), both(lambda x: plain_loss(head, x, wanted, targets))
    torch.testing.assert_close(fast, plain, atol=1e-7, rtol=1e-5)


def test_mixed_precision_takes_the_plain_way() -> None:
    head, hidden, wanted = layer()
    with torch.autocast("cpu", torch.bfloat16):
        assert not is_fast(head, hidden)
        targets = Targets(wanted, count=N)
        assert torch.equal(head_loss(head, hidden, targets), plain_loss(head, hidden, wanted, targets))
