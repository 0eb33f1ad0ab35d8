"""What turns scores into outputs, against published code or the formula written out."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from oratory.mechanisms import REGISTRY, Shape, Sight
from oratory.mechanisms.attention.differential import Difference
from oratory.model import ModelConfig, Transformer
from oratory.model.view import View

B, H, T, E = 2, 2, 5, 8
SHAPE = Shape(width=16, heads=H, head_size=E, layers=2, context=T, causal=True, layer=1)


def draw(*size: int, seed: int = 0) -> Tensor:
    return torch.randn(*size, generator=torch.Generator().manual_seed(seed))


def causal() -> Tensor:
    return torch.ones(T, T, dtype=torch.bool).tril()[None, None]


def weights_of(name: str, q: Tensor, k: Tensor, part: Any = None) -> Tensor:
    """What `weigh` makes of plain scaled products."""
    chosen = REGISTRY.choose("attention", name)
    part = part or (chosen.build(SHAPE) if hasattr(chosen, "build") else chosen)
    found: Tensor = part.weigh(q, k, Sight(lambda q, k: q @ k.transpose(-1, -2) / math.sqrt(E), causal()))
    return found


@pytest.fixture
def qk() -> tuple[Tensor, Tensor]:
    return draw(B, H, T, E), draw(B, H, T, E, seed=1)


def scores(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.transpose(-1, -2) / math.sqrt(E)).masked_fill(~causal(), -math.inf)


@pytest.mark.parametrize("name", ["sparsemax", "entmax"])
def test_sparse_weights_are_those_of_entmax(name: str, qk: tuple[Tensor, Tensor]) -> None:
    entmax = pytest.importorskip("entmax")
    q, k = (3 * part for part in qk)
    ours, theirs = q.clone().requires_grad_(), q.clone().requires_grad_()
    found = weights_of(name, ours, k)
    plain = scores(theirs, k)
    # Theirs wants finite scores; these have no weight either.
    wanted = {"sparsemax": entmax.sparsemax, "entmax": entmax.entmax15}[name](plain.clamp(min=-1e4), dim=-1)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=0)
    assert (found == 0).sum() > B * H * T * (T - 1) / 2  # More than the future alone.
    value = draw(B, H, T, T, seed=2)
    (found * value).sum().backward()  # type: ignore[no-untyped-call]
    (wanted * value).sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad, atol=1e-5, rtol=0)


def test_sinks_are_those_of_gpt_oss(qk: tuple[Tensor, Tensor]) -> None:
    modeling = pytest.importorskip("transformers.models.gpt_oss.modeling_gpt_oss")
    q, k = qk
    part = REGISTRY.choose("attention", "sink").build(SHAPE)
    torch.nn.init.normal_(part.sinks)
    module = torch.nn.Module()
    module.sinks, module.num_key_value_groups = part.sinks, 1  # type: ignore[assignment]
    module.eval()
    mask = torch.zeros(1, 1, T, T).masked_fill(~causal(), -1e9)
    v = draw(B, H, T, E, seed=2)
    theirs, _ = modeling.eager_attention_forward(module, q, k, v, mask, scaling=1 / math.sqrt(E))
    ours = weights_of("sink", q, k, part) @ v
    torch.testing.assert_close(ours.transpose(1, 2), theirs, atol=1e-5, rtol=0)


def test_off_by_one_is_the_formula(qk: tuple[Tensor, Tensor]) -> None:
    powers = scores(*qk).exp()
    torch.testing.assert_close(weights_of("off-by-one", *qk), powers / (1 + powers.sum(-1, keepdim=True)))


def test_sigmoid_is_the_formula(qk: tuple[Tensor, Tensor]) -> None:
    seen = torch.arange(1, T + 1)[:, None]
    torch.testing.assert_close(weights_of("sigmoid", *qk), 1 / (1 + seen * (-scores(*qk)).exp()))


def test_softcap_is_that_of_gemma(qk: tuple[Tensor, Tensor]) -> None:
    modeling = pytest.importorskip("transformers.models.gemma2.modeling_gemma2")
    q, k = (20 * part for part in qk)
    v, module = draw(B, H, T, E, seed=2), torch.nn.Module().eval()
    module.head_dim, module.num_key_value_groups = E, 1  # type: ignore[assignment]
    mask = torch.zeros(1, 1, T, T).masked_fill(~causal(), -1e9)
    theirs, _ = modeling.eager_attention_forward(module, q, k, v, mask, softcap=50.0)
    torch.testing.assert_close((weights_of("softcap", q, k) @ v).transpose(1, 2), theirs, atol=1e-5, rtol=0)
    assert not torch.allclose(weights_of("softcap", q, k), scores(q, k).softmax(-1))


def test_talking_heads_are_the_formula(qk: tuple[Tensor, Tensor]) -> None:
    part = REGISTRY.choose("attention", "talking-heads").build(SHAPE)
    torch.testing.assert_close(weights_of("talking-heads", *qk, part), scores(*qk).softmax(-1))
    part.before.data, part.after.data = draw(H, H, seed=3), draw(H, H, seed=4)
    mixed = sum(part.before[:, i, None, None] * scores(*qk).nan_to_num(neginf=0)[:, i, None] for i in range(H))
    weights = mixed.masked_fill(~causal(), -math.inf).softmax(-1)
    wanted = torch.stack([sum(part.after[h, i] * weights[:, i] for i in range(H)) for h in range(H)], 1)
    torch.testing.assert_close(weights_of("talking-heads", *qk, part), wanted)


def test_differential_is_the_formula(qk: tuple[Tensor, Tensor]) -> None:
    q, k = qk
    part = Difference(SHAPE)
    first = [0, 1, 4, 5]
    second = [2, 3, 6, 7]
    parts = [
        (q[..., half] @ k[..., half].transpose(-1, -2) / math.sqrt(E / 2)).masked_fill(~causal(), -math.inf).softmax(-1)
        for half in (first, second)
    ]
    a1, b1, a2, b2 = part.vectors
    start = 0.8 - 0.6 * math.exp(-0.3)
    share = (a1 @ b1).exp() - (a2 @ b2).exp() + start
    torch.testing.assert_close(weights_of("differential", q, k, part), parts[0] - share * parts[1])
    out = draw(B, H, T, E, seed=5)
    normed = out / (out.square().mean(-1, keepdim=True) + 1e-5).sqrt() * (1 - start)
    torch.testing.assert_close(part.outputs(out, out, out), normed)


def test_qk_norm_is_that_of_qwen(qk: tuple[Tensor, Tensor]) -> None:
    modeling = pytest.importorskip("transformers.models.qwen3.modeling_qwen3")
    part = REGISTRY.choose("attention", "qk-norm").build(SHAPE)
    theirs = modeling.Qwen3RMSNorm(E, eps=1e-6)
    part.query_norm.weight.data = theirs.weight.data = draw(E, seed=6)
    found = part.prepare(*qk)
    torch.testing.assert_close(found[0], theirs(qk[0]), atol=1e-5, rtol=0)
    torch.testing.assert_close(found[1], qk[1] / (qk[1].square().mean(-1, keepdim=True) + 1e-6).sqrt())


def test_exclusive_is_the_formula() -> None:
    out, v = draw(B, H, T, E), draw(B, H, T, E, seed=1)
    found = REGISTRY.choose("attention", "exclusive").outputs(out, out, v)
    for b in range(B):
        for h in range(H):
            for t in range(T):
                y, own = out[b, h, t], v[b, h, t]
                torch.testing.assert_close(found[b, h, t], y - (y @ own) * own / (own @ own))
    torch.testing.assert_close((found * v).sum(-1), torch.zeros(B, H, T), atol=1e-5, rtol=0)


def model(**settings: Any) -> Transformer:
    base = {"output": "vectors", "vocabulary": 9, "layers": 2, "heads": H, "width": 16, "context": T, "causal": True}
    return Transformer(ModelConfig.from_dict(base | settings), 1).eval()


def test_gates_are_the_formula() -> None:
    part = REGISTRY.choose("attention", "gated").build(SHAPE)
    out, x = draw(B, H, T, E), draw(B, T, 16, seed=1)
    gates = torch.sigmoid(x @ part.gate.weight.t()).view(B, T, H, E)
    wanted = out * gates.permute(0, 2, 1, 3)
    torch.testing.assert_close(part.outputs(out, x, out), wanted)


def test_values_remember_the_first_layer() -> None:
    """Both layers by hand, from the weights of the open path."""
    made = model(attention="value-residual", position="none")
    ids = torch.arange(T)[None] % 9
    kept: list[Tensor] = []
    for block in made.blocks:
        block.attention.register_forward_hook(lambda part, given, out: kept.append(given[0]))  # type: ignore[union-attr]
    found = made(ids, weights=True)
    one, two = (block.attention for block in made.blocks)
    first, later = one.value(kept[0]), two.value(kept[1])  # type: ignore[union-attr,operator]
    mixed = (0.5 * first + 0.5 * later).view(1, T, H, E).transpose(1, 2)
    wanted = two.output((found.weights[1] @ mixed).transpose(1, 2).flatten(2))  # type: ignore[union-attr,operator]
    view = View(made.config, torch.arange(T), torch.arange(T), first={"values": first.view(1, T, H, E).transpose(1, 2)})
    torch.testing.assert_close(two(kept[1], view, made.position)[0], wanted)  # type: ignore[operator]


def test_the_usual_attention_is_the_fused_one() -> None:
    """No hook of the default is there to be called, and its parameters are those of before."""
    assert not any(hasattr(REGISTRY.choose("attention", "softmax"), hook) for hook in ("prepare", "values", "weigh"))
    names = [name for name, _ in model().named_parameters()]
    assert not any(word in name for name in names for word in ("kind", "mixer", "residual", "objective"))


@pytest.mark.parametrize("name", sorted(REGISTRY["attention"]))
def test_grouped_heads_and_biases_work_together(name: str) -> None:
    made = model(attention=name, heads=4, kv_heads=2, width=32, position="t5", pattern="window(size=3)")
    ids = torch.arange(2 * T).view(2, T) % 9
    mask = torch.tensor([[True] * T, [True] * 3 + [False] * 2])
    fast, opened = made(ids, mask).hidden[mask], made(ids, mask, weights=True).hidden[mask]
    torch.testing.assert_close(fast, opened, atol=1e-5, rtol=0)
